"""From hits to what a user is told."""

from collections.abc import Mapping

from contracts.intents import Intent, spec_of
from contracts.items import (
    Address,
    CadastralPlan,
    Coord,
    Coordinates,
    GeothermalAssessment,
    Height,
    ItemBase,
    Layer,
    LayerGroup,
    Municipality,
    Parcel,
    Place,
)
from contracts.markdown import line
from contracts.messages import Outcome
from contracts.status import Status
from servicekit.wording import language
from swissgeo.lv95 import to_lv03, to_wgs84

from tools_geo.coordinates import place_at
from tools_geo.gateways import Found, Remark
from tools_geo.texts import text
from tools_geo.vocabulary import Samples, shown

_INTENTS = {
    "addresses": Intent.GOTO_ADDRESS,
    "layers": Intent.LOAD_LAYER,
    "parcel_number": Intent.SHOW_PARCEL,
    "parcel_egrid": Intent.SHOW_PARCEL,
    "parcel_xy": Intent.IDENTIFY,
    "height": Intent.HEIGHT_QUERY,
    "geothermal": Intent.GEOTHERMAL_PROBE_ASSESSMENT,
    "plan": Intent.CADASTRAL_PLAN,
}
"""Whose example says how to ask; what is not here is a place."""
_MAX_ASKED_CHARS = 80
"""Of what was asked for, where nothing was found."""


