"""What is on the sheet of a cadastral plan."""

from dataclasses import dataclass

from swissgeo.outlines import Polygon

from tools_geo.plan_layout import PlanLayout


@dataclass(frozen=True)
class Outline:
    number: str
    """Written into it; empty for one without."""
    polygons: tuple[Polygon, ...]


@dataclass(frozen=True)
class Sheet:
    layout: PlanLayout
    title: str
    details: str
    subject: Outline
    neighbours: tuple[Outline, ...] = ()
