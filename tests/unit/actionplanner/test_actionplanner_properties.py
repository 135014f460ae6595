"""Whatever is asked, the answer is a valid step that keeps the promises about its status."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from contracts.chat import Step, turn_of
from contracts.intents import OF_LOADED_LAYERS, Intent
from contracts.items import (
    KNOWN_TYPES,
    Address,
    Aggregate,
    Attribute,
    CadastralPlan,
    Coordinates,
    Distance,
    Document,
    Feature,
    FeatureSet,
    GeothermalAssessment,
    Height,
    ItemBase,
    Layer,
    LayerGroup,
    LayerSource,
    Municipality,
    OerebExtract,
    OtherItem,
    Parcel,
    Place,
    Proposal,
    Provenance,
    Relevance,
)
from contracts.languages import LANGUAGES
from contracts.messages import ActionPlanReady, ActionPlanRequested, Outcome
from contracts.prints import path_of
from contracts.session import LoadedLayer, MapView
from contracts.status import Status
from hypothesis import given
from hypothesis import strategies as st
from volume import examples

from actionplanner.planning import plan
from actionplanner.texts import text

T = TypeVar("T")


def build(model: Callable[..., T], **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[T]:
    """Not `st.builds`, which would add values of its own under the JSON names."""
    return st.fixed_dictionaries(fields).map(lambda values: model(**values))


words = st.one_of(
    st.sampled_from(
        ["", " ", "Messen", "Wald - Typ", "Wald", "<b>x</b>", "{0}", "a, b", "*", "Layer", "ÖREB"]
    ),
    st.text(max_size=12),
)
urls = st.sampled_from(
    ["https://a.example/x", "http://b.example", "javascript:alert(1)", "/x", path_of("0f" * 16), ""]
)
moments = st.datetimes(timezones=st.just(UTC))
metres = st.floats(allow_nan=False, allow_infinity=False)
points = st.tuples(metres, metres)
coords = st.none() | points
positions = st.lists(st.floats(-1e7, 1e7) | st.none() | words, max_size=3)
geometries = st.none() | st.fixed_dictionaries(
    {"type": st.sampled_from(["Point", "Polygon"])},
    optional={
        "coordinates": st.recursive(positions, lambda inner: st.lists(inner, max_size=2), max_leaves=4)
    },
)
shared: dict[str, Any] = {
    "id": st.sampled_from(["1", "2", "3"]) | words,
    "label": words,
    "coord": coords,
    "extent": st.none() | st.tuples(metres, metres, metres, metres),
    "geometry": geometries,
    "confidence": st.none() | st.floats(0, 1),
    "provenance": st.none()
    | build(
        Provenance,
        source=words,
        license=words,
        retrieved_at=moments,
        match=st.sampled_from(["exact", "fuzzy"]),
        stale=st.booleans(),
        sample=st.booleans(),
    ),
}
layer_items = build(
    Layer,
    source=build(
        LayerSource,
        type=st.sampled_from(["wms", "wmts", "geojson"]),
        url=urls,
        parameters=st.dictionaries(words, words, max_size=2),
    ),
    attribution=st.none() | words,
    **shared,
)
optional_metres = st.none() | st.floats(0, 1e4)
numbers = st.integers() | st.floats()
features = build(
    Feature,
    layer=words,
    layer_label=words,
    attributes=st.lists(
        build(
            Attribute,
            name=words | st.just("label"),
            value=words | st.integers() | metres,
            unit=st.none() | words,
        ),
        max_size=3,
    ).map(tuple),
    **shared,
)
one_type_each: list[st.SearchStrategy[ItemBase]] = [
    build(Address, street=words, postal_code=words, locality=words, municipality=st.none() | words, **shared),
    build(Municipality, name=words, bfs_number=st.integers(1, 9999), **shared),
    build(Place, kind=words, **shared),
    build(Parcel, egrid=words, number=words, municipality=words, area_m2=optional_metres, **shared),
    build(OerebExtract, egrid=words, pdf_url=urls, map_url=st.none() | urls, **shared),
    layer_items,
    build(LayerGroup, layers=st.lists(layer_items, max_size=3).map(tuple), **shared),
    build(Height, height_m=st.floats(0, 5000), **shared),
    build(Coordinates, lv03=points, wgs84=points, **shared),
    features,
    build(
        FeatureSet,
        layer=words,
        layer_label=words,
        area=words,
        count=st.integers(0, 50),
        features=st.lists(features, max_size=7).map(tuple),
        aggregate=st.none()
        | build(
            Aggregate,
            function=st.sampled_from(["count", "sum", "mean", "min", "max"]),
            attribute=words,
            value=metres,
            unit=st.none() | words,
        ),
        **shared,
    ),
    build(Distance, metres=st.floats(0, 1e6), start=words, end=words, **shared),
    build(
        GeothermalAssessment,
        allowed=st.booleans(),
        text=words,
        max_depth_m=optional_metres,
        report_url=st.none() | urls,
        **shared,
    ),
    build(
        CadastralPlan,
        url=urls,
        scale=st.none() | st.integers(0, 10_000),
        expires_at=st.none() | moments,
        **shared,
    ),
    build(Document, name=words, url=urls, **shared),
    build(Relevance, is_relevant=st.booleans(), reason=words, **shared),
    build(Proposal, name=words, subject=words, url=urls, **shared),
    build(
        OtherItem,
        type=st.sampled_from(["loaded_layer", "school", "first", ""]),
        some_fact=st.none() | words | st.lists(st.none() | st.integers(), max_size=2),
        homeUrl=urls,
        **shared,
    ),
]
statuses = st.sampled_from([Status.OK] * 4 + list(Status))
requests = build(
    ActionPlanRequested,
    request_id=st.just("req-7"),
    session_id=st.just("s"),
    deadline=st.just(datetime(2030, 1, 1, tzinfo=UTC)),
    language=st.sampled_from([*LANGUAGES, "rm", ""]),
    step=st.integers(0, 5),
    intent=st.sampled_from([*Intent, "find_school", ""]),
    args=st.fixed_dictionaries(
        {},
        optional={
            "name": words | st.none() | st.integers(),
            "background": words | st.none(),
            "q": words | st.none() | st.lists(st.none()),
            "number": words | st.integers(),
            "municipality": words,
            "x": metres | words,
            "y": st.floats() | st.booleans(),
            "here": st.sampled_from(["point", "center", "selection"]) | words | st.none(),
            "layers": st.lists(words | st.none(), max_size=3) | words,
            "extent": st.lists(metres, max_size=4),
            "except": st.lists(words, max_size=2) | words,
            "where": st.lists(
                st.dictionaries(st.sampled_from(["attribute", "operator", "value"]), words | numbers)
            )
            | st.lists(words, max_size=1),
            "order": st.sampled_from(["-area", "distance", "Name"]) | words | st.none(),
            "opacity": numbers | words | st.booleans(),
            "to": st.sampled_from(["top", "bottom", "up", "down"]) | words | st.none(),
            "above": words | st.none(),
            "below": words,
            "steps": numbers | words | st.booleans(),
        },
    ),
    outcome=build(
        Outcome,
        status=statuses,
        items=st.lists(st.one_of(one_type_each), max_size=4).map(tuple),
        message=words,
        note=words,
        again=st.booleans(),
        confirm=st.booleans(),
    ),
    choose=st.booleans(),
    first_option=st.integers(0, 50),
    layers=st.lists(
        build(LoadedLayer, id=words, label=words, visible=st.booleans(), opacity=st.floats(0, 1)), max_size=4
    ).map(tuple),
    view=st.none()
    | build(
        MapView, center=points, extent=st.tuples(metres, metres, metres, metres), scale=st.floats(1, 1e6)
    ),
)


def test_every_known_type_is_generated() -> None:
    assert len(one_type_each) == len(KNOWN_TYPES) + 1


@examples(150)
@given(requests)
def test_every_request_gets_a_step_that_keeps_its_promises(asked: ActionPlanRequested) -> None:
    step, options = plan(asked)
    assert plan(asked) == (step, options)
    assert step.intent == asked.intent
    assert step.message.strip()
    check_status(step, asked)
    check_choices(step, options, asked)
    check_what_a_client_trusts(step)
    check_transport(step, options, asked)


def check_status(step: Step, asked: ActionPlanRequested) -> None:
    if step.status in (Status.ERROR, Status.NEEDS_CLARIFICATION):
        assert step.map_actions == ()
    if asked.outcome.status in (Status.ERROR, Status.NEEDS_CLARIFICATION):
        assert step.status is asked.outcome.status


def check_choices(step: Step, options: tuple[Any, ...], asked: ActionPlanRequested) -> None:
    assert len(options) == len(step.choices)
    if step.status is not Status.NEEDS_USER_CHOICE:
        assert step.choices == ()
        return
    if [choice.label for choice in step.choices] == [text("again", asked.language)]:
        assert asked.outcome.again
    else:
        assert step.map_actions == ()
        assert (1 if asked.outcome.confirm else 2) <= len(step.choices) <= 25
    ids = range(asked.first_option, asked.first_option + len(options))
    assert [choice.id for choice in step.choices] == [f"req-7.{asked.step}.{n}" for n in ids]
    assert all(turn_of(choice.id) == "req-7" for choice in step.choices)
    assert len({choice.label for choice in step.choices}) == len(step.choices)
    if asked.intent not in OF_LOADED_LAYERS:
        assert all(option in asked.outcome.items for option in options)


def check_what_a_client_trusts(step: Step) -> None:
    shown = [step.message, *(choice.label for choice in step.choices)]
    for action in [*step.map_actions, *(action for choice in step.choices for action in choice.map_actions)]:
        payload = action.model_dump(mode="json", by_alias=True, exclude_none=True)["payload"]
        shown.append(payload.get("label", ""))
        links = [payload.get("url"), payload.get("mapUrl"), payload.get("source", {}).get("url")]
        # A path is one of the edge's own, see `contracts.prints`.
        trusted = ("http://", "https://", path_of("0f" * 16))
        assert all(link.startswith(trusted) for link in links if link is not None)
    for choice in step.choices:
        assert "null" not in json.dumps(choice.data, allow_nan=False).replace('"null"', "")
        assert "javascript" not in json.dumps({k: v for k, v in choice.data.items() if "url" in k.lower()})
    assert not any(re.search(r"<[a-zA-Z/!?]", text) for text in shown)


def check_transport(step: Step, options: tuple[Any, ...], asked: ActionPlanRequested) -> None:
    ready = ActionPlanReady(
        request_id=asked.request_id,
        session_id=asked.session_id,
        deadline=asked.deadline,
        step=asked.step,
        answer=step,
        options=options,
    )
    read = ActionPlanReady.from_json(ready.to_json())
    assert read.answer.to_json() == step.to_json()
    assert len(read.options) == len(options)
