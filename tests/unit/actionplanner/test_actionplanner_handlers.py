"""On the bus: every request is answered, even when a template is broken."""

import logging
from typing import Any

import pytest
from contracts import subjects
from contracts.messages import ActionPlanReady, ActionPlanRequested
from contracts.status import Status
from servicekit.bus import Publishable
from servicekit.testing import MemoryBus

from actionplanner import handlers
from actionplanner.texts import text

from .actionplanner_samples import ADDRESS, BUILDING_RIGHT, PARCEL, request


class FlakyBus(MemoryBus):
    """Refuses the first answers."""

    refusals = 0

    async def publish(self, *messages: Publishable) -> None:
        if self.refusals and isinstance(messages[0], ActionPlanReady):
            self.refusals -= 1
            raise ConnectionError
        await super().publish(*messages)


@pytest.fixture
def bus() -> FlakyBus:
    flaky: Any = FlakyBus("actionplanner")
    handlers.register(flaky)
    return flaky  # type: ignore[no-any-return]


async def answers(bus: FlakyBus, asked: ActionPlanRequested) -> list[ActionPlanReady]:
    bus.deliver(subjects.ACTIONPLAN_REQUESTED, asked.to_json())
    await bus.settle()
    assert bus.dead == []
    return [message for message in bus.published if isinstance(message, ActionPlanReady)]


async def test_the_answer_carries_the_ids_of_the_request(bus: FlakyBus) -> None:
    where = {"round": 3, "step": 1, "call": 2, "ticket": "t"}
    asked = request("goto_address", ADDRESS).model_copy(update=where)
    (ready,) = await answers(bus, asked)
    assert ready.answer.status is Status.OK
    assert (ready.request_id, ready.session_id) == ("req-1", "s-1")
    assert (ready.round, ready.step, ready.call) == (3, 1, 2)
    assert ready.message_id == "req-1/actionplan.ready/3/1/2/t"
    assert ready.subject == "actionplan.ready.req-1"


async def test_a_choice_comes_with_the_items_behind_it(bus: FlakyBus) -> None:
    (ready,) = await answers(bus, request("oereb_extract", PARCEL, BUILDING_RIGHT, choose=True))
    read = ActionPlanReady.from_json(ready.to_json())
    assert read.options == (PARCEL, BUILDING_RIGHT)
    assert [choice.id for choice in read.answer.choices] == ["req-1.2.0", "req-1.2.1"]


async def test_a_redelivered_request_is_answered_once(bus: FlakyBus) -> None:
    await answers(bus, request("goto_address", ADDRESS))
    assert len(await answers(bus, request("goto_address", ADDRESS))) == 1


async def test_a_broken_template_ends_the_step_with_an_error(
    bus: FlakyBus, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(request: ActionPlanRequested) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(handlers, "plan", broken)
    with caplog.at_level(logging.ERROR):
        (ready,) = await answers(bus, request("goto_address", ADDRESS))
    assert ready.answer.status is Status.ERROR
    assert ready.answer.intent == "goto_address"
    assert (ready.answer.map_actions, ready.answer.choices, ready.options) == ((), (), ())
    assert "secret" not in ready.answer.message
    assert "ZeroDivisionError" in caplog.text
    [record] = caplog.records
    assert (record.message, vars(record)["request_id"], vars(record)["intent"]) == (
        "template failed",
        "req-1",
        "goto_address",
    )


async def test_an_error_is_told_in_the_language_of_its_user(
    bus: FlakyBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handlers, "plan", None)
    (ready,) = await answers(bus, request("goto_address", ADDRESS, language="fr"))
    assert ready.answer.message == text("error", "fr")


async def test_an_answer_that_the_bus_refuses_is_tried_again(bus: FlakyBus) -> None:
    bus.refusals = 3
    (ready,) = await answers(bus, request("goto_address", ADDRESS))
    assert (ready.answer.status, bus.refusals) == (Status.OK, 0)
