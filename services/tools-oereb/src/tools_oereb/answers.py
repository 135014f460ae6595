"""From what the cadastre knows to what a user is told."""

from contracts.items import OerebExtract, Parcel
from contracts.messages import Outcome
from contracts.status import Status
from servicekit.texts import source_text
from servicekit.wording import language

from tools_oereb.gateways import NoExtract, Unread
from tools_oereb.replies import reply
from tools_oereb.statements import links
from tools_oereb.texts import text


def about_parcels(parcels: tuple[Parcel, ...], x: float, y: float, *, is_sample: bool) -> Outcome:
    if not parcels:
        key = "parcels_sample" if is_sample else "parcels_hint"
        return _nothing_found(text(key, x=f"{x:.10g}", y=f"{y:.10g}"))
    if len(parcels) == 1:
        return Outcome(items=parcels, message=text("parcel_found"))
    named = ", ".join(f"{parcel.kind} {parcel.number}" for parcel in parcels)
    return Outcome(items=parcels, message=text("parcels_found", parcels=named))


def about_extract(
    extract: OerebExtract | Unread | NoExtract, egrid: str, question: str | None = None
) -> Outcome:
    """With a question: what the extract says to it, which is nothing if it has not been read."""
    if isinstance(extract, Unread):
        return _unread(extract)
    if extract in (NoExtract.NOT_RELEASED, NoExtract.NONE):
        return Outcome(status=Status.NEEDS_CLARIFICATION, message=text(extract, egrid=egrid))
    if isinstance(extract, NoExtract):
        return _nothing_found(text(extract, egrid=egrid))
    if extract.content is None:
        lines = [text("extract_absent", egrid=egrid), *map(str, links(extract))]
        return Outcome(items=(extract,), message="\n".join(lines))
    told = reply(extract, extract.content, question or "")
    return Outcome(items=(extract,), message="\n".join(map(str, told)))


def _unread(unread: Unread) -> Outcome:
    """That nothing is known of what concerns the parcel, why, and what there is nevertheless."""
    extract = unread.extract
    lines = [text("extract_unread", egrid=extract.egrid, reason=source_text(unread.reason, language()))]
    if extract.number:
        lines.append(text("extract_unread_parcel", number=extract.number, kind=extract.kind))
    lines += [*map(str, links(extract)), text("extract_unread_links")]
    return Outcome(items=(extract,), message="\n".join(lines), again=True)


def _nothing_found(reason: str) -> Outcome:
    """That there is nothing, and why or how to ask better."""
    return Outcome(status=Status.NEEDS_CLARIFICATION, message=f"{text('nothing_found')} {reason}")
