"""FastStream's `TestBroker` works on our services: their authors test handlers without a server."""

import runpy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from contracts import subjects
from contracts.messages import ActionPlanReady, ActionPlanRequested, PlanRequested, ToolCalled, ToolResult
from faststream.nats import TestNatsBroker
from servicekit.bus import Bus, Delivery
from servicekit.settings import ServiceSettings

from actionplanner import handlers

EXAMPLE = Path(__file__).parents[3] / "examples" / "tools-hello" / "tools_hello.py"
IDS: dict[str, Any] = {"request_id": "req-1", "session_id": "s"}


def soon() -> datetime:
    return datetime.now(UTC) + timedelta(seconds=30)


def said(broker: Any, pattern: str) -> list[Any]:
    """The documents that were published under a subject."""
    publisher = next(p for p in broker.publishers if subjects.matches(pattern, p.subject.broker_address))
    return [call.args[0] for call in publisher.mock.call_args_list]


async def test_what_a_handler_says_is_seen() -> None:
    bus = Bus("actionplanner", ServiceSettings())
    handlers.register(bus)
    async with TestNatsBroker(bus.broker) as broker:
        asked = ActionPlanRequested(**IDS, deadline=soon(), step=0, intent="clear_map")
        await broker.publish(asked.to_json(), asked.subject)
        (ready,) = said(broker, subjects.ACTIONPLAN_READY)
    assert ActionPlanReady.model_validate(ready).answer.map_actions[0].type == "clearMap"


async def test_tools_are_called() -> None:
    bus = Bus("tools-hello", ServiceSettings())
    runpy.run_path(str(EXAMPLE))["register"](bus)
    bus.declare()
    async with TestNatsBroker(bus.broker) as broker:
        call = ToolCalled(**IDS, deadline=soon(), step=0, capability="maps.sheet", args={"sheet": "1166"})
        await broker.publish(call.to_json(), call.subject)
        (result,) = said(broker, "tool.result.*.*")
    assert ToolResult.model_validate(result).outcome.items


async def test_who_takes_the_delivery_gets_one() -> None:
    bus = Bus("planner", ServiceSettings())
    found: list[tuple[PlanRequested, Delivery]] = []

    @bus.subscriber(subjects.PLAN_REQUESTED)
    async def on_plan(request: PlanRequested, delivery: Delivery) -> None:
        found.append((request, delivery))

    async with TestNatsBroker(bus.broker) as broker:
        request = PlanRequested(**IDS, deadline=soon(), user_message="x")
        await broker.publish(request.to_json(), request.subject)
    assert found == [(request, Delivery(1, request.subject, ""))]


async def test_what_cannot_be_read_is_an_error() -> None:
    bus = Bus("actionplanner", ServiceSettings())
    handlers.register(bus)
    async with TestNatsBroker(bus.broker) as broker:
        with pytest.raises(Exception, match="errors, first: "):
            await broker.publish(b"{}", subjects.ACTIONPLAN_REQUESTED)
