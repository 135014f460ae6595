"""What must hold when all is over: every turn has one end, and nothing is left of the faults."""

import os
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from contracts import keys, subjects
from contracts.turns import TurnEvent, TurnEventKind, log_entry
from tests.e2e.running import Conversation, Json, option, until

from ask import bus

from .record import Record
from .world import NO_LEADER, World

_OFFER = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"
_SETTLES_S = 60.0


@dataclass
class Before:
    """What must still be there in the end, and of what there must not be more."""

    talk: Conversation
    choice_id: str
    history: list[bytes | str]
    consumers: set[tuple[str, str]]
    processes: int


async def before(world: World, record: Record) -> Before:
    talk = Conversation(world.system.http, f"chaos-keeps-{world.dice.getrandbits(32):x}")
    loaded = await talk.say("Lade die Gewässerschutzkarte")
    offered = await talk.say(_OFFER)
    record.known |= {loaded["requestId"], offered["requestId"]}
    # A loss of power may be the first fault; what it takes along is what was said just before it.
    for disk in world.disks.values():
        await disk.settle()
    return Before(
        talk, option(offered, 1), await _history(world, talk), await _consumers(world), _children(os.getpid())
    )


async def after(world: World, record: Record, found: Before) -> None:
    """Raises `AssertionError`; what is wrong with a single turn is noted in its phase."""
    await _settled(world)
    dead = [f"{m.subject} {m.headers} {m.data!r}" async for m in bus.messages(world.system.js, "DEAD", ">")]
    assert not dead, "\n".join(dead)
    await _logs(world, record)
    async for key in world.system.redis.scan_iter(count=1_000):
        assert 0 < await world.system.redis.ttl(key) <= max(keys.TURN_TTL_S, keys.SESSION_TTL_S), key

    async def as_before() -> bool:
        try:
            return await _consumers(world) <= found.consumers
        except NO_LEADER:
            return False

    await until(as_before, _SETTLES_S)
    assert _children(os.getpid()) <= found.processes
    # What was said and offered before the first fault still is.
    assert await _history(world, found.talk) == found.history
    taken = await found.talk.choose(found.choice_id)
    assert taken["steps"][0]["mapActions"][-1]["payload"]["egrid"] == "CH710620327442"
    removed = await found.talk.say("Entferne den Gewässerschutzlayer")
    assert removed["overallStatus"] == "ok", removed


async def _settled(world: World) -> None:
    """Until nothing waits for anybody; a lost acknowledgement is noticed at the deadline of its turn.

    A NATS server that was killed may still have messages that are acknowledged, until they are an hour old.
    """
    js = world.system.js

    async def idle() -> bool:
        try:
            consumers = await js.consumers_info(subjects.COMMANDS.name)
        except NO_LEADER:
            return False
        return not any(each.num_pending or each.num_ack_pending for each in consumers)

    try:
        await until(idle, _SETTLES_S)
    except TimeoutError:
        left = [each async for each in bus.messages(js, subjects.COMMANDS.name, ">")]
        raise AssertionError(f"outstanding: {[(m.seq, m.subject, m.time) for m in left]}") from None


async def _history(world: World, talk: Conversation) -> list[bytes | str]:
    return list(await world.system.redis.lrange(keys.history(talk.inside), 0, -1))


async def _consumers(world: World) -> set[tuple[str, str]]:
    found = set()
    for stream in subjects.STREAMS:
        for each in await world.system.js.consumers_info(stream.name):
            found.add((stream.name, each.name))
    return found


def _children(pid: int) -> int:
    """All processes that this one has started, and those that they have."""
    parents = defaultdict(list)
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if after_name[0] != "Z":
            parents[int(after_name[1])].append(int(status.parent.name))
    found, todo = 0, [pid]
    while todo:
        children = parents[todo.pop()]
        found += len(children)
        todo += children
    return found


async def _logs(world: World, record: Record) -> None:
    """Every round of every turn has one end, which is the answer that the user has got."""
    logs: defaultdict[str, list[TurnEvent]] = defaultdict(list)
    for event in await _events(world):
        logs[event.request_id].append(event)
    for request_id, rounds in record.responses.items():
        answer = record.answers[request_id]
        if not record.may_be_gone(answer):
            answer.phase.doubled += _not_once(request_id, logs.get(request_id, []), rounds)
    # A retry that began a turn of its own would leave one that nobody knows.
    unknown = []
    for request_id in sorted(logs.keys() - record.responses.keys() - record.known):
        phase = record.phase_at(logs[request_id][0].at)
        if phase.forgets:
            # NATS has kept the message, and Redis not which key began it.
            phase.forgotten += 1
        else:
            unknown.append((phase, request_id))
    for phase, request_id in unknown[record.unanswered_calls :]:
        phase.doubled.append(f"nobody knows turn {request_id}")


def _not_once(request_id: str, events: list[TurnEvent], responses: list[Json]) -> list[str]:
    numbers = Counter(event.n for event in events)
    finished = sorted((e for e in events if e.kind is TurnEventKind.FINISHED), key=lambda e: e.n)
    ends = [e.response.model_dump(mode="json", exclude_none=True) for e in finished if e.response]
    made = sum(event.kind is TurnEventKind.CHOICE_MADE for event in events)
    problems = []
    if numbers != Counter(range(len(events))):
        problems.append(f"{request_id}: entries {sorted(numbers.elements())}")
    if ends != responses:
        problems.append(f"{request_id}: {len(ends)} ends in its log, {len(responses)} answers: {events}")
    if made != len(finished) - 1:
        problems.append(f"{request_id}: {made} choices made")
    return problems


async def _events(world: World) -> list[TurnEvent]:
    """The whole stream, with whatever is in it twice."""
    js = world.system.js
    total = (await js.stream_info(subjects.TURNS.name)).state.messages
    subscription = await js.subscribe("turn.*.*", ordered_consumer=True)
    messages = [log_entry((await subscription.next_msg(timeout=10)).data) for _ in range(total)]
    await subscription.unsubscribe()
    return [entry for each in messages if isinstance(each, TurnEvent) for entry in each.entries()]
