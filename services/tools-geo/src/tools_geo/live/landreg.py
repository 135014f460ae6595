"""Cadastral plans as the canton prints them: a form is sent, a PDF comes back.

The map fills the frame of the sheet; the extent that is sent has to have its proportions, see `plan_layout`.
"""

from datetime import UTC, datetime

from servicekit.cache import Cached
from servicekit.outbound import Outbound, SourceError, SourceErrorKind

from tools_geo.gateways import PlanSubject
from tools_geo.live.provenance import host_of, provenance
from tools_geo.plan_layout import PlanLayout
from tools_geo.plans import Drawn
from tools_geo.texts import text

_DPI = 200
_MAX_PDF_BYTES = 20_000_000
_MAGIC, _MAGIC_WITHIN = b"%PDF-", 1_024


class LandRegisterPrint:
    """`template` is the name of the sheet, A4 upright. All errors are `SourceError`."""

    def __init__(self, outbound: Outbound, url: str, template: str) -> None:
        self._outbound = outbound
        self._url = url
        self._template = template

    async def draw(self, subject: PlanSubject, layout: PlanLayout) -> Drawn:
        """What is around the subject is printed too; `subject` itself is not marked."""
        del subject
        source = text("service_plans")
        answer = await self._outbound.post(
            self._url,
            form={
                "TEMPLATE": self._template,
                "scale": layout.scale,
                "rotation": 0,
                "extent": ",".join(f"{side:.3f}" for side in layout.extent),
                "SRS": "EPSG:2056",
                "GRID_INTERVAL_X": layout.grid_interval_m,
                "GRID_INTERVAL_Y": layout.grid_interval_m,
                "DPI": _DPI,
            },
            source=source,
            accept=("application/pdf",),
            max_body_bytes=_MAX_PDF_BYTES,
        )
        if _MAGIC not in answer.body[:_MAGIC_WITHIN]:
            raise SourceError(SourceErrorKind.UNREADABLE, source)
        printed = Cached(answer.body, datetime.now(UTC))
        name = text("source_canton_plans", host=host_of(self._url))
        return Drawn(answer.body, provenance(name, printed, exact=True))
