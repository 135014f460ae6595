"""One harmless question for each live source, through the adapters of the services; prints what came of it.

    PYTHONPATH=tests/support .venv/bin/python -m check_live

Whom it asks is a matter of the services' own settings (SEARCH_URL, OEREB_URL, ...), and so is what it asks:
about the first records of the data of that canton (GEO_DATA_DIR). Exits with 1 unless every source has
answered with a hit.
"""

import asyncio
import logging
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from contracts.items import OerebExtract
from rich.console import Console
from rich.table import Table
from servicekit.errors import SourceError
from servicekit.outbound import Outbound
from source_words import word_for

from tools_geo import sources as geo
from tools_geo.gateways import Area, Found, Gateways, PlanSubject
from tools_geo.live.feature_info import infos_at
from tools_geo.live.federal import BOUNDARIES, Federal, municipality_among
from tools_geo.live.weblayers import WebLayers
from tools_geo.settings import Settings as GeoSettings
from tools_oereb import sources as oereb
from tools_oereb.gateways import Unread
from tools_oereb.settings import Settings as OerebSettings
from tools_oereb.vocabulary import point_in

_NOTHING = "kein Treffer"
_NO_NAMES = "Wonach? Setze GEO_DATA_DIR und OEREB_PARCELS_FILE auf Daten des Kantons, der antworten soll."
_PLAIN_WIDTH = 140
"""In a file or a log."""


@dataclass(frozen=True)
class Check:
    name: str
    url: str
    ask: Callable[[], Awaitable[Sequence[Any]]]
    """What was found, best first."""


@dataclass(frozen=True)
class Row:
    name: str
    host: str
    result: str
    ms: float
    first: str = ""

    @property
    def is_ok(self) -> bool:
        return self.result == "ok"


async def row_of(check: Check) -> Row:
    host, began = urlsplit(check.url).netloc, perf_counter()
    result, first = "ok", ""
    try:
        hits = await check.ask()
        result, first = ("ok", _shown(hits[0])) if hits else (_NOTHING, "")
    except SourceError as error:
        result = word_for(error)
    return Row(check.name, host, result, (perf_counter() - began) * 1_000, first)


def _shown(hit: Any) -> str:
    """Its label, or what there is in its place."""
    if isinstance(hit, str):
        return hit
    return next(str(text) for name in ("label", "title", "name") if (text := getattr(hit, name, None)))


def _geo_checks(settings: GeoSettings, outbound: Outbound) -> list[Check]:
    live: Gateways = geo.gateways(settings, outbound)
    federal = Federal(outbound, settings.federal_url, geo.cache(settings), name=lambda: "swisstopo")
    weblayers = WebLayers(
        outbound, settings.layer_metadata_url, geo.cache(settings), name=lambda: "weblayers"
    )
    vocabulary, asked = geo.names_of(settings)
    if asked.outline is None or asked.at_parcel is None:
        raise SystemExit(_NO_NAMES)
    subject, point = PlanSubject(asked.outline), asked.at_parcel
    districts = (f"Bezirk {place.name}" for place in vocabulary.places if place.kind == "district")
    region = next(districts, asked.place)

    async def items(found: Awaitable[Found[Any]]) -> Sequence[Any]:
        return (await found).items

    async def described() -> Sequence[Any]:
        layers = await items(live.layers.layers(asked.layer))
        return [*(await weblayers.of([layers[0].id])).value.values()] if layers else ()

    async def located() -> Sequence[Any]:
        return (await federal.locations(("Bundesplatz", "3", "Bern"), ("address",))).value

    async def identified() -> Sequence[Any]:
        municipality = municipality_among((await federal.at(point, (BOUNDARIES,))).value)
        return municipality[:1] if municipality else ()

    async def answered() -> Sequence[Any]:
        # The gateway names the layers that have failed, but not why.
        return list(await infos_at(outbound, settings.featureinfo_url, asked.askable, point, source="WMS"))

    async def listed() -> Sequence[Any]:
        found = await items(live.features.within(asked.askable[0], Area()))
        return found[0].features if found else ()

    search, data = settings.search_url, settings.data_url
    checks = [
        Check("Adressen", search, lambda: items(live.addresses.addresses(asked.address))),
        Check("Gemeinden", search, lambda: items(live.places.municipalities(asked.municipality))),
        Check("Orte", search, lambda: items(live.places.places(region))),
        Check("Karten", search, lambda: items(live.layers.layers(asked.layer))),
        Check("Angaben zu Karten", settings.layer_metadata_url, described),
        Check(
            "Grundstücke, Nummer",
            data,
            lambda: items(live.parcels.by_number(asked.number, asked.in_municipality)),
        ),
        Check("Grundstücke, EGRID", data, lambda: items(live.parcels.by_egrid(asked.egrid))),
        Check("Grundstücke, Punkt", data, lambda: items(live.parcels.by_xy(*point))),
        Check("Suche des Bundes", settings.federal_url, located),
        Check("Identify des Bundes", settings.federal_url, identified),
        Check("Höhe", settings.height_url, lambda: items(live.heights.height(*point))),
        Check("Erdwärmesonden", settings.featureinfo_url, lambda: items(live.geothermal.assessment(*point))),
        Check("Objekte an einem Punkt", settings.featureinfo_url, answered),
        Check("Objekte", settings.features_url, listed),
        Check("Grundbuchplan", settings.landreg_print_url, lambda: items(live.plans.plan(subject))),
    ]
    return [check for check in checks if check.url]


