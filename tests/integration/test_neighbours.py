"""Services of one process on a real NATS: what is handed over, what is stored, and what is held meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from contracts import subjects
from contracts.chat import Step
from contracts.messages import ActionPlanReady, ActionPlanRequested, ChatRequested
from contracts.status import Status
from servicekit.bus import Bus, Delivery, NackMessage
from servicekit.neighbours import Neighbours
from servicekit.settings import ServiceSettings

from .conftest import ServerProcess
from .orchestrator_harness import heartbeats, nothing_left, run, until


def soon(seconds: float = 30) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


def wanted(request_id: str = "req-1", step: int = 0) -> ActionPlanRequested:
    return ActionPlanRequested(
        request_id=request_id, session_id="s", deadline=soon(), step=step, intent="goto_address"
    )


class Process:
    """An orchestrator and an action planner side by side."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.orchestrator, self.actionplanner = Bus("orchestrator", settings), Bus("actionplanner", settings)
        neighbours = Neighbours()
        for bus in self.buses:
            bus.beside(neighbours)
        self.asked: list[ActionPlanRequested] = []
        self.answered: list[ActionPlanReady] = []
        self.began: list[int] = []
        """Which delivery of its message it was."""
        self.timers: list[str] = []
        self.lasts_s = 20.0
        self.let_go = asyncio.Event()
        self.let_go.set()
        self.fails = 0
        self.actionplanner.subscriber(subjects.ACTIONPLAN_REQUESTED)(self._on_asked)
        self.orchestrator.subscriber(subjects.ACTIONPLAN_READY)(self._on_answered)
        self.orchestrator.subscriber(subjects.CHAT_REQUESTED, timer=True, max_ack_pending=-1)(self._on_chat)

    @property
    def buses(self) -> tuple[Bus, Bus]:
        return self.orchestrator, self.actionplanner

    async def _on_asked(self, request: ActionPlanRequested) -> None:
        self.asked.append(request)
        await self.let_go.wait()
        if self.fails > 0:
            self.fails -= 1
            raise RuntimeError("not yet")
        answer = Step(intent=request.intent, status=Status.OK, message="fertig")
        await self.actionplanner.publish(ActionPlanReady(**request.envelope(), answer=answer))

    async def _on_answered(self, ready: ActionPlanReady) -> None:
        self.answered.append(ready)

    async def _on_chat(self, request: ChatRequested, delivery: Delivery) -> None:
        self.began.append(delivery.attempt)
        self.timers.append(delivery.ack_subject)
        if len(self.began) == 1 or self.lasts_s > 10:
            raise NackMessage(delay=self.lasts_s)

    async def start(self) -> None:
        for bus in self.buses:
            await run(bus)

    async def begin(self) -> None:
        """Start, and hold the message of a turn."""
        await self.start()
        await self.orchestrator.publish(chat())
        await until(lambda: self.began == [1])

    def give(self, command: ActionPlanRequested | None = None, *, beyond_room: bool = False) -> bool:
        return self.orchestrator.hand_over(command or wanted(), self.timers, beyond_room=beyond_room)

    async def die(self) -> None:
        """As the server sees it."""
        for bus in self.buses:
            await bus.connection.close()

    async def stop(self) -> None:
        self.let_go.set()
        for bus in self.buses:
            with suppress(Exception):
                await bus.broker.stop()


@pytest.fixture
async def make(nats_url: str) -> AsyncIterator[Callable[..., Process]]:
    made: list[Process] = []

    def one(**settings: Any) -> Process:
        settings = {"ack_wait_s": 30, "graceful_timeout_s": 2, "publish_timeout_s": 15} | settings
        made.append(Process(ServiceSettings(nats_url=nats_url, **settings)))
        return made[-1]

    yield one
    for process in made:
        await process.stop()


async def stored(process: Process) -> int:
    """Messages beside the one that began the turn."""
    info = [await process.orchestrator.jetstream.stream_info(name) for name in ("COMMANDS", "EVENTS")]
    return sum(each.state.last_seq for each in info) - len(process.began)


async def test_a_command_and_its_answer_are_handed_over_as_they_are(make: Callable[..., Process]) -> None:
    process = make()
    await process.begin()
    command = wanted()
    assert process.give(command)
    await until(lambda: bool(process.answered))
    assert process.asked[0] is command
    assert process.answered[0].answer.message == "fertig"
    assert await stored(process) == 0


