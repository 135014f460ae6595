"""What an index holds: documents cut into passages, and the proposals linked to them."""

from dataclasses import dataclass

from contracts.base import Day

SAMPLE = "sample"
"""The source of what ships with the service. Documents of any other source take its place."""
REMEMBERED = "source "
"""Begins the names under which an index keeps what is remembered of its sources."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What is known about a document besides its text."""

    id: str
    name: str
    url: str
    size_bytes: int | None = None
    date: Day | None = None
    kind: str | None = None
    body: str | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of text under a heading. A blank line ends a paragraph, a single one is a line on purpose."""

    text: str
    heading: str | None = None
    page: int | None = None
    """Where it begins, from 1, where the format has pages."""
    anchor: str | None = None
    """What leads to it in the document's URL, after the `#`."""


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document as it was read. `fingerprint` changes with anything that would change the index."""

    facts: DocumentFacts
    sections: tuple[Section, ...]
    fingerprint: str
    ignored: tuple[str, ...] = ()
    """What it says of itself that makes no sense and was left out, as `key: value`."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal (Antrag, Motion, Postulat, ...) and the ids of the documents it belongs to."""

    identifier: str
    name: str
    subject: str
    url: str
    date: Day | None = None
    kind: str | None = None
    body: str | None = None
    document_ids: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    """As of a document; it is not stored."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage as it is stored: at most `chunking.MAX_CHARS` long."""

    text: str
    heading: str | None = None
    page: int | None = None
    anchor: str | None = None
