"""What is remembered between the turns of a session."""

from datetime import datetime
from typing import Annotated, Any, Literal

from contracts.base import UNLESS_EMPTY, Arguments, Contract
from contracts.items import Coord, Extent, Item
from contracts.markdown import Words
from pydantic import Field


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


def ends_of(text: str, max_chars: int) -> str:
    """A text that is too long: how it begins and how it ends; who is asked to go on needs its end."""
    if len(text) <= max_chars:
        return text
    gap = "\n…\n"
    tail = (max_chars - len(gap)) // 2
    return f"{text[: max_chars - len(gap) - tail]}{gap}{text[-tail:]}"


class Wanted(Contract):
    """What a step was to do, as it was planned."""

    intent: str
    args: Annotated[Arguments, UNLESS_EMPTY] = {}
    """What it and all its calls were given, or what is known of it where it asks; without what is long."""
    chosen: Words | None = None
    """What the user has chosen of what it had found."""


class HistoryEntry(Contract):
    role: Literal["user", "assistant"]
    text: str
    wanted: Annotated[tuple[Wanted, ...], UNLESS_EMPTY] = ()
    """What the message was taken for that an answer answers: later ones are understood by it."""


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
    visible: bool = True
    opacity: Annotated[float, Field(ge=0, le=1)] = 1


class MapView(Contract):
    """Where a client's map is."""

    center: Coord
    extent: Extent
    """What is seen."""
    scale: Annotated[float, Field(gt=0)]
    """The denominator: 25000 is 1:25'000."""
    crs: Literal["EPSG:2056"] = "EPSG:2056"
    point: Coord | None = None
    """Where its user has clicked; as long as that place is marked."""


class Session(Contract):
    """A snapshot, taken when a turn starts."""

    history: tuple[HistoryEntry, ...] = ()
    """Oldest first."""
    selections: tuple[Item, ...] = ()
    """At most one of each item family."""
    layers: tuple[LoadedLayer, ...] = ()
    """The lowest first."""
    view: MapView | None = None
    """What the client shows at this moment; None of one that has not said it."""
    choices: tuple[OpenChoice, ...] = ()
    """Newest first."""
    results: tuple[StepResult, ...] = ()
    """What the last steps have come to, oldest first."""
