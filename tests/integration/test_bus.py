"""What any bus promises, on the real one and on its double in memory; and what only the real one can show."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from contracts import subjects
from contracts.messages import (
    Event,
    PlanReady,
    PlanRequested,
    ToolCalled,
    ToolResult,
    TurnReply,
    WorkCancelled,
)
from contracts.plan import Plan
from contracts.subjects import Header
from servicekit.bus import Bus, Delivery, NackMessage
from servicekit.errors import BusUnavailable
from servicekit.handler import backoff_s
from servicekit.settings import ServiceSettings
from servicekit.testing import MemoryBus

from .conftest import ServerProcess
from .orchestrator_harness import heartbeats, nothing_left, run, until

AnyBus = Bus | MemoryBus


def requested(request_id: str = "r1", message: str = "x", seconds: float = 30) -> PlanRequested:
    return PlanRequested(
        request_id=request_id,
        session_id="sitzung ä",
        deadline=datetime.now(UTC) + timedelta(seconds=seconds),
        user_message=message,
    )


class Repeated(PlanRequested):
    """The same command once more, under an id of its own."""

    @property
    def message_id(self) -> str:
        return f"{super().message_id}/again"


@pytest.fixture
def settings(request: pytest.FixtureRequest) -> ServiceSettings:
    url = request.getfixturevalue("nats_url")
    return ServiceSettings(
        nats_url=url, ack_wait_s=10, max_deliver=3, graceful_timeout_s=3, publish_timeout_s=15
    )


Start = Callable[[AnyBus], Awaitable[None]]


@asynccontextmanager
async def running_real(bus: Bus) -> AsyncIterator[None]:
    try:
        await run(bus)
        yield
    finally:
        await bus.broker.stop()


class BusPromises:
    """Inherited for each bus."""

    @pytest.fixture
    def bus(self) -> AnyBus:
        raise NotImplementedError

    @pytest.fixture
    def start(self) -> Start:
        raise NotImplementedError

    async def test_a_message_reaches_its_handler_typed(self, bus: AnyBus, start: Start) -> None:
        got: list[PlanRequested] = []

        @bus.subscriber(subjects.PLAN_REQUESTED)
        async def on_plan(command: PlanRequested) -> None:
            got.append(command)

        await start(bus)
        sent = requested()
        await bus.publish(sent)
        await until(lambda: bool(got))
        assert got == [sent]

    async def test_one_handler_takes_a_union_of_events(self, bus: AnyBus, start: Start) -> None:
        got: list[str] = []

        @bus.subscriber(subjects.PLAN_READY, subjects.TOOL_RESULT)
        async def on_event(event: Event) -> None:
            got.append(event.kind)

        await start(bus)
        base = requested()
        common = {"request_id": "r1", "session_id": "s", "deadline": base.deadline}
        await bus.publish(PlanReady(**common, plan=Plan()))
        await bus.publish(ToolResult(**common, step=0, service="t", capability="a.b", outcome={}))
        await until(lambda: len(got) == 2)
        assert sorted(got) == ["plan.ready", "tool.result"]

    async def test_the_same_message_twice_is_one(self, bus: AnyBus, start: Start) -> None:
        got: list[str] = []

        @bus.subscriber(subjects.PLAN_REQUESTED)
        async def on_plan(command: PlanRequested) -> None:
            got.append(command.request_id)

        await start(bus)
        await bus.publish(requested("r1"), requested("r1"))
        await bus.publish(requested("r1"))
        await bus.publish(requested("r2"))
        await until(lambda: "r2" in got)
        assert got == ["r1", "r2"]

    async def test_a_failed_handler_is_tried_again(self, bus: AnyBus, start: Start) -> None:
        attempts: list[int] = []

        @bus.subscriber(subjects.PLAN_REQUESTED)
        async def on_plan(command: PlanRequested, delivery: Delivery) -> None:
            attempts.append(delivery.attempt)
            if len(attempts) == 1:
                raise OSError("not now")

        await start(bus)
        await bus.publish(requested())
        await until(lambda: len(attempts) == 2)
        assert attempts == [1, 2]

    async def test_a_handler_that_stumbles_over_its_own_data_is_tried_again(
        self, bus: AnyBus, start: Start
    ) -> None:
        attempts: list[int] = []

        @bus.subscriber(subjects.PLAN_REQUESTED)
        async def on_plan(command: PlanRequested, delivery: Delivery) -> None:
            attempts.append(delivery.attempt)
            if len(attempts) == 1:
                Plan.from_json(b"no json")

        await start(bus)
        await bus.publish(requested())
        await until(lambda: len(attempts) == 2)

    async def test_work_that_nobody_waits_for_is_not_done(self, bus: AnyBus, start: Start) -> None:
        got: list[str] = []

        @bus.subscriber(subjects.PLAN_REQUESTED)
        async def on_plan(command: PlanRequested) -> None:
            got.append(command.request_id)

        await start(bus)
        await bus.publish(requested("late", seconds=-1), requested("in time"))
        await until(lambda: bool(got))
        assert got == ["in time"]

    async def test_cancelled_work_is_stopped_and_what_follows_of_its_round_is_not_begun(
        self, bus: AnyBus, start: Start
    ) -> None:
        begun: list[str] = []
        stopped: list[str] = []

        @bus.subscriber(subjects.PLAN_REQUESTED, cancellable=True)
        async def on_plan(command: PlanRequested) -> None:
            begun.append(command.request_id)
            if command.request_id == "r2":
                return
            try:
                await asyncio.sleep(30)
            finally:
                stopped.append(command.request_id)

        await start(bus)
        await bus.publish(requested("r1"))
        await until(lambda: begun == ["r1"])
        await bus.send(subjects.WORK_CANCELLED, WorkCancelled(request_id="r1", round=0))
        await until(lambda: stopped == ["r1"])
        await bus.publish(Repeated(**requested("r1").model_dump()))
        await bus.publish(requested("r2"))
        await until(lambda: "r2" in begun)
        assert begun == ["r1", "r2"]

    async def test_a_nack_with_delay_is_a_timer_that_an_acknowledgement_stops(
        self, bus: AnyBus, start: Start
    ) -> None:
        attempts: dict[str, int] = {}
        timers: dict[str, str] = {}

        @bus.subscriber(subjects.PLAN_REQUESTED)
        async def on_plan(command: PlanRequested, delivery: Delivery) -> None:
            attempts[command.request_id] = delivery.attempt
            timers[command.request_id] = delivery.ack_subject
            if delivery.attempt == 1:
                raise NackMessage(delay={"stopped": 3_600, "rings": 0.5}[command.request_id])

        await start(bus)
        await bus.publish(requested("stopped"), requested("rings"))
        await until(lambda: len(attempts) == 2)
        await bus.acknowledge(timers["stopped"])
        # Nothing is left that could be told to ring now.
        await bus.redeliver(timers["stopped"], 0.05)
        await until(lambda: attempts["rings"] == 2)
        await asyncio.sleep(0.2)
        assert attempts["stopped"] == 1

    async def test_core_messages_reach_a_listener(self, bus: AnyBus, start: Start) -> None:
        got: list[TurnReply] = []

        async def on_reply(reply: TurnReply) -> None:
            got.append(reply)

        bus.listen(subjects.reply("edge1"), on_reply, TurnReply)
        await start(bus)
        await bus.send(subjects.reply("edge1"), TurnReply(request_id="r", exchange="x"))
        await until(lambda: bool(got))
        assert got[0].exchange == "x"


class TestMemoryBus(BusPromises):
    @pytest.fixture
    def bus(self) -> AnyBus:
        return MemoryBus("planner", max_deliver=3)

    @pytest.fixture
    def start(self) -> Start:
        async def begin(bus: AnyBus) -> None:
            assert isinstance(bus, MemoryBus)
            await bus.start()

        return begin

    async def test_what_cannot_be_handled_is_kept_with_its_reason(self) -> None:
        bus = MemoryBus("planner", max_deliver=3)

        @bus.subscriber(subjects.PLAN_REQUESTED)
        async def on_plan(command: PlanRequested) -> None:
            raise RuntimeError("never")

        await bus.publish(requested())
        bus.deliver(subjects.PLAN_REQUESTED, b"no json")
        await bus.settle()
        assert sorted(bus.dead) == [
            (subjects.PLAN_REQUESTED, "RuntimeError: never"),
            (subjects.PLAN_REQUESTED, "unreadable: 1 errors"),
        ]


class TestRealBus(BusPromises):
    @pytest.fixture
    async def bus(self, settings: ServiceSettings) -> AsyncIterator[AnyBus]:
        made = Bus("planner", settings)
        yield made
        with suppress(Exception):
            await made.broker.stop()

    @pytest.fixture
    def start(self) -> Start:
        async def begin(bus: AnyBus) -> None:
            assert isinstance(bus, Bus)
            await run(bus)

        return begin

    async def test_what_cannot_be_handled_is_kept_with_its_reason(self, bus: Bus) -> None:
        @bus.subscriber(subjects.PLAN_REQUESTED)
        async def on_plan(command: PlanRequested) -> None:
            raise RuntimeError("never")

        await run(bus)
        await bus.publish(requested())
        await bus.jetstream.publish(subjects.PLAN_REQUESTED, b"no json")

        async def told() -> list[tuple[str, str, str]]:
            info = await bus.jetstream.stream_info("DEAD")
            found = []
            for seq in range(1, info.state.last_seq + 1):
                message = await bus.jetstream.get_msg("DEAD", seq)
                if message.headers:
                    names = (Header.REASON, Header.ERROR, Header.DELIVERIES)
                    found.append(tuple(message.headers[name] for name in names))
            return sorted(found)

        async with asyncio.timeout(30):
            while len(await told()) < 2:
                await asyncio.sleep(0.05)
        failed, unreadable = await told()
        assert failed == ("failed", "RuntimeError: never", "3")
        assert unreadable[0::2] == ("unreadable", "1")
        assert unreadable[1].startswith("Unreadable: 1 errors, first: Invalid JSON: ")
        await nothing_left(bus)

    async def test_long_work_is_not_given_to_another(self, settings: ServiceSettings) -> None:
        patient = settings.model_copy(update={"ack_wait_s": 9})
        one, other = Bus("planner", patient), Bus("planner", patient)
        started: list[str] = []
        let_go = asyncio.Event()

        def slow(bus: Bus) -> None:
            @bus.subscriber(subjects.PLAN_REQUESTED)
            async def on_plan(command: PlanRequested) -> None:
                started.append(command.request_id)
                await let_go.wait()
                started.append("done")

        slow(one)
        slow(other)
        async with (
            heartbeats(settings.nats_url, "planner") as beats,
            running_real(one),
            running_real(other),
        ):
            await one.publish(requested("slow", seconds=120))
            # Each of them begins the ack wait anew, long before it is over.
            await until(lambda: len(beats) >= 2)
            let_go.set()
            await until(lambda: "done" in started)
            assert started == ["slow", "done"]

    async def test_stopping_finishes_what_is_running_and_leaves_the_rest(
        self, settings: ServiceSettings, bus: Bus
    ) -> None:
        begun: list[str] = []
        done: list[str] = []

        @bus.subscriber(subjects.PLAN_REQUESTED)
        async def on_plan(command: PlanRequested) -> None:
            begun.append(command.request_id)
            await asyncio.sleep(0.5)
            done.append(command.request_id)

        await run(bus)
        await bus.publish(requested("running"))
        await until(lambda: bool(begun))
        await bus.broker.stop()
        assert done == ["running"]
        after = Bus("planner", settings)
        await after.connect()
        await nothing_left(after)
        await after.broker.stop()

    async def test_the_work_goes_on_after_the_server_was_killed(
        self, settings: ServiceSettings, bus: Bus, nats_server: ServerProcess
    ) -> None:
        got: list[str] = []
        reconnects: list[int] = []

        @bus.subscriber(subjects.PLAN_REQUESTED)
        async def on_plan(command: PlanRequested) -> None:
            got.append(command.request_id)

        async def reconnected() -> None:
            reconnects.append(1)

        bus.on_reconnect(reconnected)
        hasty = Bus("orchestrator", settings.model_copy(update={"publish_timeout_s": 0.5}))
        await hasty.connect()
        await run(bus)
        await bus.publish(requested("before"))
        await until(lambda: got == ["before"])
        nats_server.kill()
        await until(lambda: not bus.connection.is_connected and not hasty.connection.is_connected)
        with pytest.raises(BusUnavailable):
            await hasty.publish(requested("meanwhile"))
        nats_server.start()
        await until(lambda: bool(reconnects))
        await bus.publish(requested("after"))
        await until(lambda: "after" in got and hasty.connection.is_connected)
        await hasty.broker.stop()

    async def test_what_a_server_took_with_it_is_said_to_the_next_one(
        self, settings: ServiceSettings, nats_server: ServerProcess
    ) -> None:
        """As soon as that is there: nobody waits until the time of the publication is over."""
        got: list[str] = []
        bus = Bus("planner", settings.model_copy(update={"publish_timeout_s": 600.0}))

        @bus.subscriber(subjects.PLAN_REQUESTED)
        async def on_plan(command: PlanRequested) -> None:
            got.append(command.request_id)

        async with running_real(bus):
            await bus.publish(requested("before"))
            nats_server.kill()
            # The client does not know yet.
            assert bus.connection.is_connected
            publishing = asyncio.ensure_future(bus.publish(*(requested(f"r{n}") for n in range(3))))
            await until(lambda: not bus.connection.is_connected)
            assert not publishing.done()
            nats_server.start()
            async with asyncio.timeout(30):
                await publishing
            await until(lambda: set(got) == {"before", "r0", "r1", "r2"})
            info = await bus.jetstream.stream_info("COMMANDS")
            assert info.state.last_seq == 4

    @pytest.mark.parametrize("permits", [1, 4, 5])
    async def test_no_more_messages_than_permits_are_taken(
        self, settings: ServiceSettings, permits: int
    ) -> None:
        bus = Bus("planner", settings.model_copy(update={"max_concurrency": permits}))
        durations = Random(permits)
        running, most = 0, 0
        done: set[str] = set()
        let_go = asyncio.Event()

        @bus.subscriber(subjects.PLAN_REQUESTED)
        async def on_plan(command: PlanRequested) -> None:
            nonlocal running, most
            running += 1
            most = max(most, running)
            if command.user_message == "waits":
                await let_go.wait()
            else:
                await asyncio.sleep(durations.choice((0, 0.001, 0.01, 0.05)))
            running -= 1
            done.add(command.request_id)

        async with running_real(bus):
            await bus.publish(*(requested(f"r{n}") for n in range(60)))
            await until(lambda: len(done) == 60)
            # In whichever order the messages have ended, all permits are free again, and no more.
            await bus.publish(*(requested(f"w{n}", "waits") for n in range(permits + 3)))
            await until(lambda: running == permits)
            await asyncio.sleep(0.1)
            let_go.set()
            await until(lambda: len(done) == 60 + permits + 3)
        assert most == permits

    async def test_the_last_permit_is_used_while_long_work_holds_the_others(
        self, settings: ServiceSettings
    ) -> None:
        bus = Bus("planner", settings.model_copy(update={"max_concurrency": 4}))
        begun: list[str] = []
        let_go = asyncio.Event()

        @bus.subscriber(subjects.PLAN_REQUESTED)
        async def on_plan(command: PlanRequested) -> None:
            begun.append(command.request_id)
            if command.user_message == "waits":
                await let_go.wait()

        async with running_real(bus):
            # One permit comes back alone, and the other three are taken after it.
            await bus.publish(requested("short"))
            await until(lambda: begun == ["short"])
            for request_id in ("w1", "w2", "w3", "w4"):
                await bus.publish(requested(request_id, "waits"))
            try:
                await until(lambda: len(begun) == 5)
            finally:
                let_go.set()

    async def test_without_streams_publishing_says_what_is_missing(self, nats_server: ServerProcess) -> None:
        bus = Bus("planner", ServiceSettings(nats_url=f"nats://127.0.0.1:{nats_server.port}"))
        await bus.connect()
        with pytest.raises(BusUnavailable, match="streams"):
            await bus.publish(requested())
        await bus.broker.stop()


@pytest.mark.parametrize(("attempt", "delay_s"), [(1, 0.25), (2, 0.5), (4, 2.0), (12, 10.0)])
def test_the_back_off_doubles_up_to_ten_seconds(attempt: int, delay_s: float) -> None:
    assert backoff_s(attempt) == delay_s


def test_a_tool_call_has_its_capability_in_the_subject() -> None:
    call = ToolCalled(
        request_id="r", session_id="s", deadline=datetime.now(UTC), step=1, capability="a.b", args={}
    )
    assert call.subject == "tool.call.a.b"
    assert subjects.stream_of(call.subject) is subjects.COMMANDS


async def test_a_connection_that_is_ended_for_good_is_told(nats_url: str) -> None:
    told: asyncio.Queue[str] = asyncio.Queue()
    bus = Bus("planner", ServiceSettings(nats_url=nats_url), None, told.put_nowait)
    await bus.connect()
    assert await bus.problem() is None
    # After an error of the protocol the client library does not try again.
    bus.connection._transport.write(b"NONSENSE\r\n")  # type: ignore[union-attr]
    async with asyncio.timeout(30):
        assert (await told.get()).startswith("NATS has ended the connection for good (nats: ")
    assert await bus.problem() == "connection lost"
    await bus.broker.stop()


async def test_a_late_pong_harms_nothing(nats_url: str, nats_server: ServerProcess) -> None:
    bus = Bus("planner", ServiceSettings(nats_url=nats_url))
    await bus.connect()
    nats_server.send_signal(signal.SIGSTOP)
    try:
        async with asyncio.timeout(30):
            # One of its threads may still answer.
            while (found := await bus.problem()) is None:
                pass
        assert found == "no answer"
    finally:
        nats_server.send_signal(signal.SIGCONT)
    connected_as = bus.connection.client_id
    async with asyncio.timeout(30):
        while await bus.problem() is not None:
            await asyncio.sleep(0.05)
    assert bus.connection.client_id == connected_as
    await bus.broker.stop()
