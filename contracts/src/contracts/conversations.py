"""Conversations that a page keeps with the account of whoever had them."""

from datetime import datetime
from typing import Annotated

from contracts.base import Contract
from pydantic import AwareDatetime, ConfigDict, StringConstraints

MAX_TITLE_CHARS = 120
MAX_CONTENT_CHARS = 500_000

_Title = Annotated[str, StringConstraints(max_length=MAX_TITLE_CHARS)]


class ConversationPut(Contract):
    """The body of `PUT /api/conversations/{id}`."""

    model_config = ConfigDict(extra="forbid")

    title: _Title
    at: AwareDatetime
    """When it went on last."""
    content: Annotated[str, StringConstraints(max_length=MAX_CONTENT_CHARS)]
    """What the page wants back, in its own words. Nobody else reads it."""


class ConversationTitle(Contract):
    """What a list shows of a conversation."""

    id: str
    """Of its session, as the client calls it."""
    title: str
    at: datetime


class Conversation(ConversationTitle):
    content: str


class ConversationList(Contract):
    """The latest first."""

    conversations: tuple[ConversationTitle, ...]
