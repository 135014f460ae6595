"""Several replicas with caches of their own work on the same turn."""

import asyncio
from datetime import timedelta

from contracts.base import Contract
from contracts.chat import ChatResponse
from contracts.messages import ChatRequested, Command, Event, TurnReply
from contracts.plan import Plan
from contracts.session import Session
from contracts.turns import TurnEvent, TurnEventKind
from hypothesis import given, settings
from hypothesis import strategies as st
from servicekit.bus import Publishable
from world import NOW, Tool, World, answer, asked, clicked

from orchestrator.conductor import Conductor
from orchestrator.memory import Change
from orchestrator.state import Turn

from .turn_strategies import plans, tool_sets


class Store:
    """Redis in a dictionary: a version check, and other work between reading and writing."""

    def __init__(self) -> None:
        self.turns: dict[str, Turn] = {}
        self.conflicts = 0

    async def load(self, request_id: str) -> Turn | None:
        await asyncio.sleep(0)
        return self.turns.get(request_id)

    async def open(self, session_id: str, request_id: str) -> tuple[Session, Turn | None]:
        return Session(), await self.load(request_id)

    async def was_deleted(self, request_id: str) -> bool:
        return False

    async def delete_turns(self, session_id: str) -> tuple[str, ...]:
        raise NotImplementedError

    async def forbid(self, request_id: str) -> bool:
        return request_id not in self.turns

    async def save(self, turn: Turn, changes: tuple[Change, ...]) -> Turn | None:
        await asyncio.sleep(0)
        current = self.turns.get(turn.request_id)
        if (current.version if current else 0) != turn.version:
            self.conflicts += 1
            return None
        saved = turn.model_copy(update={"version": turn.version + 1})
        self.turns[turn.request_id] = saved
        return saved


class Everybody:
    """The bus as the conductors see it; workers answer at once, deliveries wait to be drawn."""

    def __init__(self, plan: Plan, tools: dict[str, Tool]) -> None:
        self.plan, self.tools = plan, tools
        self.pending: list[ChatRequested | Event] = []
        self.seen: set[str] = set()
        self.log: dict[str, TurnEvent] = {}
        self.replies: dict[str, set[str]] = {}
        self.responses: dict[str, ChatResponse | None] = {}

    async def publish(self, *messages: Publishable) -> None:
        for message in messages:
            await asyncio.sleep(0)
            if isinstance(message, TurnEvent):
                assert self.log.setdefault(message.message_id, message) == message
            elif message.message_id not in self.seen:
                self.seen.add(message.message_id)
                self._work(message)

    def _work(self, command: Command | Publishable) -> None:
        self.pending.append(answer(command, self.plan, self.tools))  # type: ignore[arg-type]

    async def send(self, subject: str, message: Contract) -> None:
        assert isinstance(message, TurnReply)
        self.replies.setdefault(message.exchange, set()).add(repr(message.response))
        self.responses[message.exchange] = message.response

    async def acknowledge(self, ack_subject: str) -> None:
        """The timer of a deadline; there are none here."""

    async def redeliver(self, ack_subject: str, delay_s: float) -> None:
        """The same."""

    async def erase(self, request_id: str) -> None:
        raise NotImplementedError

    def fits(self, message: Publishable) -> bool:
        return True


async def run(bus: Everybody, conductors: list[Conductor], data: st.DataObject) -> None:
    def draw(below: int) -> int:
        return data.draw(st.integers(0, below - 1))

    async def deliver(message: ChatRequested | Event) -> None:
        conductor = conductors[draw(len(conductors))]
        if isinstance(message, ChatRequested):
            await conductor.chat(message, "timer")
        else:
            await conductor.event(message)

    while bus.pending:
        batch = [bus.pending.pop(draw(len(bus.pending))) for _ in range(min(len(bus.pending), 1 + draw(3)))]
        batch += [message for message in batch if draw(6) == 0]
        await asyncio.gather(*(deliver(message) for message in batch))


@settings(max_examples=150)
@given(plan=plans, tools=tool_sets(), data=st.data())
def test_replicas_with_stale_caches_come_to_the_same_response_once(
    plan: Plan, tools: dict[str, Tool], data: st.DataObject
) -> None:
    calm = World(plan, tools)
    expected = calm.ask()
    store, bus = Store(), Everybody(plan, tools)
    conductors = [Conductor(store, bus, timedelta(minutes=15), now=lambda: NOW) for _ in range(3)]

    async def scenario() -> None:
        bus.pending.append(asked())
        await run(bus, conductors, data)
        for n, choice in enumerate([c.id for s in expected.steps for c in s.choices][:1], start=1):
            bus.pending += [clicked(choice, exchange=f"x{n}"), clicked(choice, exchange=f"y{n}")]
            await run(bus, conductors, data)

    asyncio.run(scenario())
    assert bus.replies["x0"] == {repr(expected)}
    finished = [e for e in bus.log.values() if e.kind is TurnEventKind.FINISHED]
    assert len(finished) == len({e.round for e in finished}) == len(store.turns["req-1"].rounds)
    if "x1" in bus.replies:
        assert bus.replies["x1"] == bus.replies["y1"] == {repr(calm.ask(clicked(finished_choice(expected))))}


def finished_choice(response: ChatResponse) -> str:
    return next(c.id for s in response.steps for c in s.choices)
