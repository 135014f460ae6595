"""What a client tells about its map with the next request."""

import pytest
from contracts.chat import MAX_MAP_RESULTS, ChatRequest
from contracts.keys import MAX_LAYERS
from pydantic import ValidationError

ASKED = {"sessionId": "s", "userMessage": "m"}
APPLIED = {"type": "setView", "status": "applied"}
FAILED = {"type": "addLayer", "id": "l", "status": "failed", "reason": "unsafe_url"}


def test_what_failed_is_known_with_its_reason() -> None:
    request = ChatRequest.model_validate(ASKED | {"mapResults": [APPLIED, FAILED]})
    assert request.map_failures == ("addLayer: unsafe_url",)


def test_a_request_without_results_has_no_failures() -> None:
    assert ChatRequest.model_validate(ASKED).map_failures == ()


def test_so_many_layers_can_be_told_as_are_remembered() -> None:
    layer = {"id": "l", "label": "Layer"}
    ChatRequest.model_validate(ASKED | {"mapLayers": [layer] * MAX_LAYERS})
    with pytest.raises(ValidationError):
        ChatRequest.model_validate(ASKED | {"mapLayers": [layer] * (MAX_LAYERS + 1)})


@pytest.mark.parametrize(
    "results",
    [
        [APPLIED] * (MAX_MAP_RESULTS + 1),
        [{"type": "x" * 1000, "status": "applied"}],
        [{"type": "setView", "status": "perhaps"}],
        "applied",
    ],
    ids=["too many", "too long", "unknown status", "no list"],
)
def test_results_are_bounded(results: object) -> None:
    with pytest.raises(ValidationError):
        ChatRequest.model_validate(ASKED | {"mapResults": results})
