"""What a user is told about where a fact comes from, and until when it holds."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from contracts.items import ItemBase, Provenance
from servicekit.wording import Say

_HERE = ZoneInfo("Europe/Zurich")


def with_source(message: str, item: ItemBase, say: Say) -> str:
    """The message, and below it the source where it is known."""
    source = _source(item.provenance, say) if item.provenance else ""
    return f"{message}\n{say('source', source=source)}" if source else message


def with_sources(message: str, items: Sequence[ItemBase], say: Say) -> str:
    """The message, and below it each source once; one whose data are made up says so."""
    told = dict.fromkeys(_source(item.provenance, say) for item in items if item.provenance)
    sources = "; ".join(filter(None, told))
    return f"{message}\n\n{say('source', source=sources)}" if sources else message


def _source(provenance: Provenance, say: Say) -> str:
    sample = say("sample")
    is_said = not provenance.sample or sample.casefold() in provenance.source.casefold()
    return provenance.source if is_said else f"{provenance.source} ({sample})".strip()


def is_estimate(item: ItemBase) -> bool:
    """Whether its value is only about right."""
    return item.provenance is not None and item.provenance.match == "fuzzy"


def stale_note(items: Iterable[ItemBase], say: Say) -> str | None:
    """That a source is down, and from when its answer is; None when all of them have answered."""
    old = [item.provenance for item in items if item.provenance and item.provenance.stale]
    if not old:
        return None
    oldest = min(old, key=lambda provenance: provenance.retrieved_at)
    return say("stale", source=oldest.source, moment=_moment(oldest.retrieved_at, say))


def expiry(item: ItemBase, expires_at: datetime, say: Say) -> str:
    """The time of day, with the date when that is another one than that of the answer."""
    answered_at = item.provenance.retrieved_at if item.provenance else None
    same_day = answered_at is not None and _day(answered_at) == _day(expires_at)
    return _clock(expires_at, say) if same_day else _moment(expires_at, say)


def _moment(at: datetime, say: Say) -> str:
    local = _here(at)
    return f"{local.day}.{local.month}.{local.year}, {_clock(at, say)}"


def _clock(at: datetime, say: Say) -> str:
    return say("clock", time=f"{_here(at):%H:%M}")


def _day(at: datetime) -> date:
    return _here(at).date()


def _here(at: datetime) -> datetime:
    try:
        return at.astimezone(_HERE)
    except OverflowError:
        # At the very ends of the calendar: of no use to anybody, and no reason to fail.
        return at
