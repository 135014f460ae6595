"""What an ingest reads from."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tools_docs.corpus import Proposal, SourceDocument
from tools_docs.formats.reading import Unreadable


@dataclass(frozen=True, slots=True)
class Item:
    """A document that can be read. Nothing is, while the index has one with this fingerprint."""

    label: str
    fingerprint: str
    load: Callable[[], Awaitable[SourceDocument]] = field(repr=False)
    """Raises `Unreadable`."""
    id: str = ""
    """Of the document, as far as it is known before it is read."""


@dataclass(frozen=True, slots=True)
class Bad:
    """Something that cannot be read, as is known already."""

    label: str
    reason: Unreadable
    id: str = ""


Entry = Item | Proposal | Bad


class Source(Protocol):
    @property
    def name(self) -> str:
        """The same for every ingest from here."""

    @property
    def total(self) -> int | None:
        """How many entries there will be, where that is known."""

    @property
    def is_complete(self) -> bool:
        """After the last entry: whether the source could be read to its end."""

    def resume(self, remembered: str | None) -> None:
        """Before the first entry: what `memory` was after the last ingest; None asks for everything."""

    def memory(self, problems: Sequence[Bad]) -> str | None:
        """After the last entry: what the next ingest has to know to leave out what has not changed."""

    def entries(self) -> AsyncIterator[Entry]:
        """Everything that is there, or has changed, one after the other."""
