"""What a session learns from a turn. Pure; the store carries it out together with saving the turn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.actions import (
    AddLayer,
    ClearMap,
    MapAction,
    MoveLayer,
    RemoveLayer,
    SetLayerOpacity,
    SetLayerVisibility,
)
from contracts.chat import Step
from contracts.items import Item
from contracts.messages import ChatRequested
from contracts.plan import PlanStep
from contracts.session import HistoryEntry, LoadedLayer, OpenChoice, StepResult, Wanted, ends_of
from contracts.status import Status
from pydantic_core import to_json

from orchestrator.state import StepState

MAX_REMEMBERED_BYTES = 64 * 1024
"""Of a selection: all of them go along with every message."""

MAX_HISTORY_TEXT_CHARS = 2_000
MAX_NOTED_DOCUMENTS = 5
MAX_NOTED_CHARS = 100
MAX_GIVEN_CHARS = 400
"""Of what a call was given: names and questions, no shapes."""
MAX_WANTED_BYTES = 8_000
"""Of what a message was taken for; beyond that only its intents are kept."""


@dataclass(frozen=True)
class TurnBegan:
    request_id: str


@dataclass(frozen=True)
class Spent:
    """Tokens of language models; they are counted for the owner of the session."""

    tokens: int


@dataclass(frozen=True)
class Said:
    entry: HistoryEntry


@dataclass(frozen=True)
class Resulted:
    result: StepResult


@dataclass(frozen=True)
class Selected:
    """Replaces the selection of the item's family."""

    item: Item


@dataclass(frozen=True)
class MapSeen:
    """Replaces what was known of the map: users can change it without a word."""

    layers: tuple[LoadedLayer, ...]


@dataclass(frozen=True)
class LayerLoaded:
    layer: LoadedLayer


@dataclass(frozen=True)
class LayerChanged:
    """What is None stays as it is."""

    id: str
    visible: bool | None = None
    opacity: float | None = None


@dataclass(frozen=True)
class LayerMoved:
    """`order`: the new place, 0 is the lowest."""

    id: str
    order: int


@dataclass(frozen=True)
class LayerGone:
    id: str


@dataclass(frozen=True)
class MapCleared:
    pass


@dataclass(frozen=True)
class ChoiceOpened:
    choice: OpenChoice


@dataclass(frozen=True)
class ChoiceClosed:
    choice: OpenChoice


Change = (
    TurnBegan
    | Spent
    | Said
    | Resulted
    | Selected
    | MapSeen
    | LayerLoaded
    | LayerChanged
    | LayerMoved
    | LayerGone
    | MapCleared
    | ChoiceOpened
    | ChoiceClosed
)


def beginning(request: ChatRequested) -> tuple[Change, ...]:
    """Changes with a new turn. Of a tool that is called by its name nobody has said anything."""
    began = TurnBegan(request.request_id)
    if request.call is not None:
        return (began,)
    seen = () if request.map_layers is None else (MapSeen(request.map_layers),)
    return (began, said_by_user(request.user_message or ""), *seen)


def said_by_user(text: str) -> Said:
    return Said(HistoryEntry(role="user", text=text[:MAX_HISTORY_TEXT_CHARS]))


def wanted_of(step: PlanStep | StepState) -> Wanted:
    """What a step is to do."""
    given = [*(call.args for call in step.calls), step.args]
    args = {name: _short(value) for some in given for name, value in some.items()}
    chosen = step.found.chosen if isinstance(step, StepState) else None
    return Wanted(intent=step.intent, args={k: v for k, v in args.items() if v is not None}, chosen=chosen)


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value[:MAX_GIVEN_CHARS]
    return value if len(to_json(value)) <= MAX_GIVEN_CHARS else None


def learned(
    answers: Sequence[Step],
    selections: Iterable[Item],
    results: Iterable[StepResult],
    wanted: Sequence[Wanted] = (),
) -> tuple[Change, ...]:
    """Changes after a round: what was answered, selected, found, and loaded on the map."""
    said = "\n".join(f"[{a.intent}: {a.status}] {_note(a)}{a.message}" for a in answers)
    text = ends_of(said, MAX_HISTORY_TEXT_CHARS)
    if sum(len(each.to_json()) for each in wanted) > MAX_WANTED_BYTES:
        wanted = [each.model_copy(update={"args": {}}) for each in wanted]
    changes: list[Change] = [
        Said(HistoryEntry(role="assistant", text=text, wanted=tuple(wanted))),
        *(Selected(item) for item in selections if len(item.to_json()) <= MAX_REMEMBERED_BYTES),
        *(Resulted(result) for result in results),
    ]
    done = (answer for answer in answers if answer.status is Status.OK)
    told = (_of_the_map(action) for answer in done for action in answer.map_actions)
    return (*changes, *(change for change in told if change is not None))


def with_loaded(layers: tuple[LoadedLayer, ...], answers: Iterable[Step | None]) -> tuple[LoadedLayer, ...]:
    """Layers, and above them those that some answers bring onto the map."""
    actions = (action for answer in answers if answer is not None for action in answer.map_actions)
    loaded = [change.layer for change in map(_of_the_map, actions) if isinstance(change, LayerLoaded)]
    known = {layer.id for layer in layers}
    return (*layers, *(layer for layer in loaded if layer.id not in known))


def _of_the_map(action: MapAction) -> Change | None:
    """What is taken back with `undo` only the client knows; it tells with its next message."""
    match action:
        case AddLayer(payload=new) if new.type != "geojson":
            return LayerLoaded(LoadedLayer(id=new.id, label=new.label or new.id, visible=new.visible))
        case SetLayerVisibility(payload=shown):
            return LayerChanged(shown.id, visible=shown.visible)
        case SetLayerOpacity(payload=faded):
            return LayerChanged(faded.id, opacity=faded.opacity)
        case MoveLayer(payload=moved):
            return LayerMoved(moved.id, moved.order)
        case RemoveLayer(payload=gone):
            return LayerGone(gone.id)
        case ClearMap():
            return MapCleared()
    return None


def _note(answer: Step) -> str:
    """What was searched for and found: without it, a question that follows cannot be understood.

    Planners read it, so it is the same whatever the language of the user.
    """
    if answer.research is None:
        return ""
    query = answer.research.user_query[:MAX_NOTED_CHARS]
    names = [d.name[:MAX_NOTED_CHARS] for d in answer.research.tracked_documents if d.is_relevant]
    found = f"; Dokumente: {'; '.join(names[:MAX_NOTED_DOCUMENTS])}" if names else ""
    return f"(gesucht: «{query}»{found}) "
