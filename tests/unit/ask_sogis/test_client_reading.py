"""What a newer server says can be read by this version."""

import json
from typing import Any

import pytest
from ask_sogis.errors import NotUnderstood
from ask_sogis.frames import Frame, Frames
from ask_sogis.reading import read
from contracts.chat import ChatResponse
from contracts.items import OtherItem
from contracts.status import Status
from contracts.tools import ToolList
from hypothesis import given
from hypothesis import strategies as st

VIEW = {"type": "setView", "payload": {"center": [2600000, 1200000], "zoom": 5}}


def answer(status: str = "ok", **step: Any) -> dict[str, Any]:
    known = {"intent": "i", "status": status, "message": "Fertig."}
    return {"requestId": "req-1", "overallStatus": status, "steps": [known | step]}


def understood(document: Any) -> ChatResponse:
    return read(ChatResponse, json.dumps(document).encode())


def test_new_keys_are_passed_over_but_kept_in_the_document() -> None:
    document = answer(mood="good") | {"weather": "fine"}
    found = understood(document)
    assert found.steps[0].message == "Fertig."
    assert json.loads(found.document) == json.loads(found.to_json()) == document


def test_new_map_actions_are_left_out_and_all_others_stay_in_their_order() -> None:
    new = {"type": "showPicture", "payload": {"url": "http://localhost"}}
    document = answer(mapActions=[new, VIEW, new, {"type": "clearMap", "payload": {}}, new])
    found = understood(document)
    assert [action.type for action in found.steps[0].map_actions] == ["setView", "clearMap"]
    assert json.loads(found.document) == document


def test_a_known_action_with_a_new_meaning_is_left_out_whole() -> None:
    elsewhere = {"type": "setView", "payload": {"center": [8.5, 47.1], "zoom": 5, "crs": "EPSG:4326"}}
    assert understood(answer(mapActions=[elsewhere])).steps[0].map_actions == ()


def test_new_actions_of_a_choice_do_not_hide_the_choice() -> None:
    choice = {"id": "c", "label": "C", "mapActions": [{"type": "showPicture"}, VIEW]}
    (step,) = understood(answer("needs_user_choice", choices=[choice])).steps
    assert [each.id for each in step.choices] == ["c"]
    assert [action.type for action in step.choices[0].map_actions] == ["setView"]


def test_new_items_are_other_items() -> None:
    (item,) = understood(answer(items=[{"type": "tree", "id": "1", "label": "Linde"}])).steps[0].items or ()
    assert isinstance(item, OtherItem) and (item.type, item.label) == ("tree", "Linde")


def test_a_part_of_an_item_that_cannot_be_read_costs_only_itself() -> None:
    told = {"source": "s", "license": "l", "retrievedAt": "2026-01-01T00:00:00Z", "match": "by_ear"}
    place = {"type": "place", "id": "1", "label": "Messen", "kind": "Ort", "provenance": told}
    (item,) = understood(answer(items=[place])).steps[0].items or ()
    # Nobody may take it for an exact match.
    assert (item.label, item.provenance) == ("Messen", None)


def test_a_new_status_is_none_that_anything_was_done_with() -> None:
    found = understood(answer("postponed", mapActions=[{"type": "showPicture"}]))
    assert found.overall_status is found.steps[0].status is Status.NEEDS_CLARIFICATION
    assert found.steps[0].message == "Fertig."


def test_a_new_reason_for_no_answer_leaves_the_research() -> None:
    error = {"errorType": "library_closed", "message": "Zu."}
    research = {"userQuery": "q", "initialQuestion": "q", "errorInfo": error}
    found = understood(answer("needs_clarification", research=research)).steps[0].research
    assert found is not None and (found.user_query, found.error_info) == ("q", None)


def test_a_step_is_never_left_out() -> None:
    with pytest.raises(NotUnderstood):
        understood(answer(message=None))
    with pytest.raises(NotUnderstood):
        understood(answer() | {"requestId": 1})


def test_other_lists_are_read_the_same_way() -> None:
    use = {"service": "s", "use": "plan", "model": "m"}
    found = read(ToolList, json.dumps({"tools": [], "models": [use | {"use": "dream"}, use]}).encode())
    assert [each.use for each in found.models] == ["plan"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    key=st.sampled_from(
        ["mapActions", "choices", "items", "research", "cut", "status", "message", "suggestions"]
    ),
    value=_JSON,
)
def test_whatever_stands_there_it_is_read_or_not_understood(key: str, value: Any) -> None:
    try:
        found = understood(answer(mapActions=[VIEW]) | {"steps": [{**answer()["steps"][0], key: value}]})
    except NotUnderstood:
        return
    assert len(found.steps) == 1


# -- frames ----------------------------------------------------------------------------------------

SAID = (
    b": ping\n\nid: 1\nevent: a\ndata: {\ndata: }\n\n"
    b"event:b\r\ndata:2\r\nretry: 3\r\n\r\nid: 9\n\ndata: \xc3\xbc\n\nid: 4\nevent: cut\ndata: o"
)
HEARD = [Frame("a", "{\n}", "1"), Frame("b", "2"), Frame(data="ü")]


def test_frames_are_cut_out_of_a_stream() -> None:
    assert Frames().feed(SAID) == HEARD


def test_a_long_line_comes_in_many_pieces() -> None:
    frames, pieces = Frames(), [b"%d," % n for n in range(2_000)]
    found = [frames.feed(each) for each in (b"data: ", *pieces, b"\n\n")]
    assert found[:-1] == [[]] * 2_001
    assert found[-1] == [Frame(data=b"".join(pieces).decode())]


@given(st.lists(st.integers(min_value=0, max_value=len(SAID)), max_size=8))
def test_frames_are_the_same_however_the_stream_was_cut(cuts: list[int]) -> None:
    frames = Frames()
    ends = [*sorted(cuts), len(SAID)]
    pieces = [SAID[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    assert [frame for piece in pieces for frame in frames.feed(piece)] == HEARD
