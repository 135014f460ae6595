"""What the tools need from an index of documents, whichever it is, and from a judge of relevance."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from tools_docs.corpus import DocumentFacts, Proposal
from tools_docs.preparing import Prepared

_MAX_COMPOUNDS = 40
"""Of one word; the frequent ones are those that people ask about."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What an index holds as a whole."""

    documents: int = 0
    passages: int = 0
    proposals: int = 0
    kinds: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    updated_at: datetime | None = None
    sources: Mapping[str, int] = field(default_factory=dict)
    """Where the documents come from, with their number."""
    model: str | None = None
    """The one that has made the vectors."""
    vectors: int = 0
    """How many passages have one."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What an index knows about some terms."""

    passages: Mapping[str, int]
    """Term -> number of passages with it; terms that do not occur are missing."""
    compounds: Mapping[str, Mapping[str, int]]
    """Term -> the compounds that it is a part of, with their number of passages."""

    @classmethod
    def of(
        cls, passages: Iterable[tuple[str, int]], compounds: Iterable[tuple[str, str, int]]
    ) -> "Vocabulary":
        """`compounds`: part, compound and its passages, the most frequent first."""
        kept: dict[str, dict[str, int]] = {}
        for part, term, count in compounds:
            found = kept.setdefault(part, {})
            if len(found) < _MAX_COMPOUNDS:
                found[term] = count
        return cls(dict(passages), kept)


@dataclass(frozen=True, slots=True)
class Sought:
    """Terms that stand for one another, and in how many passages they are at most."""

    terms: tuple[str, ...]
    passages: int


@dataclass(frozen=True, slots=True)
class Search:
    """What passages have to have."""

    sought: tuple[Sought, ...]
    """One for each word that is asked for, the rarest first."""
    since: date | None = None
    until: date | None = None
    kinds: tuple[str, ...] | None = None
    """Exactly as in the index; None: any."""
    bodies: tuple[str, ...] | None = None
    vector: Sequence[float] | None = None
    """Of the question, of length 1, where there is a model for it."""
    model: str | None = None
    """The one that has made it; vectors of another one are not compared."""


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage and its terms, in the order of the text."""

    position: int
    text: str
    heading: str | None
    terms: tuple[str, ...]
    heading_terms: tuple[str, ...]
    page: int | None = None
    anchor: str | None = None
    nearness: float | None = None
    """Cosine similarity to the question, where vectors are compared."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document with the passages that may answer; in no order."""

    facts: DocumentFacts
    title_terms: tuple[str, ...]
    passages: tuple[StoredPassage, ...]

    @property
    def nearness(self) -> float | None:
        """Of its nearest passage."""
        return max((p.nearness for p in self.passages if p.nearness is not None), default=None)


class DocumentIndex(Protocol):
    """Reads an index. Many processes read one index while another one fills it."""

    async def overview(self) -> Overview:
        """What is there now."""

    async def vocabulary(self, terms: Collection[str]) -> Vocabulary:
        """What is known about terms, see `languages`."""

    async def beginning(self, prefix: str) -> Sequence[str]:
        """Terms that begin so; the most frequent ones."""

    async def similar(self, term: str) -> Sequence[tuple[str, str]]:
        """(form, term) of words that may be the same but for a typing error: equal first letter, much the
        same length; the most frequent ones."""

    async def search(self, search: Search) -> Sequence[Candidate]:
        """Documents with any of the terms, some with each of the rarest ones, and the nearest in meaning."""

    async def document(self, document_id: str) -> Candidate | None:
        """A document with all its passages in their order."""

    async def proposals(self, document_ids: Collection[str]) -> Sequence[Proposal]:
        """Those that are linked to any of the documents, newest first."""

    async def newest(self, limit: int) -> Sequence[DocumentFacts]:
        """The latest documents by date."""

    async def close(self) -> None:
        """Gives back what it has opened."""


class IndexWriter(Protocol):
    """Fills an index. Every call is one transaction: readers see it whole or not at all."""

    async def has_own(self) -> bool:
        """Whether there are documents or proposals of anybody but the sample."""

    async def fingerprints(self, source: str) -> Mapping[str, str]:
        """Document id -> fingerprint of what is there from a source."""

    async def remembered(self, source: str) -> str | None:
        """What `remember` was given last for a source."""

    async def remember(self, source: str, what: str) -> None:
        """Keeps it as long as the index is there."""

    async def put(self, source: str, documents: Sequence[Prepared]) -> None:
        """Adds documents, or replaces those with the same ids."""

    async def put_proposals(self, source: str, proposals: Sequence[Proposal]) -> None:
        """Adds proposals, or replaces those with the same identifiers."""

    async def keep_only(self, source: str, ids: Collection[str], identifiers: Collection[str]) -> int:
        """Removes documents and proposals of a source that are not named; how many documents."""

    async def without_vectors(self, model: str, after: int, limit: int) -> Sequence[tuple[int, str]]:
        """Passages without a vector of this model, by number from `after` on, and what to make it of."""

    async def missing_vectors(self, model: str) -> int:
        """How many passages are without one."""

    async def put_vectors(self, model: str, vectors: Mapping[int, Sequence[float]]) -> None:
        """Vectors of passages by number. The first of another model removes all that are there."""

    async def finish(self) -> None:
        """Brings up to date what needs the whole index; cut off before, the next run makes up for it."""

    async def close(self) -> None:
        """Gives back what it has opened."""


class Embedder(Protocol):
    """Turns texts into vectors of length 1. Every method raises `NoVectors`."""

    model: str

    async def question(self, text: str) -> Sequence[float]:
        """The vector of a question."""

    async def passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The vectors of what may answer one, in the same order."""

    async def close(self) -> None:
        """Gives back what it has opened."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a document answers a question, and why, in words."""

    is_relevant: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A document as it is judged: what it is called, and what it says."""

    id: str
    name: str
    passages: tuple[tuple[str | None, str], ...]
    """(heading, text)"""


class Judge(Protocol):
    async def judge(self, query: str, document: Judged) -> Verdict:
        """Never raises: a document that cannot be judged is kept, and the reason says so."""
