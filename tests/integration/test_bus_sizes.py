"""Messages that are larger than a real NATS takes."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from contracts import subjects
from contracts.items import Address
from contracts.messages import ActionPlanReady, ActionPlanRequested, Outcome, PlanRequested
from contracts.status import Status
from contracts.subjects import Header
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError
from servicekit.bus import Bus
from servicekit.errors import MessageTooLarge
from servicekit.settings import ServiceSettings

from actionplanner import handlers as actionplanner

from .orchestrator_harness import run

MAX_BYTES = 1_048_576


@pytest.fixture
def settings(nats_url: str) -> ServiceSettings:
    return ServiceSettings(nats_url=nats_url, ack_wait_s=10, max_deliver=3, graceful_timeout_s=2)


@pytest.fixture
async def sender(settings: ServiceSettings) -> AsyncIterator[Bus]:
    bus = Bus("orchestrator", settings)
    await run(bus)
    yield bus
    await bus.broker.stop()


def requested(message: str) -> PlanRequested:
    deadline = datetime.now(UTC) + timedelta(seconds=30)
    return PlanRequested(request_id="req-1", session_id="s", deadline=deadline, user_message=message)


async def first(bus: Bus, stream: str) -> RawStreamMsg:
    """The first message of a stream, as soon as there is one."""
    async with asyncio.timeout(30):
        while True:
            try:
                return await bus.jetstream.get_msg(stream, seq=1)
            except NotFoundError:
                await asyncio.sleep(0.02)


async def test_what_is_too_large_only_with_its_headers_does_not_cost_the_connection(sender: Bus) -> None:
    connects = sender.connection.stats["reconnects"]
    around = len(requested("").to_json())
    for message in ("x" * (MAX_BYTES - around), "x" * MAX_BYTES):
        assert not sender.fits(requested(message))
        with pytest.raises(MessageTooLarge):
            await sender.publish(requested("small"), requested(message))
    assert (await sender.jetstream.stream_info("COMMANDS")).state.messages == 0
    fits = requested("x" * (MAX_BYTES - around - 500))
    assert sender.fits(fits)
    await sender.publish(fits)
    assert sender.connection.stats["reconnects"] == connects


async def test_a_dead_letter_without_room_for_a_word_about_it_is_kept_without_its_body(
    sender: Bus, settings: ServiceSettings
) -> None:
    planner = Bus("planner", settings)

    @planner.subscriber(subjects.PLAN_REQUESTED)
    async def on_plan(request: PlanRequested) -> None:
        raise AssertionError("unreadable")

    await run(planner)
    await sender.jetstream.publish(
        subjects.PLAN_REQUESTED, b"x" * (MAX_BYTES - 60), headers={Header.REQUEST_ID: "req-1"}
    )
    kept = await first(sender, "DEAD")
    assert kept.subject == "dead.planner.req-1"
    assert not kept.data and kept.headers is not None
    assert "bytes were left out" in kept.headers[Header.ERROR]
    async with asyncio.timeout(30):
        while (await sender.jetstream.stream_info("COMMANDS")).state.messages:
            await asyncio.sleep(0.02)
    await planner.broker.stop()


async def test_an_action_plan_over_the_limit_is_an_error_with_a_word_and_not_tried_again(
    sender: Bus, settings: ServiceSettings
) -> None:
    worker = Bus("actionplanner", settings)
    actionplanner.register(worker)
    await run(worker)
    found = tuple(
        Address(
            id=str(n),
            # Once as an item, once as a choice.
            label=f"Rötistrasse {n} " + "x" * 300_000,
            coord=(2605899, 1229278),
            street="Rötistrasse",
            postal_code="4500",
            locality="Solothurn",
        )
        for n in range(2)
    )
    request = ActionPlanRequested(
        request_id="req-1",
        session_id="s",
        deadline=datetime.now(UTC) + timedelta(seconds=30),
        step=0,
        ticket="t",
        intent="goto_address",
        outcome=Outcome(items=found),
        choose=True,
    )
    await sender.publish(request)
    ready = ActionPlanReady.from_json((await first(sender, "EVENTS")).data or b"")
    assert (ready.answer.status, ready.ticket, ready.options) == (Status.ERROR, "t", ())
    assert "zu gross" in ready.answer.message
    async with asyncio.timeout(30):
        while (await sender.jetstream.stream_info("COMMANDS")).state.messages:
            await asyncio.sleep(0.02)
    assert (await sender.jetstream.stream_info("DEAD")).state.messages == 0
    await worker.broker.stop()
