"""What is known of a point: where it is, and what each layer has there."""

from collections.abc import Iterator, Sequence

from contracts.actions import MapAction
from contracts.items import Address, Feature, Height, Item, ItemBase, Parcel
from contracts.messages import ActionPlanRequested
from servicekit.wording import Say

from actionplanner.features import feature_line, one_line
from actionplanner.origins import with_sources
from actionplanner.parcels import area, parcel_name
from actionplanner.places import bounds_of, centre, highlight, is_in_sight, marker, point_of
from actionplanner.reply import Reply
from actionplanner.tables import add_table, remove_table
from actionplanner.templates import height_of
from actionplanner.wording import coordinate, short, title

Known = Address | Parcel | Height | Feature
"""What is told of a place."""
HERE = "here"
"""Id of the marker, and of the table."""
_ZOOM = 17
_MAX_FEATURES = 8
"""Of one layer, in words."""
_MAX_ATTRIBUTES = 8


def identify(request: ActionPlanRequested, items: Sequence[Item], say: Say) -> Reply:
    """Which layers have nothing there, and who has not answered, is what the tool notes."""
    place = _place(request, items)
    point = point_of(place)
    features = [item for item in items if isinstance(item, Feature)]
    head = " · ".join(_head(items, say)) or (coordinate(*point) if point else "")
    layers = "\n".join(_layers(features, say))
    told = "\n\n".join(filter(None, [head, layers, request.outcome.note]))
    view = () if is_in_sight(place, request.view) else centre(place, _ZOOM)
    actions = view + marker(HERE, place, _marker_label(items, head, say)) + _outlines(items)
    return Reply(with_sources(told, items, say), actions + _table(features, say))


def _place(request: ActionPlanRequested, items: Sequence[Item]) -> ItemBase:
    """What was asked about; a height is of exactly that point."""
    x, y = request.args.get("x"), request.args.get("y")
    asked = ItemBase(id=HERE, label="", coord=(x, y)) if _are_numbers(x, y) else None
    exact_first = sorted(items, key=lambda item: isinstance(item, Address | Parcel | Feature))
    located = (point_of(item) for item in (asked, *exact_first) if item is not None)
    return ItemBase(id=HERE, label="", coord=next(filter(None, located), None))


def _are_numbers(*values: object) -> bool:
    return all(isinstance(value, int | float) for value in values)


def _head(items: Sequence[Item], say: Say) -> Iterator[str]:
    """Address, parcels, height."""
    is_addressed = False
    for item in items:
        if isinstance(item, Address):
            is_addressed = True
            yield one_line(title(item))
        elif isinstance(item, Parcel):
            named = parcel_name(item, say, with_municipality=not is_addressed)
            yield ", ".join(filter(None, [named, area(item, say)]))
        elif isinstance(item, Height):
            yield height_of(item, say)


def _layers(features: Sequence[Feature], say: Say) -> Iterator[str]:
    """An entry for each layer, in their order."""
    by_layer: dict[str, list[Feature]] = {}
    for each in features:
        by_layer.setdefault(each.layer, []).append(each)
    for found in by_layer.values():
        label = one_line(found[0].layer_label)
        told = [feature_line(each, at_most=_MAX_ATTRIBUTES) for each in found[:_MAX_FEATURES]]
        if len(told) == 1:
            yield f"- {label}: {told[0]}"
            continue
        yield f"- {label}:"
        if more := len(found) - len(told):
            told.append(say("features_more", count=more))
        yield from (f"    - {each}" for each in told)


def _marker_label(items: Sequence[Item], head: str, say: Say) -> str:
    for item in items:
        if isinstance(item, Address):
            return short(title(item))
        if isinstance(item, Parcel):
            return parcel_name(item, say, with_municipality=False)
    return head


def _outlines(items: Sequence[Item]) -> tuple[MapAction, ...]:
    parcels = (item for item in items if isinstance(item, Parcel))
    drawn = (highlight(f"parcel-highlight-{parcel.egrid}", parcel) for parcel in parcels)
    return tuple(action for actions in drawn for action in actions)


def _table(features: Sequence[Feature], say: Say) -> tuple[MapAction, ...]:
    """What can be drawn; without any, what was found at another place goes."""
    drawn = [each for each in features if bounds_of(each.geometry) is not None]
    if not drawn:
        return remove_table(HERE)
    layers = dict.fromkeys(each.layer_label for each in drawn)
    several = len(layers) > 1
    label = say("features_here") if several else one_line(next(iter(layers)))
    same = drawn[0].provenance if all(each.provenance == drawn[0].provenance for each in drawn) else None
    column = say("column_layer") if several else None
    return add_table(HERE, label, drawn, layer_column=column, provenance=same)
