"""What a subscriber asks the server for, and what it makes of the ends of its requests."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import nats
import pytest
from contracts import subjects
from contracts.messages import PlanRequested
from nats.aio.client import Client
from nats.aio.msg import Msg
from servicekit import consumer
from servicekit.bus import Bus
from servicekit.settings import ServiceSettings

from .orchestrator_harness import run, until

PERMITS = 8


def requested(request_id: str) -> PlanRequested:
    deadline = datetime.now(UTC) + timedelta(seconds=30)
    return PlanRequested(request_id=request_id, session_id="s", deadline=deadline, user_message="x")


@dataclass(frozen=True)
class Pull:
    """How many messages are asked for, and where to send them."""

    batch: int
    inbox: str


class Planner:
    """A service whose work lasts until it is let go. Its pulls are overheard, and answered like a server."""

    def __init__(self, bus: Bus, beside: Client) -> None:
        self.bus = bus
        self.pulls: list[Pull] = []
        self.begun: list[str] = []
        self.let_go = asyncio.Event()
        self._beside = beside
        bus.subscriber(subjects.PLAN_REQUESTED)(self._on_plan)

    async def _on_plan(self, command: PlanRequested) -> None:
        self.begun.append(command.request_id)
        await self.let_go.wait()

    async def overhear(self, msg: Msg) -> None:
        self.pulls.append(Pull(json.loads(msg.data)["batch"], msg.reply))

    async def say(self, status: str, left: int | None = None) -> None:
        """To whom asked first, that so many of its messages will not come."""
        pending = {} if left is None else {"Nats-Pending-Messages": str(left)}
        await self._beside.publish(self.pulls[0].inbox, headers={"Status": status, **pending})

    async def batches(self, count: int) -> list[int]:
        """Of all pulls, as soon as there are so many from one inbox."""
        await until(lambda: len(self.pulls) >= count)
        assert {pull.inbox for pull in self.pulls} == {self.pulls[0].inbox}
        return [pull.batch for pull in self.pulls]


@asynccontextmanager
async def a_planner(nats_url: str, ack_wait_s: float = 30) -> AsyncIterator[Planner]:
    settings = ServiceSettings(
        nats_url=nats_url, max_concurrency=PERMITS, ack_wait_s=ack_wait_s, graceful_timeout_s=2
    )
    beside = await nats.connect(nats_url)
    planner = Planner(Bus("planner", settings), beside)
    await beside.subscribe("$JS.API.CONSUMER.MSG.NEXT.COMMANDS.planner", cb=planner.overhear)
    await beside.flush()
    try:
        await run(planner.bus)
        await until(lambda: bool(planner.pulls))
        yield planner
    finally:
        planner.let_go.set()
        await planner.bus.broker.stop()
        await beside.close()


@pytest.fixture
async def planner(nats_url: str) -> AsyncIterator[Planner]:
    async with a_planner(nats_url) as started:
        yield started


async def test_what_an_expired_pull_has_left_is_asked_for_again(planner: Planner) -> None:
    await planner.say("408", left=5)
    assert await planner.batches(2) == [8, 5]


async def test_less_than_half_of_the_permits_waits_for_more(planner: Planner) -> None:
    await planner.say("408", left=3)
    await planner.say("408", left=1)
    assert await planner.batches(2) == [8, 4]


async def test_an_expired_pull_gives_back_no_more_than_was_asked_for(planner: Planner) -> None:
    await planner.say("408", left=20)
    assert await planner.batches(2) == [8, 8]


async def test_an_expired_pull_that_says_no_number_has_left_nothing(planner: Planner) -> None:
    for _ in range(4):
        await planner.say("408")
    await planner.say("408", left=4)
    assert await planner.batches(2) == [8, 4]


async def test_a_heartbeat_ends_no_pull(planner: Planner, caplog: pytest.LogCaptureFixture) -> None:
    await planner.say("100")
    await planner.say("100", left=4)
    await planner.say("408", left=5)
    assert await planner.batches(2) == [8, 5]
    assert "pull ended" not in caplog.messages


async def forever(subscriber: consumer.CreditSubscriber) -> None:
    """In the place of what it does at each tick."""
    await asyncio.Event().wait()


async def test_the_server_counts_what_is_left_like_the_client(
    nats_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer, "_PULL_EXPIRES_S", 3.0)
    monkeypatch.setattr(consumer, "_IDLE_HEARTBEAT_S", 1.5)
    # Who has heard nothing for two heartbeats, and be it that he stood still, would ask from a new inbox.
    monkeypatch.setattr(consumer.CreditSubscriber, "_keep_alive", forever)
    async with a_planner(nats_url) as planner:
        await planner.bus.publish(*(requested(f"r{n}") for n in range(3)))
        await until(lambda: len(planner.begun) == 3)
        await until(lambda: Pull(5, planner.pulls[0].inbox) in planner.pulls)


@pytest.mark.parametrize("left", [None, 2])
async def test_after_a_refused_pull_nothing_is_asked_for_any_more(
    planner: Planner, left: int | None, caplog: pytest.LogCaptureFixture
) -> None:
    await planner.bus.publish(requested("r1"))
    await until(lambda: planner.begun == ["r1"])
    await planner.say("409", left)
    await until(lambda: "pull ended" in caplog.messages)
    planner.let_go.set()
    assert await planner.batches(2) == [8, 8]


async def test_a_refused_pull_is_made_again_at_the_next_tick_from_a_new_inbox(nats_url: str) -> None:
    async with a_planner(nats_url, ack_wait_s=1.5) as planner:
        await planner.say("409")
        await until(lambda: len(planner.pulls) == 2)
        first, second = planner.pulls
        assert (second.batch, second.inbox != first.inbox) == (8, True)


async def test_the_work_goes_on_after_the_consumer_was_deleted(nats_url: str) -> None:
    async with a_planner(nats_url, ack_wait_s=1.5) as planner:
        await planner.bus.jetstream.delete_consumer("COMMANDS", "planner")
        await planner.bus.publish(requested("r1"))
        await until(lambda: planner.begun == ["r1"])
