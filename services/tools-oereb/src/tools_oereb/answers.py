"""From what the cadastre knows to what a user is told."""

from contracts.items import OerebExtract, Parcel
from contracts.messages import Outcome
from contracts.status import Status

from tools_oereb.gateways import NoExtract
from tools_oereb.texts import text


def about_parcels(parcels: tuple[Parcel, ...], x: float, y: float, *, is_sample: bool) -> Outcome:
    if not parcels:
        key = "parcels_sample" if is_sample else "parcels_hint"
        return _nothing_found(text(key, x=f"{x:.10g}", y=f"{y:.10g}"))
    return Outcome(items=parcels, message=text("parcel_found" if len(parcels) == 1 else "parcels_found"))


def about_extract(extract: OerebExtract | NoExtract, egrid: str) -> Outcome:
    if extract is NoExtract.NOT_RELEASED:
        return Outcome(status=Status.NEEDS_CLARIFICATION, message=text(extract, egrid=egrid))
    if isinstance(extract, NoExtract):
        return _nothing_found(text(extract, egrid=egrid))
    lines = [text("extract_ready", pdf_url=extract.pdf_url, map_url=extract.map_url), *_themes(extract)]
    return Outcome(items=(extract,), message="\n".join(lines))


def _themes(extract: OerebExtract) -> list[str]:
    themes = extract.concerned_themes
    if themes is None:
        return []
    key = "themes" if len(themes) > 1 else "theme" if themes else "no_themes"
    return [text(key, count=len(themes), themes=", ".join(themes))]


def _nothing_found(reason: str) -> Outcome:
    """That there is nothing, and why or how to ask better."""
    return Outcome(status=Status.NEEDS_CLARIFICATION, message=f"{text('nothing_found')} {reason}")
