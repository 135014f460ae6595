"""The order of events of the agent for maps: steps, map actions, choices and their answers."""

import json
from datetime import timedelta
from typing import Any, Literal

import pytest
from ag_ui.core import BaseEvent
from contracts.actions import (
    AddFeatures,
    AddLayer,
    AddMarker,
    ClearMap,
    Extract,
    FeaturesId,
    FeatureTable,
    LayerId,
    LayerOpacity,
    LayerOrder,
    LayerVisibility,
    MapAction,
    MapLayer,
    Marker,
    MarkerId,
    MoveLayer,
    RemoveFeatures,
    RemoveLayer,
    RemoveMarker,
    SetLayerOpacity,
    SetLayerVisibility,
    ShowLegend,
    ShowOerebExtract,
    Steps,
    Undo,
)
from contracts.messages import ChatCancelled, Outcome
from contracts.oereb import ExtractContent, LawStatus, Notice, Restriction, Theme
from contracts.plan import PlanStep
from contracts.session import Session
from contracts.status import Status
from contracts.turns import TurnEvent
from recording import Recording, recording
from told import REQUEST, check, documents, names, resume, run_input, state_after, tell, texts
from world import GOTO, LOAD, NOW, OEREB_XY, RESPOND, SEARCH, answer, asked, clicked, two_parcels

from edge.agui.map_state import MapState
from edge.extracts import MAX_CONTENT_CHARS
from orchestrator.arrivals import ChatArrived

CALL = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"]
TEXT = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]
START = ["RUN_STARTED", "STATE_SNAPSHOT", "STATE_DELTA"]
OPEN = f"{REQUEST}.0"


def ask(world: Recording) -> list[BaseEvent]:
    events = tell(world.say(asked("Frage", REQUEST)))
    check(events)
    return events


def choosing(*more: PlanStep) -> Recording:
    return recording(OEREB_XY, *more, oereb_egrid_by_xy=two_parcels)


def answered(world: Recording, choice: str, *given_up: str, exchange: str = "x1") -> list[BaseEvent]:
    """The run that answers a choice."""
    before = list(world.entries)
    after = world.say(clicked(choice, exchange))
    entries = [(choice.rpartition(".")[0], choice), *((each, None) for each in given_up)]
    events = tell(after, run=resume(*entries), before=before)
    check(events)
    return events


def custom(events: list[BaseEvent], name: str) -> list[dict[str, Any]]:
    return [e["value"] for e in documents(events) if e["type"] == "CUSTOM" and e["name"] == name]


def interrupts(events: list[BaseEvent]) -> list[dict[str, Any]]:
    outcome = documents(events)[-1]["outcome"]
    return list(outcome.get("interrupts", ()))


def test_one_step() -> None:
    events = ask(recording(GOTO))
    assert names(events) == [
        *START,
        "STEP_STARTED(step:0)",
        "STATE_DELTA",
        *CALL,
        *TEXT,
        "STATE_DELTA",
        "STEP_FINISHED(step:0)",
        "CUSTOM(map_actions)",
        "STATE_DELTA",
        "RUN_FINISHED",
    ]
    told = documents(events)
    (called,) = (e for e in told if e["type"] == "TOOL_CALL_ARGS")
    assert called["delta"] == '{"q":"Langendorfstrasse 19b, Solothurn"}'
    (result,) = (e for e in told if e["type"] == "TOOL_CALL_RESULT")
    assert json.loads(result["content"]) == {"status": "ok", "items": 1, "durationMs": 0}
    (actions,) = custom(events, "map_actions")
    assert actions["step"] == 0
    assert "addMarker" in str(actions["mapActions"])
    assert list(texts(events).values()) == ["Langendorfstrasse 19b, 4500 Solothurn"]
    assert told[-1]["outcome"] == {"type": "success"} and "usage" not in told[-1]
    assert state_after(events) == {
        "steps": [
            {
                "intent": "goto_address",
                "state": "done",
                "status": "ok",
                "message": "Langendorfstrasse 19b, 4500 Solothurn",
            }
        ],
        "choices": [],
        "layers": [],
        "markers": [{"id": "7568", "coord": [2605899.0, 1229278.0]}],
        "features": [],
        "undone": 0,
    }


