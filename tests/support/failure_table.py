"""What users are told when a source fails, by format and failure; as a program it prints the table.

PYTHONPATH=tests/support .venv/bin/python -m failure_table
"""

import asyncio
import logging
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from contracts.messages import Outcome
from contracts.status import Status
from geo_live import live_gateway
from misbehaving import FAILURES, JSON, Behaviour, MisbehavingServer, redirect, refused
from oereb_kit import by_path
from recorded.oereb_data import MESSEN_198
from recorded.server import RecordedServer
from servicekit.errors import SourceError, SourceErrorKind
from servicekit.outbound import Outbound
from servicekit.testing import MemoryBus
from servicekit.texts import source_text
from source_words import WORDS, word_for

import tools_geo.handlers
import tools_oereb.handlers
from tools_geo.embedded import embedded_gateways
from tools_geo.gateways import Gateways
from tools_geo.settings import Settings as GeoSettings
from tools_oereb import sources
from tools_oereb.settings import Settings as OerebSettings

REFUSED = "connection refused"
"""The one failure that has no server."""
COLUMNS = (
    REFUSED,
    "slow headers",
    "slow body",
    "500",
    "503 with Retry-After",
    "429",
    "HTML",
    "truncated JSON",
    "wrong content type",
    "XML bomb",
    "external entity",
    "50 MB",
    "redirect to a private address",
    "service exception",
)
"""Of all failures those that the table shows."""

OK = "ok"
REMARK = "Hinweis"
"""The answer goes without the source, and says so."""

_ONCE = {"outbound_max_retries": 0, "outbound_max_body_bytes": 200_000}
_IMPATIENT = {"outbound_read_timeout_s": 0.3, "outbound_total_timeout_s": 0.5}
"""Where nothing but a timeout ends the waiting."""
_SLOW = ("slow headers", "slow body", "stalled body")
_XML = "application/xml"
_CLIENT = redirect("https://geo.so.ch/map/", 303)
_POINT = {"x": 2600513, "y": 1215519}
_BEYOND = "Ausserhalb des Kantons konnte gerade nicht gesucht werden: swisstopo antwortet nicht."

Settings = Mapping[str, Any]
Ask = Callable[[str, str, Settings], Awaitable[Outcome]]
"""From the URLs of the failing and of a healthy server, and settings, to the outcome of a tool."""


@dataclass(frozen=True)
class Format:
    name: str
    source: str
    """What users are told of the source; `{host}` is the server's."""
    ask: Ask
    speaks: str = JSON
    failing: Callable[[Behaviour], Behaviour] = lambda failure: failure
    """The server as a whole, when it fails in one of its answers only."""

    def __str__(self) -> str:
        return self.name


@cache
def _others() -> Gateways:
    return embedded_gateways(GeoSettings())


def _geo(kind: str, capability: str, args: dict[str, Any], *failing: str, **values: Any) -> Ask:
    """A tool whose gateway `kind` is live; the settings named by `failing` lead to the failing server."""

    async def ask(broken: str, healthy: str, settings: Settings) -> Outcome:
        urls = {name: f"{broken}/{name}" for name in failing}
        async with AsyncExitStack() as exits:
            folder = exits.enter_context(tempfile.TemporaryDirectory())
            changes = {"prints_url": folder, **urls, **values, **settings}
            gateway = await exits.enter_async_context(live_gateway(kind, healthy, broken, **changes))
            bus: Any = MemoryBus("tools-geo")
            toolbox = tools_geo.handlers.register(bus, replace(_others(), **{kind: gateway}))
            return await toolbox[capability].call(args, "de")

    return ask


def _oereb(capability: str, args: dict[str, Any], **values: Any) -> Ask:
    async def ask(broken: str, healthy: str, settings: Settings) -> Outcome:
        live = OerebSettings(oereb_source="live", oereb_url=broken, **{**values, **settings})
        outbound = Outbound(live, (broken,))
        bus: Any = MemoryBus("tools-oereb")
        try:
            toolbox = tools_oereb.handlers.register(bus, sources.cadastre(live, outbound))
            return await toolbox[capability].call(args, "de")
        finally:
            await outbound.close()

    return ask


_CANTON_ONLY: dict[str, Any] = {"federal_fallback": False}
_EXTRACT = ("oereb.extract_by_id", {"egrid": MESSEN_198})

