"""One template a kind of thing: the message and the map actions for the one that was found.

A template answers None when the item is none of its types or has nothing that it could show.
"""

from collections.abc import Callable

from contracts.actions import Extract, ShowOerebExtract
from contracts.intents import Intent
from contracts.items import (
    Address,
    CadastralPlan,
    Distance,
    GeothermalAssessment,
    Height,
    Item,
    Layer,
    LayerGroup,
    Municipality,
    OerebExtract,
    Parcel,
    Place,
)
from contracts.messages import ActionPlanRequested
from servicekit.wording import Say

from actionplanner.here import place
from actionplanner.layers import add_layers, layer_name, layers_of, opacity_in, set_opacity
from actionplanner.origins import expiry, is_estimate, with_source, with_sources
from actionplanner.parcels import area, is_computed
from actionplanner.places import centre, extent_of, frame, frame_all, highlight, marker, point_of
from actionplanner.reply import Reply, ask, fail
from actionplanner.wording import (
    coordinate,
    is_doubtful,
    is_in_other_register,
    length,
    number,
    short,
    title,
)

Template = Callable[[Item, Say], Reply | None]

_ADDRESS_ZOOM = 17
_PARCEL_ZOOM = 18
_MUNICIPALITY_ZOOM = 13
_PLACE_ZOOM = 14
_CLOSEST_ZOOM = 18
_COORDINATE = "koordinate"
_ZOOM_OF_KIND = {
    "kanton": 9,
    "bezirk": 11,
    "gemeinde": 13,
    "flurname": 16,
    "haltestelle": 17,
    "gebäude": 17,
    _COORDINATE: 17,
}


def goto_address(item: Item, say: Say) -> Reply | None:
    if not isinstance(item, Address) or point_of(item) is None:
        return None
    actions = centre(item, _ADDRESS_ZOOM) + marker(f"addr-{item.id}", item, title(item))
    key = "address_similar" if is_doubtful(item) else "address"
    return Reply(say(key, label=short(title(item))), actions)


def search_place(item: Item, say: Say) -> Reply | None:
    if point_of(item) is None:
        return None
    if isinstance(item, Municipality):
        actions = frame(item, _MUNICIPALITY_ZOOM) + highlight(f"municipality-highlight-{item.id}", item)
        return Reply(say("municipality", name=item.name), actions)
    if isinstance(item, Place):
        view = frame(item, _ZOOM_OF_KIND.get(item.kind.casefold(), _PLACE_ZOOM))
        # A marker in the middle of an area points at nothing.
        is_area = item.coord is None and item.extent is not None
        actions = view if is_area else view + marker(f"place-{item.id}", item, title(item))
        key = "coordinate_centred" if item.kind.casefold() == _COORDINATE else "place"
        return Reply(say(key, label=short(title(item))), actions)
    return None


def load_layer(item: Item, request: ActionPlanRequested, say: Say) -> Reply | None:
    """As opaque as it is wanted: `Lade den Wald, aber nur 40 % deckend`."""
    if not isinstance(item, Layer | LayerGroup):
        return None
    name, actions = layer_name(item, say), add_layers(item)
    if not actions:
        return fail(say("layer_unusable", label=name))
    told = say("layer_quoted" if " " in name else "layer", name=name)
    opacity = opacity_in(request.args) if request.intent == Intent.LOAD_LAYER else None
    if opacity is None:
        return Reply(told, actions)
    faded = tuple(set_opacity(action.payload.id, opacity) for action in actions)
    percent = say("opacity_set", percent=round(100 * opacity), labels=f"«{name}»")
    return Reply(f"{told} {percent}", (*actions, *faded))


def show_parcel(item: Item, say: Say) -> Reply | None:
    if not isinstance(item, Parcel) or point_of(item) is None:
        return None
    register = say("parcel_register", name=item.land_register) if is_in_other_register(item) else ""
    facts = filter(None, [register, f"EGRID {item.egrid}", area(item, say)])
    key = "parcel" if item.municipality else "parcel_somewhere"
    message = say(key, number=item.number, municipality=item.municipality, facts=", ".join(facts))
    if is_computed(item):
        message = with_source(message, item, say)
    label = say("parcel_short", number=item.number)
    actions = frame(item, _PARCEL_ZOOM) + marker(f"parcel-{item.egrid}", item, label)
    return Reply(message, actions + highlight(f"parcel-highlight-{item.egrid}", item))


