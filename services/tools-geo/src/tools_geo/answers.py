"""From hits to what a user is told."""

from collections.abc import Sequence

from contracts.items import Address, ItemBase, Layer, LayerGroup, Municipality, Parcel, Place
from contracts.messages import Outcome
from contracts.status import Status

from tools_geo.gateways import Found
from tools_geo.texts import text


def about_addresses(found: Found[Address]) -> Outcome:
    return _outcome(found, text("addresses_found", n=len(found.items)), ("addresses_none", "addresses_hint"))


def about_municipalities(found: Found[Municipality | Place]) -> Outcome:
    count = len(found.items)
    if any(isinstance(item, Place) for item in found.items):
        message = text("places_found", n=count)
    else:
        message = text("municipality_found" if count == 1 else "municipalities_found", n=count)
    return _outcome(found, message, ("municipalities_none", "municipalities_hint"))


def about_places(found: Found[Place]) -> Outcome:
    return _outcome(found, text("places_found", n=len(found.items)), ("places_none", "places_hint"))


def about_layers(found: Found[Layer | LayerGroup], query: str) -> Outcome:
    message = text("layer_found" if len(found.items) == 1 else "layers_found")
    return _outcome(found, message, ("layers_none", "layers_hint"), query=query)


def about_parcels_by_number(found: Found[Parcel], number: str, municipality: str) -> Outcome:
    none = ("parcel_number_none", "parcel_number_hint")
    return _outcome(found, _parcels(found), none, number=number, municipality=municipality)


def about_parcels_by_egrid(found: Found[Parcel], egrid: str) -> Outcome:
    return _outcome(found, _parcels(found), ("parcel_egrid_none", "parcel_egrid_hint"), egrid=egrid)


def about_parcels_by_xy(found: Found[Parcel], x: float, y: float) -> Outcome:
    return _outcome(
        found, _parcels(found), ("parcel_xy_none", "parcel_xy_hint"), x=f"{x:.10g}", y=f"{y:.10g}"
    )


def _parcels(found: Found[Parcel]) -> str:
    return text("parcel_found" if len(found.items) == 1 else "parcels_found")


def _outcome(found: Found[ItemBase], message: str, none: Sequence[str], **asked: str) -> Outcome:
    """The hits with a message; without hits a question back, what was looked for and how to ask better."""
    remark = [text(found.remark, **found.values)] if found.remark else []
    if found.items:
        # Why the hits are others than asked for comes before how many they are.
        return Outcome(items=found.items, message=" ".join([*remark, message]))
    nothing, hint = none
    sentences = [text(nothing, **asked), *remark, text(hint)]
    return Outcome(status=Status.NEEDS_CLARIFICATION, message=" ".join(sentences))
