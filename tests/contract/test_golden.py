"""What earlier versions said on the bus and kept in Redis, read by today's readers; see `traffic`."""

import json
from pathlib import Path
from typing import Any

import pytest
import traffic
from traffic import Recording
from world import restored

from orchestrator.state import Turn

GOLDEN = Path(__file__).parent / "golden"
VERSIONS = sorted(path.name for path in GOLDEN.iterdir())


@pytest.fixture(params=VERSIONS)
def then(request: pytest.FixtureRequest) -> Recording:
    recording, _ = traffic.load(GOLDEN / request.param)
    return recording


NO_LONGER_WHOLE = {"PlanReady", "ToolResult", "ActionPlanReady", "Turn"}
"""Today answers say nothing that the turn knows, and it keeps of its tools not what only explains them."""
IN_THE_TURN = {"deadline", "language", "description", "phrases", "topics", "version"}
BESIDE_THE_STATE = {"journal", "answer", "outcome"}
"""Of a turn: in its log, and in what can be seen of it."""
DEFAULTS: tuple[Any, ...] = ("", [], {}, False, 0, "ok", {"calls": 0, "inputTokens": 0, "outputTokens": 0})
"""Where there is nothing else, nothing is said."""


def lost(old: Any, new: Any, path: str = "") -> list[str]:
    """Where the values of a document are no longer in another one."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            gone
            for key, value in old.items()
            if key in new or value not in DEFAULTS
            for gone in ([f"{path}/{key}"] if key not in new else lost(value, new[key], f"{path}/{key}"))
        ]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [
            gone for n, (a, b) in enumerate(zip(old, new, strict=True)) for gone in lost(a, b, f"{path}/{n}")
        ]
    return [] if old == new else [path]


def test_everything_is_read_without_a_loss(then: Recording) -> None:
    for name, document in then.documents():
        adapter = traffic.reader(name)
        read = adapter.validate_json(json.dumps(document))
        written = json.loads(adapter.dump_json(read, by_alias=True, exclude_none=True))
        elsewhere = IN_THE_TURN | BESIDE_THE_STATE if isinstance(read, Turn) else IN_THE_TURN
        gone = [path for path in lost(document, written) if path.rpartition("/")[2] not in elsewhere]
        assert gone == [] and (name in NO_LONGER_WHOLE or lost(document, written) == []), name
        if isinstance(read, Turn) and read.journal:
            read = read.model_copy(update={"pages": (len(read.journal),)})
            assert restored(read) == read
        else:
            assert adapter.validate_json(json.dumps(written)) == read, name


def test_the_recording_has_every_command_event_and_key(then: Recording) -> None:
    assert {name for name, _ in then.documents()} >= {
        "ChatRequested",
        "PlanRequested",
        "PlanReady",
        "ToolCalled",
        "ToolResult",
        "ActionPlanRequested",
        "ActionPlanReady",
        "TurnReply",
        "TurnEvent",
        "ToolDescriptor",
        "Turn",
        "TurnView",
        "HistoryEntry",
        "OpenChoice",
        "Item",
    }
    assert {d["status"] for _, r in then.said for d in r.get("response", {}).get("steps", [])} >= {
        "ok",
        "needs_user_choice",
        "needs_clarification",
    }


def test_a_loss_is_seen() -> None:
    assert lost({"a": [{"b": 1}]}, {"a": [{"b": 2}]}) == ["/a/0/b"]
    assert lost({"a": [{"b": 1}]}, {"a": [{"c": 1}]}) == ["/a/0/b"]
    assert lost({"a": [1, 2]}, {"a": [1]}) == ["/a"]
    assert lost({"a": 1}, {"a": 1, "b": 2}) == []