class Answers:
    """`samples` are named where a question could be put better."""

    def __init__(self, samples: Samples) -> None:
        self._examples = {
            "addresses": samples.address,
            "municipalities": samples.municipality,
            "places": samples.place,
            "layers": samples.layer,
            "parcel_xy": shown(samples.at_parcel),
            "height": shown(samples.height),
            "geothermal": shown(samples.geothermal),
        }
        self._samples = samples

    def about_addresses(self, found: Found[Address], q: str) -> Outcome:
        return self._outcome(found, _counted(found, "address_found", "addresses_found"), "addresses", q=q)

    def about_municipalities(self, found: Found[Municipality | Place], q: str) -> Outcome:
        keys = ("municipality_found", "municipalities_found")
        if any(isinstance(item, Place) for item in found.items):
            keys = ("place_found", "places_found")
        return self._outcome(found, _counted(found, *keys), "municipalities", q=q)

    def about_places(self, found: Found[Place], q: str) -> Outcome:
        return self._outcome(found, _counted(found, "place_found", "places_found"), "places", q=q)

    def about_layers(self, found: Found[Layer | LayerGroup], query: str) -> Outcome:
        if found.remark is Remark.LAYER_NOT_LOADABLE:
            return Outcome(status=Status.NEEDS_CLARIFICATION, message=text(found.remark, **found.values))
        if found.remark is Remark.MORE_LAYERS:
            at_least = {} if found.is_all else {"found": text("at_least", **found.values)}
            return Outcome(items=found.items, message=text(found.remark, **{**found.values, **at_least}))
        if found.confirm:
            question = text("layer_confirm", query=line(query, _MAX_ASKED_CHARS), label=found.items[0].label)
            return Outcome(items=found.items, message=question, confirm=True)
        message = text("layer_found" if len(found.items) == 1 else "layers_found")
        return self._outcome(found, message, "layers", query=query)

    def about_parcels_by_number(self, found: Found[Parcel], number: str, municipality: str) -> Outcome:
        return self._outcome(
            found, _parcels(found), "parcel_number", number=number, municipality=municipality
        )

    def about_parcels_by_egrid(self, found: Found[Parcel], egrid: str) -> Outcome:
        return self._outcome(found, _parcels(found), "parcel_egrid", egrid=egrid)

    def about_parcels_by_xy(self, found: Found[Parcel], x: float, y: float) -> Outcome:
        return self._outcome(found, _parcels(found), "parcel_xy", x=f"{x:.10g}", y=f"{y:.10g}")

    def about_height(self, found: Found[Height], x: float, y: float) -> Outcome:
        return self._outcome(found, text("height_found"), "height", x=f"{x:.10g}", y=f"{y:.10g}")

    def about_coordinates(self, point: Coord) -> Outcome:
        """Arithmetic: there is no source, and every point has them."""
        lv03, wgs84 = to_lv03(point), to_wgs84(point)
        label = f"{point[0]:.0f} / {point[1]:.0f}"
        origin = place_at(point).provenance
        found = Coordinates(id=label, label=label, coord=point, lv03=lv03, wgs84=wgs84, provenance=origin)
        old, degrees = f"{lv03[0]:.0f} / {lv03[1]:.0f}", f"{wgs84[1]:.5f}, {wgs84[0]:.5f}"
        return Outcome(items=(found,), message=text("coordinates", lv95=label, lv03=old, wgs84=degrees))

    def about_geothermal(self, found: Found[GeothermalAssessment], x: float, y: float) -> Outcome:
        return self._outcome(found, text("geothermal_found"), "geothermal", x=f"{x:.10g}", y=f"{y:.10g}")

    def about_plan(self, found: Found[CadastralPlan]) -> Outcome:
        return self._outcome(found, text("plan_found"), "plan")

    def _outcome(self, found: Found[ItemBase], message: str, asked_for: str, **asked: str) -> Outcome:
        """The hits with a message; without hits a question back: what is missing, and why, or how to ask.

        `asked_for` begins the keys of the texts for a question without an answer.
        """
        remark = []
        if found.remark:
            example = self._example(asked_for, in_sample=found.remark is Remark.SAMPLE_DATA)
            remark = [text(found.remark, example=example, **found.values)]
        if found.items:
            more = len(found.items) > 1 and not found.is_all
            note = f"{text('more')} {text(f'{asked_for}_narrow')}" if more else ""
            # Why the hits are others than asked for comes before how many they are.
            told = " ".join(filter(None, [*remark, message, note]))
            return Outcome(items=found.items, message=told, note=note)
        named = {name: line(value, _MAX_ASKED_CHARS) for name, value in asked.items()}
        none = text(f"{asked_for}_none", **named) if found.is_all else text("none_of_many")
        reason = [*remark, *_nearest(found)] or [text(f"{asked_for}_hint", example=self._example(asked_for))]
        message = " ".join([none, *reason])
        near = [_subject(asked_for, name, named) for name in (found.nearest, found.second_nearest) if name]
        sample = self._sample(asked_for)
        tried = [*near, sample] if f"«{sample}»" in message else near
        return Outcome(
            status=Status.NEEDS_CLARIFICATION,
            message=message,
            suggestions=tuple(_sentence(asked_for, subject) for subject in tried),
        )

    def _sample(self, asked_for: str) -> str:
        return self._examples.get(asked_for, self._samples.parcel())

    def _example(self, asked_for: str, *, in_sample: bool = False) -> str:
        """The end of a hint; nothing where the data have nothing to name."""
        example = self._sample(asked_for)
        key = "for_example_in_sample" if in_sample else "for_example"
        return text(key, example=example) if example else ""


def _subject(asked_for: str, nearest: str, asked: Mapping[str, str]) -> str:
    """What is near to a parcel is the name of its municipality."""
    if asked_for != "parcel_number":
        return nearest
    return text("example_parcel", number=asked["number"], municipality=nearest)


def _sentence(asked_for: str, subject: str) -> str:
    """What to say about something that the data have, to be answered by the same tool."""
    spec = spec_of(_INTENTS.get(asked_for, ""))
    return spec.sentence(language(), subject) if spec else text("suggest_place", name=subject)


def _nearest(found: Found[ItemBase]) -> list[str]:
    if found.second_nearest:
        return [text("nearest_two", first=found.nearest, second=found.second_nearest)]
    return [text("nearest", name=found.nearest)] if found.nearest else []


def _counted(found: Found[ItemBase], one: str, many: str) -> str:
    return text(one if len(found.items) == 1 else many, n=len(found.items))


def _parcels(found: Found[Parcel]) -> str:
    return text("parcel_found" if len(found.items) == 1 else "parcels_found")
