"""From what the cadastre knows to what a user is told."""

from contracts.items import OerebExtract, Parcel
from contracts.messages import Outcome
from contracts.status import Status

from tools_oereb.texts import text


def about_parcels(parcels: tuple[Parcel, ...], x: float, y: float, *, is_sample: bool) -> Outcome:
    if not parcels:
        nothing = text("parcels_none", x=f"{x:.10g}", y=f"{y:.10g}")
        return _question(nothing, text("parcels_hint"), is_sample=is_sample)
    return Outcome(items=parcels, message=text("parcel_found" if len(parcels) == 1 else "parcels_found"))


def about_extract(extract: OerebExtract | None, egrid: str, *, is_sample: bool) -> Outcome:
    if extract is None:
        return _question(text("extract_none", egrid=egrid), text("extract_hint"), is_sample=is_sample)
    message = text("extract_ready", pdf_url=extract.pdf_url, map_url=extract.map_url)
    return Outcome(items=(extract,), message=message)


def _question(nothing: str, hint: str, *, is_sample: bool) -> Outcome:
    sentences = [nothing, *([text("sample_data")] if is_sample else []), hint]
    return Outcome(status=Status.NEEDS_CLARIFICATION, message=" ".join(sentences))
