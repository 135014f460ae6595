"""The map that a message is written beside."""

from typing import Any

import pytest
from contracts.chat import ChatRequest, MapContext
from contracts.keys import MAX_LAYERS
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

VIEW = {"center": [2607094, 1228788], "extent": [2606000, 1228000, 2608000, 1230000], "scale": 25_000}


def asked(**map_: Any) -> ChatRequest:
    return ChatRequest.model_validate({"sessionId": "s", "userMessage": "m", "map": VIEW | map_})


def test_a_map_may_be_nothing_but_a_view() -> None:
    request = asked()
    assert request.map is not None
    assert (request.map.view.center, request.map.view.point) == ((2607094, 1228788), None)
    assert request.loaded_layers == ()


@given(st.permutations(range(5)))
def test_layers_are_told_from_the_lowest(order: list[int]) -> None:
    layers = [{"id": str(n), "label": str(n), "order": n} for n in order]
    told = asked(layers=layers).loaded_layers
    assert told is not None
    assert [layer.id for layer in told] == ["0", "1", "2", "3", "4"]


def test_without_an_order_the_place_in_the_list_counts() -> None:
    layers = [{"id": "b", "label": "B", "visible": False}, {"id": "a", "label": "A", "opacity": 0.4}]
    told = asked(layers=layers).loaded_layers
    assert told is not None
    assert [(layer.id, layer.visible, layer.opacity) for layer in told] == [("b", False, 1), ("a", True, 0.4)]


def test_the_layers_of_the_map_count_more_than_those_beside_it() -> None:
    named = ChatRequest.model_validate(
        {"sessionId": "s", "userMessage": "m", "map": VIEW, "mapLayers": [{"id": "a", "label": "A"}]}
    )
    assert named.loaded_layers == ()


@pytest.mark.parametrize(
    "odd",
    [
        {"scale": 0},
        {"scale": "1:1000"},
        {"center": [2607094]},
        {"center": [float("nan"), 1]},
        {"extent": [1, 2, 3]},
        {"point": ["a", "b"]},
        {"crs": "EPSG:4326"},
        {"layers": [{"id": "a", "label": "A", "opacity": 1.5}]},
        {"layers": [{"id": "a", "label": "A"}] * (MAX_LAYERS + 1)},
    ],
)
def test_what_is_no_map_is_refused(odd: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        MapContext.model_validate(VIEW | odd)
