"""Cadastral plans drawn from the embedded parcels: the right scale and frame, and samples all the same."""

import asyncio
import json
import sqlite3

from contracts.items import Extent, Parcel
from swissgeo.outlines import polygons_of

from tools_geo.embedded.plan_sheet import Outline, Sheet
from tools_geo.embedded.sources import Origin
from tools_geo.gateways import PlanSubject
from tools_geo.labels import real_estate
from tools_geo.plan_layout import PlanLayout
from tools_geo.plans import Drawn
from tools_geo.texts import text

_ON_SHEET = """
SELECT p.* FROM parcel_box b JOIN parcel p ON p.row = b.row
WHERE b.max_east >= ? AND b.max_north >= ? AND b.min_east <= ? AND b.min_north <= ? ORDER BY p.row
"""


class EmbeddedPlanPrinter:
    def __init__(self, db: sqlite3.Connection, *, origin: Origin) -> None:
        self._db = db
        self._origin = origin

    async def draw(self, subject: PlanSubject, layout: PlanLayout) -> Drawn:
        """The same bytes for the same subject."""
        egrid = subject.parcel.egrid if subject.parcel else None
        outline = Outline(
            subject.parcel.number if subject.parcel else "", tuple(polygons_of(subject.geometry))
        )
        sheet = Sheet(
            layout=layout,
            title=_title(subject.parcel),
            details=_details(subject.parcel),
            subject=outline,
            neighbours=tuple(
                Outline(row["number"], tuple(polygons_of(json.loads(row["geometry"]))))
                for row in self._rows(layout.extent)
                if row["egrid"] != egrid
            ),
        )
        pdf = await asyncio.to_thread(_draw, sheet)
        return Drawn(pdf, self._origin("plans", exact=False))

    def _rows(self, extent: Extent) -> list[sqlite3.Row]:
        return self._db.execute(_ON_SHEET, extent).fetchall()


def _draw(sheet: Sheet) -> bytes:
    # A library that most processes never need, and that costs 15 MB of memory.
    from tools_geo.embedded.plan_drawing import draw

    return draw(sheet)


def _title(parcel: Parcel | None) -> str:
    if parcel is None:
        return text("label_plan")
    return text("label_plan_of", number=parcel.number, municipality=parcel.municipality)


def _details(parcel: Parcel | None) -> str:
    if parcel is None:
        return ""
    register = parcel.land_register or parcel.municipality
    return text("plan_details", land_register=register, kind=real_estate(parcel.kind), egrid=parcel.egrid)
