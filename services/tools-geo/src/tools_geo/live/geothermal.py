"""Geothermal probes: the verdict of the canton at a point, and the link to its report."""

from dataclasses import replace
from urllib.parse import urlsplit

from contracts.items import Coord, GeothermalAssessment
from servicekit.cache import TtlCache
from servicekit.outbound import Outbound, SourceError, SourceErrorKind

from tools_geo.gateways import Found
from tools_geo.geothermal import Verdict, assessment_at, read_verdict, strictest
from tools_geo.live.feature_info import Attributes, features_at
from tools_geo.live.markup import read_html
from tools_geo.live.provenance import host_of, provenance
from tools_geo.texts import text

_MAX_URL_CHARS = 2_000


class LiveGeothermal:
    """`report_host` is the only server that links to reports may lead to. All errors are `SourceError`."""

    def __init__(self, outbound: Outbound, url: str, layer: str, report_host: str, cache: TtlCache) -> None:
        self._outbound = outbound
        self._url = url
        self._layer = layer
        self._report_host = report_host
        self._cache = cache

    async def assessment(self, east: float, north: float) -> Found[GeothermalAssessment]:
        point = (round(east, 1), round(north, 1))
        answer = await self._cache.fetch(point, lambda: self._ask(point))
        if not answer.value:
            return Found()
        source = text("source_canton_geothermal", host=host_of(self._url))
        verdict = strictest(answer.value)
        verdict = replace(verdict, text=text("geothermal_said", said=verdict.text))
        return Found((assessment_at(point, verdict, provenance(source, answer, exact=True)),))

    async def _ask(self, point: Coord) -> tuple[Verdict, ...]:
        source = text("service_geothermal")
        features = await features_at(self._outbound, self._url, self._layer, point, source=source)
        verdicts = tuple(filter(None, map(self._verdict, features)))
        if features and not verdicts:
            raise SourceError(SourceErrorKind.UNREADABLE, source)
        return verdicts

    def _verdict(self, feature: Attributes) -> Verdict | None:
        """Both attributes may hold HTML, and nothing of it is trusted."""
        said, _ = read_html(feature.get("resultat", ""))
        _, link = read_html(feature.get("pdf_link", ""))
        return read_verdict(said, self._checked(link)) if said.strip() else None

    def _checked(self, link: str) -> str | None:
        """The link, if it leads to where reports are."""
        if len(link) > _MAX_URL_CHARS or any(c.isspace() or not c.isprintable() for c in link):
            return None
        try:
            parts = urlsplit(link)
            known = parts.scheme in ("http", "https") and parts.netloc.lower() == self._report_host.lower()
        except ValueError:
            return None
        return link if known else None