def _oereb_checks(settings: OerebSettings, outbound: Outbound) -> list[Check]:
    live, url = oereb.cadastre(settings, outbound), settings.oereb_url
    asked = oereb.example_of(settings)
    if asked is None:
        raise SystemExit(_NO_NAMES)
    egrid, point = asked.egrid, point_in(asked)

    async def extract() -> Sequence[Any]:
        found = await live.extract(egrid)
        if isinstance(found, Unread):
            raise found.reason
        return (found,) if isinstance(found, OerebExtract) and found.content else ()

    return [
        Check("ÖREB, Grundstück", url, lambda: live.parcels_at(*point)),
        Check("ÖREB, Auszug", url, extract),
    ]


async def rows() -> list[Row]:
    """All at once: the slowest source is what it takes."""
    async with AsyncExitStack() as exits:
        folder = exits.enter_context(tempfile.TemporaryDirectory())
        # No retries: it is the sources that are looked at, with their bad moments.
        common: dict[str, Any] = {"outbound_max_retries": 0}
        # The Confederation must not hide what the canton lacks.
        geo_settings = GeoSettings(geo_source="live", prints_url=folder, federal_fallback=False, **common)
        oereb_settings = OerebSettings(oereb_source="live", **common)
        geo_outbound, oereb_outbound = geo.outbound_of(geo_settings), oereb.outbound_of(oereb_settings)
        assert geo_outbound is not None and oereb_outbound is not None
        exits.push_async_callback(geo_outbound.close)
        exits.push_async_callback(oereb_outbound.close)
        checks = [*_geo_checks(geo_settings, geo_outbound), *_oereb_checks(oereb_settings, oereb_outbound)]
        return list(await asyncio.gather(*map(row_of, checks)))


def show(found: Sequence[Row], console: Console) -> None:
    table = Table("Quelle", "Server", "Ergebnis", "ms", "Erster Treffer")
    for row in found:
        style = "green" if row.is_ok else "red"
        table.add_row(row.name, row.host, f"[{style}]{row.result}[/]", f"{row.ms:.0f}", row.first)
    console.print(table)


def main() -> None:
    logging.disable()
    found = asyncio.run(rows())
    show(found, Console(width=None if sys.stdout.isatty() else _PLAIN_WIDTH))
    sys.exit(0 if all(row.is_ok for row in found) else 1)


if __name__ == "__main__":
    main()
