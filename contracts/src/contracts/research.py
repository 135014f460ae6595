"""What a question about documents leads to: documents, proposals, checked sources, or a reason why not.

The names follow the state of a document agent: `tracked_documents`, `user_query`, `error_info`, ...
"""

from enum import StrEnum
from typing import Any

from contracts.base import Contract, Day
from contracts.markdown import Sentence, Words
from contracts.urls import WebUrl


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


class TrackedProposal(Contract):
    """A proposal (Antrag) that is linked to retrieved documents."""

    identifier: Words
    name: Words
    subject: Words
    url: WebUrl
    date: Day | None = None
    document_ids: tuple[str, ...] = ()


class Source(Contract):
    """A document that the answer cites as `[n]`; all facts are those of the index."""

    n: int
    id: str
    name: Words
    url: WebUrl
    size_bytes: int | None = None
    date: Day | None = None


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
