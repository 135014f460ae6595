"""Geothermal probes by made-up zones: shows what an answer looks like, and says that it is none."""

from collections.abc import Sequence

from contracts.items import GeothermalAssessment
from swissgeo.outlines import contains, polygons_of

from tools_geo.embedded.datafiles import GeothermalRow
from tools_geo.embedded.sources import Origin
from tools_geo.gateways import Found, Remark
from tools_geo.geothermal import Verdict, assessment_at
from tools_geo.texts import text


class EmbeddedGeothermal:
    def __init__(self, zones: Sequence[GeothermalRow], *, origin: Origin) -> None:
        self._zones = [(zone, polygons_of(zone.geometry)) for zone in zones]
        self._origin = origin

    async def assessment(self, east: float, north: float) -> Found[GeothermalAssessment]:
        """The first zone that contains the point decides."""
        for zone, polygons in self._zones:
            if contains(polygons, (east, north)):
                source = self._origin("geothermal", exact=False)
                return Found((assessment_at((east, north), _verdict(zone), source),))
        return Found((), Remark.BEYOND_SAMPLE)


def _verdict(zone: GeothermalRow) -> Verdict:
    if zone.max_depth_m is None:
        return Verdict(text("geothermal_sample_denied", reason=zone.reason), allowed=False)
    said = text("geothermal_sample_allowed", depth=f"{zone.max_depth_m:g}", reason=zone.reason)
    return Verdict(said, allowed=True, max_depth_m=zone.max_depth_m)
