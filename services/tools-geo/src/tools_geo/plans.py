"""Cadastral plans: what is drawn, on which sheet, and where the PDF is found."""

import json
from dataclasses import dataclass
from typing import Any, Protocol, Self

from contracts.items import CadastralPlan, Parcel, Provenance
from servicekit import ownership, wording
from servicekit.cache import TtlCache
from servicekit.objects import open_store
from swissgeo.outlines import extent_of, inner_point, polygons_of

from tools_geo.gateways import Found, Gateways, PlanSubject, Remark
from tools_geo.plan_layout import PlanLayout, layout_of
from tools_geo.prints import Print, Prints
from tools_geo.settings import Settings
from tools_geo.texts import text


@dataclass(frozen=True)
class Drawn:
    pdf: bytes
    provenance: Provenance


class PlanPrinter(Protocol):
    """What differs between the sources."""

    async def draw(self, subject: PlanSubject, layout: PlanLayout) -> Drawn:
        """A sheet A4 as PDF. Raises `SourceError`."""


class Plans:
    """A `PlanGateway`: the same plan is drawn once, and found again while it lasts."""

    def __init__(self, printer: PlanPrinter, prints: Prints, cache: TtlCache) -> None:
        self._printer = printer
        self._prints = prints
        self._cache = cache

    @classmethod
    def of(cls, printer: PlanPrinter, settings: Settings) -> Self:
        """With the store of the settings. Nobody gets a plan that has less than half of its time left."""
        half_s = settings.prints_ttl_s / 2
        cache = TtlCache(settings.cache_max_entries, min(settings.cache_ttl_s, half_s), half_s)
        return cls(printer, Prints(open_store(settings)), cache)

    async def plan(self, subject: PlanSubject) -> Found[CadastralPlan]:
        try:
            extent = extent_of(polygons_of(subject.geometry))
            layout = layout_of(extent)
        except ValueError:
            return Found((), Remark.NO_AREA)
        parcel = subject.parcel

        async def load() -> tuple[Print, Provenance]:
            drawn = await self._printer.draw(subject, layout)
            return await self._prints.keep(drawn.pdf), drawn.provenance

        # A print belongs to whom it was made for, and is in their language.
        outline = json.dumps(subject.geometry)
        key = (ownership.owner(), wording.language(), layout, parcel and parcel.egrid, outline)
        found = await self._cache.fetch(key, load)
        kept, provenance = found.value
        plan = CadastralPlan(
            id=kept.id,
            label=_label(parcel),
            coord=inner_point(polygons_of(subject.geometry)),
            extent=extent,
            geometry=subject.geometry,
            url=kept.path,
            scale=layout.scale,
            expires_at=kept.expires_at,
            provenance=provenance.model_copy(update={"stale": found.stale}),
        )
        return Found((plan,))


async def plan_of(
    gateways: Gateways, egrid: str | None, geometry: dict[str, Any] | None
) -> Found[CadastralPlan]:
    """The plan of a parcel by its EGRID; of the outline, when there is none or it is not known."""
    parcel = None
    if egrid is not None:
        found = await gateways.parcels.by_egrid(egrid)
        parcel = found.items[0] if found.items else None
        if parcel is None and geometry is None:
            return Found((), Remark.PARCEL_UNKNOWN, {"egrid": egrid})
    outline = (parcel and parcel.geometry) or geometry
    if outline is None:
        return Found((), Remark.NO_OUTLINE)
    return await gateways.plans.plan(PlanSubject(outline, parcel))


def _label(parcel: Parcel | None) -> str:
    if parcel is None:
        return text("label_plan")
    return text("label_plan_of", number=parcel.number, municipality=parcel.municipality)
