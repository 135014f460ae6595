"""What a question about documents leads to: documents, proposals, checked sources, or a reason why not.

The names follow the state of a document agent: `tracked_documents`, `user_query`, `error_info`, ...
"""

from enum import StrEnum
from typing import Annotated, Any, Literal

from contracts.base import Contract, Day
from contracts.markdown import Sentence, Words
from contracts.urls import OptionalUrl, Page, WebUrl
from pydantic import Field

MAX_PLACES = 3
"""Of a document, told with a source."""


class ErrorType(StrEnum):
    NO_TOOL_CALL = "no_tool_call"
    """Nothing was looked up for the question."""
    NO_DOCUMENTS_FOUND = "no_documents_found"
    NO_RELEVANT_DOCUMENTS = "no_relevant_documents"
    TIMEOUT = "timeout"
    CONTENT_POLICY_VIOLATION = "content_policy_violation"
    SERVER_ERROR = "server_error"


class ErrorInfo(Contract):
    """Why there is no answer, in words, with 2-3 questions to try instead."""

    error_type: ErrorType
    message: str
    suggestions: tuple[Words, ...] = ()
    details: dict[str, Any] = {}


Sample = Literal[True] | None
"""True where something is invented, to try things out: nothing of it may be relied on."""


class TrackedDocument(Contract):
    """A retrieved document and what its relevance check said. A failed check keeps its document."""

    id: str
    name: Words
    url: WebUrl
    size_bytes: int | None = None
    date: Day | None = None
    kind: Words | None = None
    body: Words | None = None
    is_checked: bool = False
    is_relevant: bool = False
    relevance_reason: Sentence = ""
    sample: Sample = None


class TrackedProposal(Contract):
    """A proposal (Antrag) that is linked to retrieved documents."""

    identifier: Words
    name: Words
    subject: Words
    url: WebUrl
    date: Day | None = None
    document_ids: tuple[str, ...] = ()
    sample: Sample = None


class SourcePlace(Contract):
    """Where in a document an answer has its words from, or what it was written from."""

    section: Words | None = None
    page: Page | None = None
    url: OptionalUrl = None
    """Leads there; None where it leads to the document only."""


class Source(Contract):
    """A document that the answer cites as `[n]`; all facts are those of the index."""

    n: int
    id: str
    name: Words
    url: WebUrl
    size_bytes: int | None = None
    date: Day | None = None
    places: Annotated[tuple[SourcePlace, ...], Field(max_length=MAX_PLACES)] | None = None
    """The best ones first."""
    sample: Sample = None


class Research(Contract):
    """The state of one question about documents."""

    user_query: Words
    """What was searched for: the question, in its context."""
    initial_question: str
    """What the user wrote."""
    tracked_documents: tuple[TrackedDocument, ...] = ()
    tracked_proposals: tuple[TrackedProposal, ...] = ()
    sources: tuple[Source, ...] = ()
    error_info: ErrorInfo | None = None