ZONES = Theme(code="ch.Nutzungsplanung", title="Nutzungsplanung")
SYMBOL = "data:image/png;base64,iVBORw0KGgo="


def told_with(content: ExtractContent) -> list[BaseEvent]:
    """A turn whose step shows an extract."""
    shown = ShowOerebExtract(payload=Extract(egrid="CH1", url="https://example.org/1.pdf", content=content))
    entries = recording(GOTO).say(asked("Frage", REQUEST))
    for n, entry in enumerate(entries):
        if isinstance(entry, TurnEvent) and entry.answer is not None:
            answered = entry.answer.model_copy(update={"map_actions": (shown,)})
            entries[n] = entry.model_copy(update={"answer": answered})
    events = tell(entries)
    check(events)
    return events


def test_an_extract_is_in_the_state_of_its_step_for_who_does_not_draw_it() -> None:
    planned = Restriction(
        theme=ZONES, text="W2", law_status=LawStatus.CHANGE_WITHOUT_PRE_EFFECT, symbol=SYMBOL, percent=41.4
    )
    events = told_with(ExtractContent(concerned=(ZONES,), restrictions=(planned,)))
    (step,) = state_after(events)["steps"]
    assert step["extract"]["url"] == "https://example.org/1.pdf"
    (restriction,) = step["extract"]["content"]["restrictions"]
    assert restriction["lawStatus"] == "changeWithoutPreEffect" and restriction["percent"] == 41.4
    assert "symbol" not in restriction
    (actions,) = custom(events, "map_actions")
    (drawn,) = actions["mapActions"][0]["payload"]["content"]["restrictions"]
    assert drawn["symbol"] == SYMBOL


def test_an_endless_extract_is_not_carried_from_run_to_run() -> None:
    endless = ExtractContent(restrictions=(Restriction(theme=ZONES, text="x" * MAX_CONTENT_CHARS),))
    (step,) = state_after(told_with(endless))["steps"]
    assert step["extract"] == {"egrid": "CH1", "url": "https://example.org/1.pdf", "contentTooLong": True}


