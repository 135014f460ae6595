"""What is remembered between the turns of a session."""

from datetime import datetime
from typing import Any, Literal

from contracts.base import Contract
from contracts.items import Item
from contracts.markdown import Words


class Found(Contract):
    """What a step has found, as it can be told."""

    items: tuple[dict[str, Any], ...] = ()
    """The facts of the first of them, see `contracts.items.ItemBase.facts`."""
    more: int = 0
    """How many others there were."""
    chosen: Words | None = None
    """What the user has chosen, of what was `offered`."""
    offered: tuple[Words, ...] = ()


class StepResult(Found):
    """What came of one step of a turn, for who writes about it."""

    intent: str
    ok: bool
    text: str


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
    results: tuple[StepResult, ...] = ()
    """What the last steps have come to, oldest first."""
