"""Old and new versions run side by side during an upgrade: each reads what the other writes."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from contracts.base import Contract
from contracts.items import ITEM_TYPES, OtherItem
from contracts.messages import (
    ActionPlanReady,
    ActionPlanRequested,
    ChatRequested,
    Outcome,
    PlanReady,
    PlanRequested,
    ToolCalled,
    ToolResult,
    TurnReply,
)
from contracts.tools import ToolDescriptor
from contracts.turns import TurnEvent, TurnView

ENVELOPE = {"requestId": "r", "sessionId": "s", "deadline": "2026-11-20T12:00:00Z"}
PLACE = {**ENVELOPE, "step": 0}
ANSWER = {"intent": "goto_address", "status": "ok", "message": "m"}

OLDEST: list[tuple[type[Contract], dict[str, Any]]] = [
    (ChatRequested, ENVELOPE | {"exchange": "x", "userMessage": "m"}),
    (PlanRequested, ENVELOPE | {"userMessage": "m"}),
    (PlanReady, ENVELOPE | {"plan": {"steps": [{"intent": "goto_address"}]}}),
    (ToolCalled, PLACE | {"capability": "a.b", "args": {}}),
    (ToolResult, PLACE | {"capability": "a.b", "outcome": {"status": "ok"}}),
    (ActionPlanRequested, PLACE | {"intent": "goto_address"}),
    (ActionPlanReady, PLACE | {"answer": ANSWER}),
    (TurnReply, {"requestId": "r", "exchange": "x"}),
    (
        ToolDescriptor,
        {"capability": "a.b", "service": "s", "description": "d", "parameters": {}, "resultTypes": []},
    ),
    (
        TurnEvent,
        {
            "requestId": "r",
            "sessionId": "s",
            "n": 0,
            "round": 0,
            "kind": "turn.started",
            "at": "2026-11-20T12:00:00Z",
        },
    ),
    (TurnView, {"requestId": "r", "sessionId": "s", "state": "running"}),
]


@pytest.mark.parametrize(("model", "document"), OLDEST, ids=lambda value: getattr(value, "__name__", ""))
def test_what_the_first_version_wrote_can_be_read(model: type[Contract], document: dict[str, Any]) -> None:
    assert model.from_json(json.dumps(document)).to_json()


@pytest.mark.parametrize(("model", "document"), OLDEST, ids=lambda value: getattr(value, "__name__", ""))
def test_what_a_later_version_adds_is_ignored(model: type[Contract], document: dict[str, Any]) -> None:
    later = json.dumps(document | {"addedLater": {"a": [1]}})
    assert model.from_json(later) == model.from_json(json.dumps(document))


def test_an_item_of_an_unknown_type_is_carried_along_unchanged() -> None:
    document = {"type": "tree", "id": "1", "label": "Linde", "coord": [1.0, 2.0], "heightM": 31}
    (item,) = Outcome.from_json(json.dumps({"items": [document]})).items
    assert isinstance(item, OtherItem)
    written = json.loads(Outcome(items=(item,)).to_json())["items"][0]
    assert written == document | {"crs": "EPSG:2056"}


def test_every_item_type_names_itself() -> None:
    assert all(model.model_fields["type"].default == name for name, model in ITEM_TYPES.items())


def test_message_ids_tell_apart_what_is_different_work() -> None:
    now = datetime.now(UTC)

    def call(**values: Any) -> str:
        base = {
            "request_id": "r",
            "session_id": "s",
            "deadline": now,
            "step": 0,
            "capability": "a.b",
            "args": {},
        }
        return ToolCalled(**(base | values)).message_id

    variants: list[dict[str, Any]] = [{}, {"step": 1}, {"call": 1}, {"round": 1}, {"request_id": "r2"}]
    assert len({call(**values) for values in variants}) == len(variants)
    assert call() == call(args={"x": 1})
