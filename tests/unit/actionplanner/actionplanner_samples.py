"""What the tests of the action planner ask it with, and how they read the answer."""

from datetime import UTC, datetime
from typing import Any, Literal

from contracts.chat import Step
from contracts.items import (
    Address,
    Attribute,
    Feature,
    FeatureSet,
    Item,
    Layer,
    LayerSource,
    Municipality,
    OerebExtract,
    Parcel,
    Provenance,
)
from contracts.messages import ActionPlanRequested, Outcome
from contracts.session import LoadedLayer, MapView
from contracts.status import Status

from actionplanner.planning import plan

OUTLINE: dict[str, Any] = {
    "type": "Polygon",
    "coordinates": [[[2600480, 1215440], [2600480, 1215520], [2600560, 1215520], [2600480, 1215440]]],
}

ADDRESS = Address(
    id="7568",
    label="Langendorfstrasse 19b, 4500 Solothurn",
    coord=(2609767.1, 1228437.4),
    street="Langendorfstrasse",
    house_number="19b",
    postal_code="4500",
    locality="Solothurn",
)
GRENCHEN = Municipality(
    id="2546",
    label="Grenchen",
    coord=(2596632, 1227042),
    extent=(2592561, 1223174, 2599482, 1232183),
    name="Grenchen",
    bfs_number=2546,
)
PARCEL = Parcel(
    id="p1",
    label="Grundstück 198 Messen",
    coord=(2600513, 1215519),
    confidence=0.91,
    egrid="CH955832730623",
    number="198",
    municipality="Messen",
)
BUILDING_RIGHT = Parcel(
    id="p2",
    label="Baurecht 531 Messen",
    coord=(2600520, 1215525),
    confidence=0.78,
    egrid="CH710620327442",
    number="531",
    municipality="Messen",
    kind="Baurecht",
)


NOON = datetime(2026, 11, 20, 11, 0, tzinfo=UTC)
SAMPLE = Provenance(source="Umweltamt", license="Frei", retrieved_at=NOON, sample=True)
VIEW = MapView(center=(2600000, 1215000), extent=(2599000, 1214000, 2601000, 1216000), scale=10000)


def attributes(**values: str | int | float | tuple[float, str]) -> tuple[Attribute, ...]:
    """By name, a number with its unit as a pair."""
    pairs = ((name, value if isinstance(value, tuple) else (value, None)) for name, value in values.items())
    return tuple(Attribute(name=name, value=value, unit=unit) for name, (value, unit) in pairs)


def site(n: int, **more: Any) -> Feature:
    given: dict[str, Any] = {
        "id": str(n),
        "label": f"Deponie {n}, Olten",
        "layer": "ch.so.altlasten",
        "layer_label": "Altlasten",
        "attributes": attributes(Nummer=f"M-{n}", Fläche=(1000.0 * n, "m²")),
        "geometry": {"type": "Point", "coordinates": [2635000 + 10 * n, 1244000]},
    }
    return Feature(**(given | more))


def sites(*features: Feature, **more: Any) -> FeatureSet:
    given: dict[str, Any] = {
        "id": "ch.so.altlasten",
        "label": "Belastete Standorte in Olten",
        "layer": "ch.so.altlasten",
        "layer_label": "Altlasten",
        "area": "in Olten",
        "count": len(features),
        "features": features,
    }
    return FeatureSet(**(given | more))


def as_found(address: Address, match: Literal["exact", "fuzzy"], confidence: float) -> Address:
    """The address as a tool finds it, so well."""
    provenance = Provenance(
        source="s", license="l", retrieved_at=datetime(2026, 1, 1, tzinfo=UTC), match=match
    )
    return address.model_copy(update={"provenance": provenance, "confidence": confidence})


EXTRACT = OerebExtract(
    id="e1",
    label="ÖREB-Auszug für CH1234567891011",
    coord=(2600513, 1215519),
    egrid="CH1234567891011",
    pdf_url="https://oereb.example/extract/CH1234567891011.pdf",
)


def layer(layer_id: str, label: str, url: str = "https://wmts.example/gws", **more: Any) -> Layer:
    return Layer(id=layer_id, label=label, source=LayerSource(type="wmts", url=url), **more)


def request(
    intent: str,
    *items: Item,
    status: Status = Status.OK,
    message: str = "",
    note: str = "",
    args: dict[str, Any] | None = None,
    choose: bool = False,
    again: bool = False,
    confirm: bool = False,
    loaded: tuple[LoadedLayer, ...] = (),
    view: MapView | None = None,
    language: str = "de",
) -> ActionPlanRequested:
    """As it comes from the bus: what others have found is sanitised when it is read."""
    asked = ActionPlanRequested(
        request_id="req-1",
        session_id="s-1",
        deadline=datetime(2030, 1, 1, tzinfo=UTC),
        language=language,
        step=2,
        intent=intent,
        args=args or {},
        outcome=Outcome(status=status, items=items, message=message, note=note, again=again, confirm=confirm),
        choose=choose,
        layers=loaded,
        view=view,
    )
    return ActionPlanRequested.model_validate(asked.model_dump())


def answer(intent: str, *items: Item, **more: Any) -> Step:
    return plan(request(intent, *items, **more))[0]


def as_json(contract: Any) -> Any:
    return contract.model_dump(mode="json", by_alias=True, exclude_none=True)


def actions(step: Step) -> list[Any]:
    return [as_json(action) for action in step.map_actions]


def kinds(step: Step) -> list[str]:
    return [action.type for action in step.map_actions]
