"""Features of layers: what a question over them has come to, and how one of them is told."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from contracts.actions import MapAction, SetView
from contracts.items import Aggregate, Attribute, Feature, FeatureSet, Item
from contracts.markdown import line
from contracts.messages import ActionPlanRequested
from servicekit.wording import Say

from actionplanner.origins import with_sources
from actionplanner.places import frame_all, highlight, is_in_sight, marker
from actionplanner.reply import Reply
from actionplanner.tables import add_table, remove_table, rows_of
from actionplanner.wording import amount, number, short, title

MAX_LISTED = 5
_LISTED_ATTRIBUTES = 4
_MAX_CHARS = 120
"""Of a label, a name or a value, in one line."""
_ZOOM = 16
_POINT_ZOOM = 17
_COMPUTED = ("area", "length", "distance")
"""What features can be ordered by without having an attribute of that name."""


def feature(item: Item, say: Say) -> Reply | None:
    """One feature of a layer, alone."""
    if not isinstance(item, Feature):
        return None
    told = say("feature", layer=one_line(item.layer_label), told=feature_line(item))
    drawn = highlight(f"feature-highlight-{item.id}", item)
    drawn = drawn or marker(f"feature-{item.id}", item, short(title(item)))
    actions = frame_all([item], _POINT_ZOOM) + drawn
    return Reply(with_sources(told, [item], say), actions)


def feature_set(item: Item, say: Say) -> Reply | None:
    """Without the words of the question."""
    return _told(item, {}, "", say) if isinstance(item, FeatureSet) else None


def query_features(item: Item, request: ActionPlanRequested, say: Say) -> Reply | None:
    """The map goes there, unless what was asked for is what is in sight."""
    if not isinstance(item, FeatureSet):
        return None
    reply = _told(item, request.args, request.outcome.note, say)
    stays = "extent" in request.args
    if len(item.features) == 1:
        stays = stays or is_in_sight(item.features[0], request.view)
    kept = tuple(action for action in reply.actions if not (stays and isinstance(action, SetView)))
    return replace(reply, actions=kept)


def _told(item: FeatureSet, asked: Mapping[str, Any], note: str, say: Say) -> Reply:
    """The number first, then what was asked about all of them, then the first few."""
    what, table_id = _what(item, asked, say), f"features-{item.layer}"
    if not item.count:
        none = say("features_none", what=what)
        return Reply(_paragraphs([none, note], item, say), remove_table(table_id))
    actions: tuple[MapAction, ...] = ()
    if item.features:
        actions = frame_all(item.features, _ZOOM if len(item.features) > 1 else _POINT_ZOOM)
        actions += add_table(
            table_id, one_line(what), item.features, count=item.count, provenance=item.provenance
        )
    drawn = rows_of(actions)
    is_cut = MAX_LISTED < drawn < item.count
    counted = say("features_counted", what=what, count=number(item.count))
    told = [
        f"{counted} {_aggregate(item.aggregate, say)}".rstrip(),
        _list(item, asked, say),
        say("features_drawn", count=number(drawn)) if is_cut else "",
        note,
    ]
    return Reply(_paragraphs(told, item, say), actions)


def _paragraphs(told: Sequence[str], item: FeatureSet, say: Say) -> str:
    return with_sources("\n\n".join(filter(None, told)), [item], say)


def _what(item: FeatureSet, asked: Mapping[str, Any], say: Say) -> str:
    """The layer, the place, and the conditions."""
    conditions = "; ".join(_conditions(asked.get("where"), say))
    parts = [one_line(item.layer_label), one_line(item.area), f"({conditions})" if conditions else ""]
    return " ".join(filter(None, parts))


def _conditions(where: Any, say: Say) -> Iterator[str]:
    for each in where if isinstance(where, list | tuple) else ():
        if not isinstance(each, dict):
            continue
        name = one_line(_attribute(str(each.get("attribute") or ""), say))
        value = one_line(str(each.get("value", "")))
        operator = str(each.get("operator") or "=")
        key = "where_contains" if operator == "contains" else "where"
        yield say(key, name=name, operator=_SIGNS.get(operator, "="), value=value)


_SIGNS = {"=": "=", "<": "<", "<=": "≤", ">": ">", ">=": "≥"}


def _aggregate(aggregate: Aggregate | None, say: Say) -> str:
    if aggregate is None or aggregate.function == "count":
        return ""
    value = amount(aggregate.value, aggregate.unit)
    attribute = one_line(_attribute(aggregate.attribute, say))
    return say(f"aggregate_{aggregate.function}", attribute=attribute, value=value)


def _list(item: FeatureSet, asked: Mapping[str, Any], say: Say) -> str:
    """The first features, in the order that was asked for."""
    first = item.features[:MAX_LISTED]
    order = str(asked.get("order") or "") if first else ""
    intro = _order(order, len(first), say) if order and item.count > 1 else ""
    if first and not intro and len(first) < item.count:
        intro = say("features_first", count=len(first))
    told = (f"- {feature_line(each, ahead=order.lstrip('-'), at_most=_LISTED_ATTRIBUTES)}" for each in first)
    return "\n".join(filter(None, [intro, *told]))


def _order(order: str, count: int, say: Say) -> str:
    name = order.lstrip("-")
    way = ("far" if order.startswith("-") else "near") if name == "distance" else None
    way = way or ("desc" if order.startswith("-") else "asc")
    key = "first" if count == 1 else "ordered"
    return say(f"{key}_{way}", attribute=one_line(_attribute(name, say)))


def _attribute(name: str, say: Say) -> str:
    """Its name; of what is computed, in the language of the answer."""
    return say(f"attribute_{name}") if name in _COMPUTED else name


def feature_line(item: Feature, *, ahead: str = "", at_most: int | None = None) -> str:
    """Its label with its attributes, that of the name `ahead` first."""
    told = [each for each in item.attributes if one_line(str(each.value)) not in ("", one_line(title(item)))]
    told.sort(key=lambda each: each.name.casefold() != ahead.casefold())
    facts = "; ".join(map(_fact, told[:at_most]))
    label = f"**{one_line(title(item))}**"
    return f"{label} ({facts})" if facts else label


def _fact(attribute: Attribute) -> str:
    return f"{one_line(attribute.name)}: {one_line(amount(attribute.value, attribute.unit))}"


def one_line(words: str) -> str:
    return line(words, _MAX_CHARS)