async def test_what_came_by_the_bus_is_answered_by_the_bus(make: Callable[..., Process]) -> None:
    process = make()
    await process.start()
    await process.orchestrator.publish(wanted())
    await until(lambda: bool(process.answered))
    assert await stored(process) == 2


async def test_nothing_is_handed_over_to_who_is_not_there(make: Callable[..., Process]) -> None:
    process = make()
    await process.begin()
    assert process.give()
    await process.actionplanner.broker.stop()
    assert not process.give()


async def test_nothing_is_handed_over_of_a_turn_that_others_hold(make: Callable[..., Process]) -> None:
    process, other = make(), make()
    await process.begin()
    await other.start()
    other.timers = process.timers
    assert process.give() and not other.give()
    await process.orchestrator.acknowledge(process.timers[0])
    assert not process.give()


async def test_what_finds_no_room_is_left_to_the_bus(make: Callable[..., Process]) -> None:
    process = make(max_concurrency=2)
    await process.begin()
    process.let_go.clear()
    assert [process.give(wanted(step=n)) for n in range(4)] == [True, True, False, False]
    assert process.give(wanted(step=9), beyond_room=True)
    process.let_go.set()
    await until(lambda: len(process.answered) == 3)
    assert process.give(wanted(step=4))


async def test_what_fails_is_tried_again_by_the_bus(make: Callable[..., Process]) -> None:
    process = make()
    process.fails = 2
    await process.begin()
    assert process.give()
    await until(lambda: bool(process.answered))
    assert len(process.asked) == 3
    assert await stored(process) == 2


async def test_what_fails_waits_for_the_server(
    make: Callable[..., Process], nats_server: ServerProcess
) -> None:
    process = make()
    process.fails = 1
    await process.begin()
    process.let_go.clear()
    assert process.give()
    await until(lambda: bool(process.asked))
    nats_server.kill()
    process.let_go.set()
    await asyncio.sleep(1.5)
    nats_server.start()
    await until(lambda: bool(process.answered))


def chat() -> ChatRequested:
    return ChatRequested(
        request_id="req-1", session_id="s", deadline=soon(), exchange="x", user_message="Hallo"
    )


async def test_what_began_a_turn_is_held_as_long_as_its_process_lives(
    make: Callable[..., Process], nats_url: str
) -> None:
    process, other = make(ack_wait_s=9), make(ack_wait_s=9)
    async with heartbeats(nats_url, "orchestrator") as beats:
        await process.start()
        await process.orchestrator.publish(chat())
        await until(lambda: process.began == [1])
        await other.start()
        # Each of them begins the ack wait anew, long before it is over.
        await until(lambda: len(beats) >= 2)
    assert (process.began, other.began) == ([1], [])
    await process.die()
    await until(lambda: other.began == [2])


async def test_it_comes_back_when_its_time_is_over(make: Callable[..., Process]) -> None:
    process = make()
    process.lasts_s = 0.3
    await process.start()
    await process.orchestrator.publish(chat())
    # Of the same delivery: the server has not been asked.
    await until(lambda: process.began == [1, 1])
    await nothing_left(process.orchestrator)


async def test_it_comes_back_earlier_when_it_is_told_to(make: Callable[..., Process]) -> None:
    process = make()
    await process.start()
    await process.orchestrator.publish(chat())
    await until(lambda: process.began == [1])
    await process.orchestrator.redeliver(process.timers[0], 0.1)
    await until(lambda: process.began == [1, 1])


async def test_it_is_gone_when_its_turn_is_over(make: Callable[..., Process]) -> None:
    process = make()
    process.lasts_s = 5.0
    await process.start()
    await process.orchestrator.publish(chat())
    await until(lambda: process.began == [1])
    await process.orchestrator.acknowledge(process.timers[0])
    await nothing_left(process.orchestrator)
    await asyncio.sleep(process.lasts_s)
    assert process.began == [1]


async def test_who_leaves_gives_it_to_others_at_once(make: Callable[..., Process]) -> None:
    process, other = make(), make()
    await process.start()
    await process.orchestrator.publish(chat())
    await until(lambda: process.began == [1])
    await other.start()
    await process.stop()
    # Long before the ack wait is over.
    await until(lambda: other.began == [2], seconds=20)
