"""What goes over HTTP: the request, the response, and its parts."""

from typing import Annotated, Any, Literal

from contracts.actions import MapAction, MapResult
from contracts.agents import Agent
from contracts.base import Contract, WrittenOnce
from contracts.items import Item
from contracts.keys import MAX_LAYERS
from contracts.languages import MAX_TAG_CHARS
from contracts.markdown import Words
from contracts.research import Research
from contracts.session import LoadedLayer, MapView
from contracts.status import Status, worst
from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic.config import JsonDict

MAX_SESSION_ID_CHARS = 128
MAX_MESSAGE_CHARS = 4_000
MAX_CHOICE_ID_CHARS = 128
MAX_MAP_RESULTS = 50
MAX_LAYER_ID_CHARS = 256
MAX_LAYER_LABEL_CHARS = 512
MAX_SUGGESTIONS = 3

_SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What is stripped. Spelled out: readers of a schema do not agree on what `\\s` means."""
_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
NOT_BLANK = f"[^{_SPACE}]"
"""The pattern of a text that says something."""

SESSION_ID = StringConstraints(
    min_length=1,
    max_length=MAX_SESSION_ID_CHARS,
    # It becomes a header on the bus and part of a key.
    pattern=f"^[^{_CONTROL}]*[^{_SPACE}{_CONTROL}][^{_CONTROL}]*$",
)
SessionId = Annotated[str, SESSION_ID, AfterValidator(str.strip)]
"""Limits are those of what is sent, so that a schema can say them; the spaces around it go afterwards."""


LanguageTag = Annotated[str, StringConstraints(max_length=MAX_TAG_CHARS)]
"""As of BCP 47, e.g. `fr-CH`."""


class ShownLayer(LoadedLayer):
    """A layer, as a client names it."""

    id: Annotated[str, StringConstraints(max_length=MAX_LAYER_ID_CHARS)]
    label: Annotated[str, StringConstraints(max_length=MAX_LAYER_LABEL_CHARS)]


class MapLayerState(ShownLayer):
    order: int | None = None
    """0 is the lowest; without it, the place in the list says it."""


class MapContext(MapView):
    """The map that a message was written beside."""

    model_config = ConfigDict(allow_inf_nan=False)

    layers: Annotated[tuple[MapLayerState, ...], Field(max_length=MAX_LAYERS, fail_fast=True)] = ()

    @property
    def view(self) -> MapView:
        return MapView.model_validate(self.model_dump(exclude={"layers"}))

    @property
    def loaded(self) -> tuple[LoadedLayer, ...]:
        """The lowest first."""
        placed = [(n if each.order is None else each.order, each) for n, each in enumerate(self.layers)]
        ordered = sorted(placed, key=lambda pair: pair[0])
        return tuple(LoadedLayer.model_validate(each.model_dump(exclude={"order"})) for _, each in ordered)


_SAYS_SOMETHING: JsonDict = {"type": "string", "pattern": NOT_BLANK}
_ASKS_SOMETHING: JsonDict = {
    "anyOf": [
        {"required": ["userMessage"], "properties": {"userMessage": _SAYS_SOMETHING}},
        {"required": ["choiceId"], "properties": {"choiceId": _SAYS_SOMETHING}},
    ]
}


class ChatRequest(Contract):
    """A message, or the answer to a choice. With both, the choice counts."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=_ASKS_SOMETHING)

    session_id: SessionId
    user_message: (
        Annotated[str, StringConstraints(max_length=MAX_MESSAGE_CHARS), AfterValidator(str.strip)] | None
    ) = None
    choice_id: (
        Annotated[
            str,
            StringConstraints(min_length=1, max_length=MAX_CHOICE_ID_CHARS, pattern=NOT_BLANK),
            AfterValidator(str.strip),
        ]
        | None
    ) = None
    agent: Agent | None = None
    """`map` unless said otherwise."""
    language: LanguageTag | None = None
    """In which language to answer: `de`, `fr`, `it` or `en`, with or without a region. With another one, or
    without any, `Accept-Language` says it; else German."""
    map_results: (
        Annotated[tuple[MapResult, ...], Field(max_length=MAX_MAP_RESULTS, fail_fast=True)] | None
    ) = None
    """What became of the map actions since the request before."""
    map_layers: Annotated[tuple[ShownLayer, ...], Field(max_length=MAX_LAYERS, fail_fast=True)] | None = None
    """With a message: what the map shows, the lowest layer first. Without it, what the session has loaded."""
    map: MapContext | None = None
    """With a message: where the map is and what it shows. Its layers count more than `mapLayers`."""

    @property
    def loaded_layers(self) -> tuple[LoadedLayer, ...] | None:
        """What the map shows, the lowest first; None where nothing was said of it."""
        return self.map.loaded if self.map is not None else self.map_layers

    @property
    def map_failures(self) -> tuple[str, ...]:
        """The actions that failed, each with its reason."""
        failed = (result for result in self.map_results or () if result.status == "failed")
        return tuple(f"{result.type}: {result.reason or '?'}" for result in failed)

    @model_validator(mode="after")
    def _asks_something(self) -> "ChatRequest":
        if not self.user_message and not self.choice_id:
            raise ValueError("userMessage or choiceId is required")
        return self


class SessionRef(Contract):
    """The body of `DELETE /api/chat`."""

    model_config = ConfigDict(extra="forbid")

    session_id: SessionId


class Choice(Contract):
    """One option. `map_actions` preview it on the map; `data` is for clients that want the facts."""

    id: str
    label: Words
    confidence: float | None = None
    map_actions: tuple[MapAction, ...] = ()
    data: dict[str, Any] = {}


class Step(Contract):
    """The answer to one intent."""

    intent: str
    status: Status
    message: str
    map_actions: tuple[MapAction, ...] = ()
    choices: tuple[Choice, ...] = ()
    research: Research | None = None
    """With search_documents: what was found and checked, and the sources of the answer."""
    cut: Literal[True] | None = None
    """The message is an answer that ends before its end: whoever wants all of it has to ask on."""
    items: tuple[Item, ...] | None = None
    """What the answer is about, for a client that shows it as a card; only with `ok`. Shapes, features and
    the contents of extracts that the map actions have are not here once more."""
    suggestions: tuple[Words, ...] | None = None
    """Where the message names examples: these, as sentences to send as they are."""


class ChatResponse(WrittenOnce):
    """The answer to one message, or to one choice."""

    request_id: str
    overall_status: Status
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, request_id: str, steps: tuple[Step, ...]) -> "ChatResponse":
        return cls(request_id=request_id, overall_status=worst(s.status for s in steps), steps=steps)


def choice_id(request_id: str, step: int, option: int) -> str:
    """An opaque id that is unique across turns and knows its turn: `<requestId>.<step>.<option>`."""
    return f"{request_id}.{step}.{option}"


def turn_of(choice: str) -> str | None:
    """The request id in a choice id, or None when it cannot be one of ours."""
    request_id, _, rest = choice.partition(".")
    step, _, option = rest.partition(".")
    if request_id and step.isascii() and step.isdigit() and option.isascii() and option.isdigit():
        return request_id
    return None