def test_of_a_long_extract_what_it_says_of_the_parcel_is_carried_on() -> None:
    general = (Notice(text="x" * (MAX_CONTENT_CHARS // 3)),)
    restrictions = (Restriction(theme=ZONES, text="W2"),)
    long = ExtractContent(
        restrictions=restrictions, glossary=general, information=general, disclaimers=general
    )
    (step,) = state_after(told_with(long))["steps"]
    content = step["extract"]["content"]
    assert not {"glossary", "information", "disclaimers"} & content.keys()
    assert ExtractContent.model_validate(content) == ExtractContent(restrictions=restrictions)
    assert "contentTooLong" not in step["extract"]


def test_map_actions_come_in_the_order_of_the_plan() -> None:
    world = recording(GOTO, LOAD, GOTO)
    entries = world.say(asked("Frage", REQUEST))
    turned = [e for e in entries if getattr(e, "step", None) != 0]
    late = [e for e in entries if getattr(e, "step", None) == 0]
    renumbered = [e.model_copy(update={"n": n}) for n, e in enumerate([*turned[:-1], *late, turned[-1]])]
    events = tell(renumbered)
    check(events)
    assert [each["step"] for each in custom(events, "map_actions")] == [0, 2]


def test_calls_have_ids_of_their_own() -> None:
    events = ask(recording(OEREB_XY, GOTO))
    ids = [e["toolCallId"] for e in documents(events) if e["type"] == "TOOL_CALL_START"]
    assert len(set(ids)) == len(ids) == 3


def test_a_choice_is_an_interrupt() -> None:
    events = ask(choosing())
    told = documents(events)
    assert told[-1]["outcome"]["type"] == "interrupt"
    (asked_for,) = interrupts(events)
    assert asked_for["id"] == OPEN
    assert asked_for["reason"] == "needs_user_choice"
    assert asked_for["message"] == "Bitte wähle."
    assert asked_for["expiresAt"] == "2026-11-20T12:15:00+00:00"
    assert asked_for["responseSchema"] == {
        "type": "object",
        "properties": {
            "choiceId": {
                "type": "string",
                "enum": [f"{OPEN}.0", f"{OPEN}.1"],
                "oneOf": [
                    {"const": f"{OPEN}.0", "title": "CH000000000001"},
                    {"const": f"{OPEN}.1", "title": "CH000000000002"},
                ],
            }
        },
        "required": ["choiceId"],
        "additionalProperties": False,
    }
    assert [c["label"] for c in asked_for["metadata"]["choices"]] == ["CH000000000001", "CH000000000002"]
    assert list(texts(events).values()) == ["Bitte wähle."]
    state = state_after(events)
    assert state["steps"][0]["state"] == "choosing"
    assert state["choices"][0]["options"][1] == {"id": f"{OPEN}.1", "label": "CH000000000002"}


def test_the_answer_to_a_choice_goes_on_behind_it() -> None:
    world = choosing()
    ask(world)
    events = answered(world, f"{OPEN}.1")
    assert names(events) == [
        "RUN_STARTED",
        "STATE_SNAPSHOT",
        "STEP_STARTED(step:0)",
        "STATE_DELTA",
        "STATE_DELTA",
        *CALL,
        *TEXT,
        "STATE_DELTA",
        "STEP_FINISHED(step:0)",
        "CUSTOM(map_actions)",
        "STATE_DELTA",
        "RUN_FINISHED",
    ]
    snapshot = documents(events)[1]["snapshot"]
    assert snapshot["steps"][0]["state"] == "choosing" and len(snapshot["choices"]) == 1
    assert state_after(events)["choices"] == []
    assert documents(events)[-1]["outcome"] == {"type": "success"}
    assert list(texts(events).values()) == ["CH000000000002"]


def test_a_choice_that_cannot_be_made_is_asked_again() -> None:
    world = choosing()
    ask(world)
    events = answered(world, f"{OPEN}.7")
    assert list(texts(events).values()) == ["Die gewählte Option konnte nicht gefunden werden."]
    assert [each["id"] for each in interrupts(events)] == [OPEN]


def test_a_choice_that_has_expired_is_not_asked_again() -> None:
    world = choosing()
    ask(world)
    world.now = NOW + timedelta(minutes=16)
    before = list(world.entries)
    request = clicked(f"{OPEN}.0", deadline=world.now + timedelta(seconds=30))
    events = tell(world.say(request), run=resume((OPEN, f"{OPEN}.0")), before=before)
    check(events)
    assert interrupts(events) == []
    assert "abgelaufen" in str(texts(events))


def test_of_several_choices_some_can_be_given_up() -> None:
    world = choosing(OEREB_XY)
    assert [each["id"] for each in interrupts(ask(world))] == [OPEN, f"{REQUEST}.1"]
    events = answered(world, f"{OPEN}.0", f"{REQUEST}.1")
    assert interrupts(events) == []


def test_what_is_not_answered_stays_open() -> None:
    world = choosing(OEREB_XY)
    ask(world)
    assert [each["id"] for each in interrupts(answered(world, f"{OPEN}.0"))] == [f"{REQUEST}.1"]


def test_several_choices_are_answered_in_one_run() -> None:
    world = choosing(OEREB_XY)
    ask(world)
    before = list(world.entries)
    picked = [f"{OPEN}.1", f"{REQUEST}.1.0"]
    after = [*world.say(clicked(picked[0], "x1")), *world.say(clicked(picked[1], "x2"))]
    run = resume(*((each.rpartition(".")[0], each) for each in picked))
    events = tell(after, run=run, before=before)
    check(events)
    assert names(events).count("STEP_FINISHED(step:0)") == names(events).count("STEP_FINISHED(step:1)") == 1
    assert interrupts(events) == []
    assert sorted(texts(events).values()) == ["CH000000000001", "CH000000000002"]


def test_what_was_said_before_a_choice_is_not_said_again() -> None:
    world = choosing(GOTO)
    ask(world)
    events = answered(world, f"{OPEN}.1")
    assert all(each["step"] == 0 for each in custom(events, "map_actions"))
    assert len(texts(events)) == 1


@pytest.mark.parametrize("status", [Status.ERROR, Status.NEEDS_CLARIFICATION])
def test_a_step_that_fails_is_told_in_words(status: Status) -> None:
    outcome = Outcome(status=status, message="Das ging nicht.")
    events = ask(recording(GOTO, LOAD, geolocation_geocode=lambda args: outcome))
    assert "Das ging nicht." in texts(events).values()
    assert documents(events)[-1]["outcome"] == {"type": "success"}
    assert documents(events)[-1]["result"]["overallStatus"] == status
    assert state_after(events)["steps"][0]["status"] == status


def test_a_plan_that_never_came_is_told_in_words() -> None:
    world = recording(GOTO)
    request = asked("Frage", REQUEST)
    world.take(ChatArrived(request, Session()))
    world.now = NOW + timedelta(seconds=31)
    world.take(ChatArrived(request, Session()))
    events = tell(world.entries)
    check(events)
    assert names(events) == ["RUN_STARTED", "STATE_SNAPSHOT", *TEXT, "RUN_FINISHED"]


def test_a_tool_that_never_answers_is_not_left_to_the_client() -> None:
    world = recording(GOTO)
    request = asked("Frage", REQUEST)
    world.take(ChatArrived(request, Session()))
    world.take(answer(world.queue.pop(0), world.plan, world.tools))
    world.now = NOW + timedelta(seconds=31)
    world.take(ChatArrived(request, Session()))
    events = tell(world.entries)
    check(events)
    (result,) = (e for e in documents(events) if e["type"] == "TOOL_CALL_RESULT")
    assert result["content"] == '{"status":"error"}'


def test_a_cancelled_turn_is_told_in_the_words_that_a_client_knows() -> None:
    def cancelled(**values: str) -> dict[str, Any]:
        world = recording(GOTO)
        request = asked("Frage", REQUEST)
        world.take(ChatArrived(request, Session()))
        own = {"request_id": REQUEST, "session_id": "s", "deadline": request.deadline}
        world.take(ChatCancelled(**own, exchange="c1"))
        events = tell(world.entries, run=run_input(**values))
        check(events)
        return documents(events)[-1]

    assert cancelled(protocolVersion="1.0")["outcome"] == {"type": "cancelled"}
    old = cancelled()
    assert old["outcome"] == {"type": "success"}
    assert old["result"]["cancelled"] is True


def test_a_search_brings_its_documents_into_the_state_of_its_step() -> None:
    events = ask(recording(GOTO, SEARCH))
    research = state_after(events)["steps"][1]["research"]
    assert [d["isChecked"] for d in research["trackedDocuments"]] == [True] * 3
    assert len(research["sources"]) == 3
    deltas = [e["delta"][0]["path"] for e in documents(events) if e["type"] == "STATE_DELTA"]
    assert "/steps/1/research/trackedDocuments/2/isChecked" in deltas


def test_an_answer_is_streamed() -> None:
    events = ask(recording(GOTO, RESPOND))
    pieces = [e for e in documents(events) if e["type"] == "TEXT_MESSAGE_CONTENT"]
    assert len(pieces) > 2
    _, written = texts(events).values()
    assert written == "Zu «Frage»:\n- ✓ goto_address: Langendorfstrasse 19b, 4500 Solothurn"


def test_what_the_map_shows_travels_with_the_state_of_the_client() -> None:
    state = {
        "layers": [{"id": "a", "label": "A", "visible": False, "opacity": 0.5, "junk": 1}, {"id": 7}, "x"],
        "markers": [{"id": "m", "label": 3, "coord": [1, 2]}],
        "features": [{"id": "f", "label": "F", "count": 2, "geometry": []}],
        "undone": 2,
        "more": 1,
    }
    events = tell(recording(LOAD).say(asked("Frage", REQUEST)), run=run_input(state=state))
    after = state_after(events)
    assert after["layers"] == [{"id": "a", "label": "A", "visible": False, "opacity": 0.5}]
    assert after["markers"] == [{"id": "m", "coord": [1, 2]}]
    assert after["features"] == [{"id": "f", "label": "F", "count": 2}]
    assert after["undone"] == 2 and "more" not in after


MAP = {
    "center": [2600500.0, 1215500.0],
    "extent": [2600000.0, 1215000.0, 2601000.0, 1216000.0],
    "scale": 5000.0,
}


def test_the_map_that_a_client_tells_stays_and_says_which_layers_there_are() -> None:
    layers = [{"id": "b", "label": "B", "order": 1}, {"id": "a", "label": "A", "visible": False, "order": 0}]
    told = MAP | {"layers": layers, "junk": 1}
    state = {"map": told, "layers": [{"id": "old"}]}
    events = tell(recording(GOTO).say(asked("Frage", REQUEST)), run=run_input(state=state))
    after = state_after(events)
    assert after["map"] == MAP | {"layers": layers}
    assert [(each["id"], each["visible"]) for each in after["layers"]] == [("a", False), ("b", True)]


def layer(name: str, kind: Literal["wms", "geojson"] = "wms", **values: Any) -> AddLayer:
    return AddLayer(payload=MapLayer(id=name, type=kind, source={}, **values))


def found(name: str) -> AddFeatures:
    return AddFeatures(payload=FeatureTable(id=name, label="Standorte", features={"features": []}, count=3))


def marker(name: str) -> AddMarker:
    return AddMarker(payload=Marker(id=name, coord=(1, 2), label="Hier"))


STATE = {
    "layers": [{"id": "a"}, {"id": "b", "visible": False}],
    "markers": [{"id": "m", "coord": [1, 2]}],
    "features": [{"id": "f", "label": "F", "count": 2}],
}


@pytest.mark.parametrize(
    ("actions", "changed"),
    [
        (
            [layer("c", label="C"), RemoveLayer(payload=LayerId(id="a"))],
            {"layers": [{"id": "b", "visible": False}, {"id": "c", "label": "C", "visible": True}]},
        ),
        (
            [layer("a", visible=False)],
            {"layers": [{"id": "b", "visible": False}, {"id": "a", "visible": False}]},
        ),
        ([layer("outline", "geojson"), RemoveLayer(payload=LayerId(id="zz"))], {}),
        (
            [SetLayerVisibility(payload=LayerVisibility(id="b", visible=True))],
            {"layers": [{"id": "a", "visible": True}, {"id": "b", "visible": True}]},
        ),
        (
            [SetLayerOpacity(payload=LayerOpacity(id="a", opacity=0.3))],
            {"layers": [{"id": "a", "visible": True, "opacity": 0.3}, {"id": "b", "visible": False}]},
        ),
        (
            [MoveLayer(payload=LayerOrder(id="a", order=9))],
            {"layers": [{"id": "b", "visible": False}, {"id": "a", "visible": True}]},
        ),
        ([MoveLayer(payload=LayerOrder(id="zz", order=0)), ShowLegend(payload=LayerId(id="a"))], {}),
        (
            [marker("n"), RemoveMarker(payload=MarkerId(id="m"))],
            {"markers": [{"id": "n", "label": "Hier", "coord": [1, 2]}]},
        ),
        ([marker("n"), RemoveMarker(payload=MarkerId(id="*"))], {"markers": []}),
        (
            [found("g"), RemoveFeatures(payload=FeaturesId(id="f"))],
            {"features": [{"id": "g", "label": "Standorte", "count": 3}]},
        ),
        ([found("g"), RemoveFeatures(payload=FeaturesId(id="*"))], {"features": []}),
        ([Undo(payload=Steps(steps=2)), Undo()], {"undone": 3}),
        ([Undo(), ClearMap()], {"layers": [], "markers": [], "features": []}),
    ],
)
def test_map_actions_change_what_the_map_shows(actions: list[MapAction], changed: dict[str, Any]) -> None:
    state = MapState(STATE)
    before = state.shown()
    for action in actions:
        state.apply(action)
    assert {key: value for key, value in state.shown().items() if value != before[key]} == changed


def test_a_conversation_does_not_gather_markers_for_ever() -> None:
    state = MapState({"markers": [{"id": str(n)} for n in range(99)]})
    state.apply(marker("new"))
    markers = state.shown()["markers"]
    assert len(markers) == 50 and markers[-1]["id"] == "new"


@pytest.mark.parametrize(
    "state",
    [
        *(None, [], "x", {"layers": 3}, {"layers": {"a": 1}, "markers": "m", "features": [[]]}),
        *({"undone": "1"}, {"undone": -1}, {"map": 3}, {"map": {"layers": [{"id": "a", "label": "A"}]}}),
    ],
)
def test_a_strange_state_shows_nothing(state: object) -> None:
    strange = MapState(state)
    assert strange.shown() == {"layers": [], "markers": [], "features": [], "undone": 0}
    assert strange.told() == {}
