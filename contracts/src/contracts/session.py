"""What is remembered between the turns of a session."""

from datetime import datetime
from typing import Literal

from contracts.base import Contract
from contracts.items import Item
from contracts.markdown import Words


class HistoryEntry(Contract):
    role: Literal["user", "assistant"]
    text: str


class Option(Contract):
    id: str
    label: str


class OpenChoice(Contract):
    """A choice that waits for its user."""

    request_id: str
    step: int
    options: tuple[Option, ...]
    expires_at: datetime


class LoadedLayer(Contract):
    id: str
    label: Words


class Session(Contract):
    """A snapshot, taken when a turn starts."""

    history: tuple[HistoryEntry, ...] = ()
    """Oldest first."""
    selections: tuple[Item, ...] = ()
    """At most one of each item family."""
    layers: tuple[LoadedLayer, ...] = ()
    """In the order of loading."""
    choices: tuple[OpenChoice, ...] = ()
    """Newest first."""
