"""What may be drilled for heat: how a verdict in German is read, and what is kept of it."""

import math
import re
from dataclasses import dataclass

from contracts.items import Coord, GeothermalAssessment, Provenance

from tools_geo.texts import text

_MAX_TEXT_CHARS = 1_000
_SENTENCE_END = re.compile(r"[.!](?:\s|$)")
_PERMISSION = re.compile(
    r"(?:das erstellen von erdwärmesonden|eine erdwärmesonde) ist (?:hier|an diesem (?:standort|ort))"
    r"(?: bis (?:in|zu) einer? (?:maximalen? )?tiefe von (?P<depth>\d[\d'’ ]*) ?(?:m|metern?))?"
    r" (?:möglich|zulässig|erlaubt)"
)
_NEUTRAL = re.compile(r"für weitere (?:angaben|informationen) klicken sie (?:bitte )?auf den pdf-link")


@dataclass(frozen=True)
class Verdict:
    """What the source says about a point."""

    text: str
    """Plain text, on one line."""
    allowed: bool
    max_depth_m: float | None = None
    report_url: str | None = None


def read_verdict(said: str, report_url: str | None = None) -> Verdict:
    """A permission is only what is known to be one, without any other remark that may be a condition.

    Every other text is shown, but permits nothing. The depth is that of the text: other attributes are about
    the ground, not about what may be done.
    """
    whole = " ".join(said.split())
    line = whole[:_MAX_TEXT_CHARS]
    sentences = [part for part in map(str.strip, _SENTENCE_END.split(whole.casefold())) if part]
    found = _PERMISSION.fullmatch(sentences[0]) if sentences else None
    if found is None or not all(map(_NEUTRAL.fullmatch, sentences[1:])):
        return Verdict(line, allowed=False, report_url=report_url)
    depth = re.sub(r"\D", "", found["depth"] or "")
    return Verdict(line, allowed=True, max_depth_m=float(depth) if depth else None, report_url=report_url)


def strictest(verdicts: tuple[Verdict, ...]) -> Verdict:
    """At a border there are several: the one that permits least counts."""
    return min(verdicts, key=lambda v: (v.allowed, v.max_depth_m if v.max_depth_m is not None else math.inf))


def assessment_at(point: Coord, verdict: Verdict, provenance: Provenance) -> GeothermalAssessment:
    east, north = point
    return GeothermalAssessment(
        id=f"{east:.10g}-{north:.10g}",
        label=text("label_geothermal"),
        coord=point,
        allowed=verdict.allowed,
        text=verdict.text,
        max_depth_m=verdict.max_depth_m,
        report_url=verdict.report_url,
        provenance=provenance,
    )
