"""Items to choose from, as choices that a client can show, preview and send back."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, count
from typing import Any

from contracts.actions import MapAction
from contracts.chat import Choice
from contracts.items import Item, LayerGroup, Parcel
from contracts.markdown import plain
from contracts.messages import Outcome
from contracts.urls import names_url
from pydantic.alias_generators import to_camel
from servicekit.wording import Say

from actionplanner.layers import add_layers, layer_name
from actionplanner.places import highlight, marker, point_of, positions
from actionplanner.texts import text
from actionplanner.wording import coordinate, is_doubtful, is_in_other_register, kind_of, short, title

MAX_CHOICES = 25
"""More than that nobody reads; the message says that there were more."""
_MAX_PREVIEW_POSITIONS = 400
"""Of an outline: those of all options have to fit into one message."""

_QUESTIONS = {
    "address": "choose_address",
    "municipality": "choose_municipality",
    "place": "choose_place",
    "parcel": "choose_parcel",
    "oereb_extract": "choose_extract",
    "layer": "choose_layer",
    "layer_group": "choose_layer",
    "loaded_layer": "choose_loaded_layer",
    "document": "choose_document",
}
_NOT_FACTS = {
    "label",
    "geometry",
    "provenance",
    "confidence",
    "crs",
    "source",
    "layers",
    "content",
    "visible",
    "features",
    "aggregate",
}
"""What a choice shows elsewhere, or what is too bulky for it."""
_FIRST_FACTS = ("egrid", "coord", "type", "id")
_DIFFERENCES = ("municipality", "land_register", "locality", "postal_code", "kind", "bfs_number", "number")
"""Facts that tell items with the same label apart, the most telling first."""


def distinct(items: Sequence[Item]) -> tuple[Item, ...]:
    """The items without repetitions; type and id identify an item."""
    first: dict[tuple[str, str], Item] = {}
    for item in items:
        first.setdefault((item.type, item.id), item)
    return tuple(first.values())


def message_for(items: Sequence[Item], outcome: Outcome, say: Say) -> str:
    """The question, by the type of the items; for layers, a mixture, an unknown type and one item the tool's.

    A tool that finds layers knows how many more there are than it offers, and how to narrow them down. What
    another one notes about its items comes with the question.
    """
    keys = {_QUESTIONS.get(item.type) for item in items}
    key = keys.pop() if len(keys) == 1 else None
    if len(items) == 1:
        return outcome.message or say("choose_only", label=title(items[0]))
    if key == "choose_layer" and outcome.message:
        key = None
    if key == "choose_address" and all(map(is_doubtful, items)):
        key = "choose_similar_address"
    question = say(key) if key else outcome.message or say("choose")
    if outcome.note and outcome.note not in question:
        question += f" {outcome.note}"
    if len(items) > MAX_CHOICES:
        question += " " + say("choose_first", found=len(items), shown=MAX_CHOICES)
    return question


def choice(id: str, label: str, item: Item, say: Say, *, preview: bool) -> Choice:
    return Choice(
        id=id,
        label=label,
        confidence=item.confidence,
        map_actions=_preview(item, say) if preview else (),
        data=_facts(item),
    )


def _preview(item: Item, say: Say) -> tuple[MapAction, ...]:
    """Under ids of their own: taking a preview away must not take away what is already on the map."""
    if layers := add_layers(item, id_prefix="choice-"):
        return layers
    is_small = sum(1 for _ in positions(item.geometry)) <= _MAX_PREVIEW_POSITIONS
    outline = highlight(f"choice-{item.id}", item) if is_small else ()
    return marker(f"choice-{item.id}", item, _short_label(item, say)) + outline


def _facts(item: Item) -> dict[str, Any]:
    dumped = item.model_dump(mode="json", exclude_none=True, exclude=_NOT_FACTS)
    facts = {to_camel(key) if "_" in key else key: _without_nulls(value) for key, value in dumped.items()}
    first = {key: facts[key] for key in _FIRST_FACTS if key in facts}
    return {key: value for key, value in (first | facts).items() if value or not names_url(key)}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(part) for key, part in value.items() if part is not None}
    if isinstance(value, list):
        return [_without_nulls(part) for part in value if part is not None]
    return value


def _label(item: Item, say: Say, *, explained: bool) -> str:
    if isinstance(item, Parcel):
        facts = [_explained(item.kind, say) if explained else kind_of(item.kind, say)]
        if is_in_other_register(item):
            facts.append(say("parcel_register", name=item.land_register))
        named = {"egrid": item.egrid, "short": _short_label(item, say), "municipality": item.municipality}
        return say("parcel_choice", **named, facts=", ".join(facts))
    if isinstance(item, LayerGroup):
        return say("group", label=layer_name(item, say))
    return title(item)


def _explained(kind: str, say: Say) -> str:
    """What a kind of real estate is; not everybody knows that it may be a right."""
    meaning = f"means_{kind.casefold()}"
    named = kind_of(kind, say)
    return f"{named}: {say(meaning)}" if text.knows(meaning) else named


def _short_label(item: Item, say: Say) -> str:
    if isinstance(item, Parcel):
        return say("parcel_short", number=item.number)
    return short(title(item))


def labels(items: Sequence[Item], say: Say) -> list[str]:
    """No two are the same: those that would be have a difference behind them, or in the end a number."""
    kinds = {item.kind for item in items if isinstance(item, Parcel)}
    labels = [_label(item, say, explained=len(kinds) > 1) for item in items]
    for repeated in [label for label, times in Counter(labels).items() if times > 1]:
        places = [n for n, label in enumerate(labels) if label == repeated]
        for n, difference in zip(places, _differences([items[n] for n in places], say), strict=True):
            if difference:
                labels[n] = f"{repeated} ({difference})"
    return _numbered(labels)


def _differences(items: Sequence[Item], say: Say) -> list[str]:
    """For each item what it alone has; empty strings when no fact differs."""
    candidates = [[_fact(item, name, say) for item in items] for name in _DIFFERENCES]
    candidates.append([_type_name(item, say) for item in items])
    candidates.append([_coordinate(item) for item in items])
    candidates.append([plain(item.id) for item in items])
    for values in candidates:
        if all(values) and len(set(values)) == len(values):
            return values
    return [""] * len(items)


def _fact(item: Item, name: str, say: Say) -> str:
    value = getattr(item, name, None)
    if name == "kind" and isinstance(value, str):
        return kind_of(value, say)
    return str(value) if isinstance(value, str | int) else ""


def _type_name(item: Item, say: Say) -> str:
    key = f"type_{item.type}"
    return say(key) if text.knows(key) else ""


def _coordinate(item: Item) -> str:
    point = point_of(item)
    return "" if point is None else coordinate(*point)


def _numbered(labels: Sequence[str]) -> list[str]:
    given: list[str] = []
    for label in labels:
        variants = (f"{label} ({n})" for n in count(2))
        given.append(next(variant for variant in chain([label], variants) if variant not in given))
    return given
