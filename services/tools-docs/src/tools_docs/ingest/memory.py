"""What is remembered of an OParl system, so that the next ingest asks for what has changed."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from tools_docs.preparing import VERSION

FULL_EVERY = timedelta(days=30)
"""Not everything that changes says so: links to a paper, or a file without a date of its own."""
_OVERLAP = timedelta(days=1)
"""The clocks of two servers differ, and so do their ideas of a time zone."""
_MAX_AGAIN = 1_000


class Memory(BaseModel):
    """Kept in the index beside the documents: who removes it reads everything again."""

    model_config = ConfigDict(frozen=True)

    version: int = VERSION
    """Of how documents are prepared. After a new one everything is read again."""
    read_at: AwareDatetime
    """When the last ingest that got to its end has begun."""
    full_at: AwareDatetime
    """When the last one that read everything has begun."""
    again: Annotated[tuple[str, ...], Field(max_length=_MAX_AGAIN)] = ()
    """Papers with files that could not be fetched."""

    @property
    def since(self) -> datetime:
        return self.read_at - _OVERLAP


def recalled(stored: str | None, now: datetime) -> Memory | None:
    """None: everything has to be read."""
    if stored is None:
        return None
    try:
        memory = Memory.model_validate_json(stored)
    except ValidationError:
        return None
    is_current = memory.version == VERSION and memory.full_at <= memory.read_at <= now
    return memory if is_current and now - memory.full_at < FULL_EVERY else None


def renewed(memory: Memory | None, begun_at: datetime, again: tuple[str, ...]) -> Memory | None:
    """After an ingest that got to its end; None when too much is missing to go on from here."""
    if len(again) > _MAX_AGAIN:
        return None
    return Memory(read_at=begun_at, full_at=memory.full_at if memory else begun_at, again=again)


def time_of(value: object) -> datetime | None:
    """A time that says where it is meant; others cannot be compared."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
        return found.astimezone(UTC) if found and found.tzinfo else None
    except (ValueError, OverflowError):
        return None