def oereb_extract(item: Item, say: Say) -> Reply | None:
    """What an extract says is told by the tool; see `planning`."""
    if not isinstance(item, OerebExtract):
        return None
    if not item.pdf_url and item.content is None:
        return fail(say("extract_unusable", egrid=item.egrid))
    same = {name: getattr(item, name) for name in Extract.model_fields if name != "url"}
    extract = Extract(url=item.pdf_url, **same)
    place = centre(item, _PARCEL_ZOOM) + marker(f"oereb-{item.egrid}", item, item.egrid)
    outline = highlight(f"oereb-highlight-{item.egrid}", item)
    key = "extract_unread" if item.content is None else "extract"
    return Reply(say(key, egrid=item.egrid), (*place, *outline, ShowOerebExtract(payload=extract)))


def geothermal_probe_assessment(item: Item, say: Say) -> Reply | None:
    if not isinstance(item, GeothermalAssessment):
        return None
    verdict = item.text or _geothermal_verdict(item, say)
    report = item.report_url
    message = f"{verdict}\n{say('report', url=report)}" if report else verdict
    actions = centre(item, _ADDRESS_ZOOM) + marker(f"geothermal-{item.id}", item, say("geothermal_marker"))
    return Reply(with_source(message, item, say), actions)


def _geothermal_verdict(item: GeothermalAssessment, say: Say) -> str:
    if not item.allowed:
        return say("geothermal_denied")
    if item.max_depth_m:
        return say("geothermal_allowed_depth", depth=number(item.max_depth_m))
    return say("geothermal_allowed")


def cadastral_plan(item: Item, say: Say) -> Reply | None:
    if not isinstance(item, CadastralPlan):
        return None
    url = item.url
    if not url:
        return fail(say("plan_unusable"))
    made = say("plan_scale", scale=number(item.scale)) if item.scale else say("plan")
    where = f"PDF: {url}"
    if item.expires_at is not None:
        where = say("plan_link_until", url=url, moment=expiry(item, item.expires_at, say))
    actions = frame(item, _PARCEL_ZOOM) + highlight(f"cadastral-plan-{item.id}", item)
    return Reply(with_source(f"{made}\n{where}", item, say), actions)


def height_query(item: Item, say: Say) -> Reply | None:
    if not isinstance(item, Height):
        return None
    height = height_of(item, say)
    there = with_source(height, item, say)
    point = point_of(item)
    if point is None:
        return Reply(with_source(say("height_only", height=height), item, say), told_there=there)
    message = say("height_at", place=coordinate(*point), height=height)
    actions = centre(item, _ADDRESS_ZOOM) + marker(f"height-{item.id}", item, height)
    return Reply(with_source(message, item, say), actions, told_there=there)


def height_of(item: Height, say: Say) -> str:
    return say("height_about" if is_estimate(item) else "height", height=number(item.height_m, decimals=1))


def distance(item: Item, request: ActionPlanRequested, say: Say) -> Reply | None:
    """Where it begins at a place that was not named, it says which that is."""
    if not isinstance(item, Distance):
        return None
    where = place(request)
    start = say(f"from_{where}") if where else item.start
    told = say("distance", start=start, end=item.end, length=length(item.metres))
    actions = frame(item, _ADDRESS_ZOOM) + highlight(f"distance-{item.id}", item)
    return Reply(with_sources(told, [item], say), actions)


def zoom_to_layer(item: Item, request: ActionPlanRequested, say: Say) -> Reply | None:
    """The view alone; whether the layer is loaded is said."""
    layers = layers_of(item)
    if not layers:
        return None
    name = layer_name(item, say)
    actions = frame_all([each for each in (item, *layers) if extent_of(each)], _CLOSEST_ZOOM)
    if not actions:
        return ask(say("no_extent", name=name))
    is_loaded = {layer.id for layer in request.layers} & {item.id, *(layer.id for layer in layers)}
    return Reply(say("zoomed" if is_loaded else "zoomed_unloaded", name=name), actions)