FORMATS = (
    Format(
        "search v2: addresses",
        "Die Adresssuche von {host}",
        _geo(
            *("addresses", "geolocation.geocode", {"q": "Rötistrasse 4, Solothurn"}, "search_url"),
            **_CANTON_ONLY,
        ),
    ),
    Format(
        "search v2: municipalities",
        "Die Ortssuche von {host}",
        _geo("places", "geolocation.municipality", {"q": "Grenchen"}, "search_url", **_CANTON_ONLY),
    ),
    Format(
        "search v2: places",
        "Die Ortssuche von {host}",
        _geo("places", "geolocation.place", {"q": "Bezirk Thal"}, "search_url", **_CANTON_ONLY),
    ),
    Format(
        "search v2: layers",
        "Die Kartensuche von {host}",
        _geo("layers", "layers.search", {"query": "Gewässerschutz"}, "search_url", **_CANTON_ONLY),
    ),
    Format(
        "weblayers",
        "",
        _geo("layers", "layers.search", {"query": "Gewässerschutz"}, "layer_metadata_url"),
    ),
    Format(
        "data service: parcels",
        "Die Grundstücksabfrage von {host}",
        _geo(
            *("parcels", "parcels.by_number", {"number": "198", "municipality": "Messen"}, "data_url"),
            **_CANTON_ONLY,
        ),
    ),
    Format(
        "SearchServer, for the rest of Switzerland",
        "",
        _geo("addresses", "geolocation.geocode", {"q": "Bundesplatz 3, Bern"}, "federal_url"),
    ),
    Format(
        "identify",
        "Die Suche von swisstopo",
        _geo("addresses", "geolocation.geocode", {"q": "2607888, 1228249"}, "federal_url"),
    ),
    Format(
        "height",
        "Der Höhendienst von swisstopo",
        _geo("heights", "terrain.height_by_xy", _POINT, "height_url"),
    ),
    Format(
        "featureinfo: geothermal probes",
        "Die Erdwärmesonden-Abfrage des Kantons",
        _geo("geothermal", "geothermal.assess_by_xy", _POINT, "featureinfo_url"),
        speaks="text/xml",
    ),
    Format(
        "OGC API Features",
        "Der Objektdienst von {host}",
        _geo(
            *("features", "features.query", {"layer": "Altlasten", "municipality": "Olten"}, "features_url"),
            **_CANTON_ONLY,
        ),
    ),
    Format(
        "land register print",
        "Der Druckdienst für Grundbuchpläne",
        _geo("plans", "cadastral.plan_by_geometry", {"egrid": MESSEN_198}, "landreg_print_url"),
        speaks="application/pdf",
    ),
    Format("ÖREB GetEGRID, XML", "Der ÖREB-Dienst", _oereb("oereb.egrid_by_xy", _POINT), speaks=_XML),
    Format(
        "ÖREB GetEGRID, JSON", "Der ÖREB-Dienst", _oereb("oereb.egrid_by_xy", _POINT, oereb_format="json")
    ),
    Format("ÖREB extract, XML", "Der ÖREB-Dienst", _oereb(*_EXTRACT), speaks=_XML),
    Format("ÖREB extract, JSON", "Der ÖREB-Dienst", _oereb(*_EXTRACT, oereb_format="json")),
    Format(
        "ÖREB extract, not the redirect",
        "Der ÖREB-Dienst",
        _oereb(*_EXTRACT),
        speaks=_XML,
        failing=lambda failure: by_path(url=_CLIENT, xml=failure),
    ),
)


async def outcome_of(form: Format, failure: str, healthy: str) -> tuple[Outcome, str]:
    """What the tool says, and the host that failed."""
    settings = _ONCE | (_IMPATIENT if failure in _SLOW else {})
    if failure == REFUSED:
        with refused() as url:
            return await form.ask(url, healthy, settings), url.removeprefix("http://")
    async with MisbehavingServer(form.speaks) as server:
        server.behave(form.failing(FAILURES[failure]))
        return await form.ask(server.url, healthy, settings), server.url.removeprefix("http://")


def in_a_word(form: Format, outcome: Outcome, host: str) -> str:
    """The sentence in short; one that is not known is left as it is."""
    if outcome.status is Status.OK and not outcome.again:
        return OK
    if outcome.message.endswith(_BEYOND):
        return REMARK
    name = form.source.format(host=host)
    statuses = (None, 404, 406, 429, 500, 502, 503)
    errors = (SourceError(kind, name, status) for kind in WORDS for status in statuses)
    # An extract that could not be read is shown as far as it is known; its message has the sentence in it.
    told = outcome.message.splitlines()[0].partition("konnte ich nicht lesen: ")[2] or outcome.message
    return next((word_for(e) for e in errors if source_text(e) == told), outcome.message)


async def cell(form: Format, failure: str, healthy: str) -> str:
    return in_a_word(form, *await outcome_of(form, failure, healthy))


async def _table() -> list[list[str]]:
    async with RecordedServer() as healthy:
        return [[str(form), *[await cell(form, f, healthy.url) for f in COLUMNS]] for form in FORMATS]


def _legend() -> list[str]:
    known = [SourceError(kind, "…", 503 if kind is SourceErrorKind.OVERLOADED else None) for kind in WORDS]
    return [f"- {WORDS[error.kind]}: «{source_text(error)}»" for error in known] + [
        f"- {REMARK}: answered, and what is missing is said, as in «{_BEYOND}»",
        f"- {OK}: answered without what the source would have added",
    ]


def main() -> None:
    # The failures are what is wanted.
    logging.disable()
    rows = [["format", *COLUMNS], ["---"] * (len(COLUMNS) + 1), *asyncio.run(_table())]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    sys.stdout.write("\n".join([*lines, "", *_legend(), ""]))


if __name__ == "__main__":
    main()
