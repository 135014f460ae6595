"""From what the cadastre knows to what a user is told."""

from contracts.items import OerebExtract, Parcel
from contracts.messages import Outcome
from contracts.status import Status

from tools_oereb.texts import text


def about_parcels(parcels: tuple[Parcel, ...], x: float, y: float, *, is_sample: bool) -> Outcome:
    if not parcels:
        return _question("parcels", is_sample=is_sample, x=f"{x:.10g}", y=f"{y:.10g}")
    return Outcome(items=parcels, message=text("parcel_found" if len(parcels) == 1 else "parcels_found"))


def about_extract(extract: OerebExtract | None, egrid: str, *, is_sample: bool) -> Outcome:
    if extract is None:
        return _question("extract", is_sample=is_sample, egrid=egrid)
    message = text("extract_ready", pdf_url=extract.pdf_url, map_url=extract.map_url)
    return Outcome(items=(extract,), message=message)


def _question(asked_for: str, *, is_sample: bool, **asked: str) -> Outcome:
    """That there is nothing, and why or how to ask better; `asked_for` begins the keys of the texts."""
    reason = text(f"{asked_for}_{'sample' if is_sample else 'hint'}", **asked)
    return Outcome(status=Status.NEEDS_CLARIFICATION, message=f"{text('nothing_found')} {reason}")
