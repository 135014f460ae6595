"""What a user wants, before it is known with which tools."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from contracts.intents import Intent, IntentSpec, spec_of, spec_of_tool
from contracts.tools import ToolDescriptor

from planner.rules.grammar.pointing import Pointer
from planner.rules.references.addresses import Address
from planner.rules.references.coordinates import Coordinate
from planner.rules.references.finding import Reference, UnknownCoordinate
from planner.rules.references.places import Place

_MAX_QUERY_CHARS = 200
NAVIGATION = frozenset({Intent.GOTO_ADDRESS, Intent.SEARCH_PLACE, Intent.SHOW_PARCEL})


@dataclass(frozen=True)
class Wish:
    """One intent. `target` is where, `query` what in words, `args` of the step, or of the last call.

    A wish that can only be answered in words says with `text` which sentence of the catalogue, and its
    `values`.
    """

    intent: str
    target: Reference | None = None
    query: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    text: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    among: tuple[str, ...] = ()
    """Titles of layers one of which the query probably means."""
    filters: Mapping[str, str] = field(default_factory=dict)
    """What documents have to be, see `planner.rules.grammar.documents`."""
    tool: ToolDescriptor | None = None
    """A tool that the grammar has no intent for."""
    pointer: Pointer = field(default="", compare=False)
    """What words that name no place point at."""
    at_place: bool = False
    """Wanted at a place, although its intent does not always need one."""
    is_guess: bool = False
    """Nothing in the words says that it is wanted; it counts when there is nothing better."""

    @property
    def needs_place(self) -> bool:
        """Whether it cannot be fulfilled without a point or a parcel."""
        return self.at_place or self.spec.needs_place

    @property
    def spec(self) -> IntentSpec:
        """What its intent is."""
        if self.tool is not None:
            return spec_of_tool(self.tool.capability, self.tool.parameters, "")
        return spec_of(self.intent) or IntentSpec(intent=self.intent, meaning="")

    @property
    def is_talk(self) -> bool:
        return self.text is not None


SUMMARY = Wish(Intent.ANSWER)
"""To hear what was found."""


def label_of(wish: Wish) -> str:
    """What a model calls the intent of a wish."""
    return Intent.SEARCH_PLACE if wish.intent in NAVIGATION - {Intent.SHOW_PARCEL} else wish.intent


def clarify(text: str, **values: str) -> Wish:
    return Wish(Intent.CLARIFY, text=text, values=values)


def answer(text: str, **values: str) -> Wish:
    return Wish(Intent.ANSWER, text=text, values=values)


def visit(target: Reference) -> Wish:
    """The wish to see a reference on the map."""
    if isinstance(target, Address):
        return Wish(Intent.GOTO_ADDRESS, target)
    if isinstance(target, Place | Coordinate | UnknownCoordinate):
        return Wish(Intent.SEARCH_PLACE, target)
    return Wish(Intent.SHOW_PARCEL, target)


def load(topic: str) -> Wish:
    """The wish to see a layer."""
    return Wish(Intent.LOAD_LAYER, query=topic[:_MAX_QUERY_CHARS])
