"""From hits to what a user is told."""

from contracts.items import (
    Address,
    CadastralPlan,
    GeothermalAssessment,
    Height,
    ItemBase,
    Layer,
    LayerGroup,
    Municipality,
    Parcel,
    Place,
)
from contracts.messages import Outcome
from contracts.status import Status

from tools_geo.gateways import Found, Remark
from tools_geo.texts import text


def about_addresses(found: Found[Address]) -> Outcome:
    return _outcome(found, text("addresses_found", n=len(found.items)), "addresses")


def about_municipalities(found: Found[Municipality | Place]) -> Outcome:
    count = len(found.items)
    if any(isinstance(item, Place) for item in found.items):
        message = text("places_found", n=count)
    else:
        message = text("municipality_found" if count == 1 else "municipalities_found", n=count)
    return _outcome(found, message, "municipalities")


def about_places(found: Found[Place]) -> Outcome:
    return _outcome(found, text("places_found", n=len(found.items)), "places")


def about_layers(found: Found[Layer | LayerGroup], query: str) -> Outcome:
    if found.remark is Remark.LAYER_NOT_LOADABLE:
        return Outcome(status=Status.NEEDS_CLARIFICATION, message=text(found.remark, **found.values))
    if found.remark is Remark.MORE_LAYERS:
        return Outcome(items=found.items, message=text(found.remark, **found.values))
    message = text("layer_found" if len(found.items) == 1 else "layers_found")
    return _outcome(found, message, "layers", query=query)


def about_parcels_by_number(found: Found[Parcel], number: str, municipality: str) -> Outcome:
    return _outcome(found, _parcels(found), "parcel_number", number=number, municipality=municipality)


def about_parcels_by_egrid(found: Found[Parcel], egrid: str) -> Outcome:
    return _outcome(found, _parcels(found), "parcel_egrid", egrid=egrid)


def about_parcels_by_xy(found: Found[Parcel], x: float, y: float) -> Outcome:
    return _outcome(found, _parcels(found), "parcel_xy", x=f"{x:.10g}", y=f"{y:.10g}")


def about_height(found: Found[Height], x: float, y: float) -> Outcome:
    return _outcome(found, text("height_found"), "height", x=f"{x:.10g}", y=f"{y:.10g}")


def about_geothermal(found: Found[GeothermalAssessment], x: float, y: float) -> Outcome:
    return _outcome(found, text("geothermal_found"), "geothermal", x=f"{x:.10g}", y=f"{y:.10g}")


def about_plan(found: Found[CadastralPlan]) -> Outcome:
    return _outcome(found, text("plan_found"), "plan")


def _parcels(found: Found[Parcel]) -> str:
    return text("parcel_found" if len(found.items) == 1 else "parcels_found")


def _outcome(found: Found[ItemBase], message: str, asked_for: str, **asked: str) -> Outcome:
    """The hits with a message; without hits a question back: what is missing, and why or how to ask better.

    `asked_for` begins the keys of the texts for a question without an answer.
    """
    example = text(f"{asked_for}_example")
    remark = [text(found.remark, example=example, **found.values)] if found.remark else []
    if found.items:
        # Why the hits are others than asked for comes before how many they are.
        return Outcome(items=found.items, message=" ".join([*remark, message]))
    reason = remark or [text(f"{asked_for}_hint", example=example)]
    sentences = [text(f"{asked_for}_none", **asked), *reason]
    return Outcome(status=Status.NEEDS_CLARIFICATION, message=" ".join(sentences))
