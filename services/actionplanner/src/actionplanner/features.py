"""Features of layers: what a question over them has come to, and how one of them is told."""

import re

from contracts.actions import MapAction
from contracts.items import Attribute, Feature, FeatureSet, Item
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
_COMMA = re.compile(r",? +")
_MAX_CHARS = 120
"""Of a label, a name or a value, in one line."""
_ZOOM = 16
_POINT_ZOOM = 17


def feature(item: Item, say: Say) -> Reply | None:
    """One feature of a layer, alone."""
    if not isinstance(item, Feature):
        return None
    told = say("feature", layer=one_line(item.layer_label), told=feature_line(item))
    drawn = highlight(f"feature-highlight-{item.id}", item)
    drawn = drawn or marker(f"feature-{item.id}", item, short(title(item)))
    actions = frame_all([item], _POINT_ZOOM) + drawn
    return Reply(with_sources(told, [item], say), actions)


def feature_set(item: Item, request: ActionPlanRequested, say: Say) -> Reply | None:
    """The number in the words of the tool, then the first few; zero is an answer.

    The map goes there, unless what was asked for is what is in sight.
    """
    if not isinstance(item, FeatureSet):
        return None
    what = one_line(item.label or item.layer_label)
    what = what[:1].upper() + what[1:]
    counted = request.outcome.message or say("features_counted", what=what, count=number(item.count))
    table_id = f"features-{item.layer}"
    if not item.features:
        actions = () if item.count else remove_table(table_id)
        return Reply(with_sources(counted, [item], say), actions)
    table = add_table(table_id, what, item.features, count=item.count, provenance=item.provenance)
    drawn = rows_of(table)
    cut = say("features_drawn", count=number(drawn)) if drawn < len(item.features) else ""
    told = "\n\n".join(filter(None, [counted, _list(item, say), cut]))
    return Reply(with_sources(told, [item], say), _view(item, request) + table)


def _view(item: FeatureSet, request: ActionPlanRequested) -> tuple[MapAction, ...]:
    if len(item.features) > 1:
        return () if request.args.get("extent") else frame_all(item.features, _ZOOM)
    return () if is_in_sight(item.features[0], request.view) else frame_all(item.features, _POINT_ZOOM)


def _list(item: FeatureSet, say: Say) -> str:
    first = item.features[:MAX_LISTED]
    intro = say("features_first", count=len(first)) if len(first) < len(item.features) else ""
    told = (f"- {feature_line(each, at_most=_LISTED_ATTRIBUTES)}" for each in first)
    return "\n".join(filter(None, [intro, *told]))


def feature_line(item: Feature, *, at_most: int | None = None) -> str:
    """Its label with its attributes, without what the label says already."""
    label = one_line(title(item))
    told = [each for each in item.attributes if not _is_in(one_line(str(each.value)), label)]
    facts = "; ".join(map(_fact, told[:at_most]))
    return f"**{label}** ({facts})" if facts else f"**{label}**"


def _is_in(value: str, label: str) -> bool:
    """Whether a label says a value already, as whole words; an empty one is always said."""
    said, words = (f" {_COMMA.sub(' ', each)} " for each in (label, value))
    return words in said or not value


def _fact(attribute: Attribute) -> str:
    return f"{one_line(attribute.name)}: {one_line(amount(attribute.value, attribute.unit))}"


def one_line(words: str) -> str:
    return line(words, _MAX_CHARS)
