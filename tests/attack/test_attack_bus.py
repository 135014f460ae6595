"""What somebody can do who has taken over one service: as its user, with the permissions that are shipped.

The system is the real one. The attacker knows all ids of a turn; only tickets are told to nobody but the
service that was asked.
"""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import nats_users
import pytest
import pytest_asyncio
from contracts import subjects
from contracts.chat import ChatResponse, Step
from contracts.items import Address
from contracts.messages import (
    ActionPlanReady,
    AnswerReady,
    ChatCancelled,
    ChatRequested,
    EraseSession,
    Event,
    Outcome,
    PlanReady,
    ToolResult,
)
from contracts.plan import Plan, PlanStep
from contracts.status import Status
from contracts.subjects import TOOL_FAMILIES, Header
from contracts.turns import TurnEvent, TurnEventKind
from nats.js import JetStreamContext
from nats.js.errors import NotFoundError
from nats_users import SERVICES, Peer

from ask import turn
from ask.errors import AskError
from ask.permissions import users
from ask.stack import Stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

Told = Callable[[str, str], None]
MESSAGE = "Gehe zur Langendorfstrasse 19b in Solothurn"
FORGED = "Gefälscht"
BODIES = (b'{"batch":1,"no_wait":true}', b"", b'{"seq":99999999}', b'{"multi_last":["x"]}')
"""Requests that are answered with an empty message, which is a request to purge or to delete."""
UNHURRIED = {"ACK_WAIT_S": "30"}
"""What is delivered twice to who stands still is refused twice."""
STREAMS = (*(stream.name for stream in subjects.STREAMS), "KV_tools")


@dataclass
class Target:
    """The system, and connections as each of its users."""

    stack: Stack
    http: httpx.AsyncClient
    peers: dict[str, Peer]

    @property
    def js(self) -> JetStreamContext:
        """Of the operator, to look at what came of it."""
        return self.peers["ask"].connection.jetstream()

    async def say(self, message: str, session: str) -> dict[str, Any]:
        answered = await self.http.post("/api/chat", json={"sessionId": session, "userMessage": message})
        assert answered.status_code == 200, answered.text
        found: dict[str, Any] = answered.json()
        return found

    async def stored(self) -> dict[str, int]:
        """Messages by stream. Raises `NotFoundError` when one of them has gone."""
        return {name: (await self.js.stream_info(name)).state.messages for name in STREAMS}

    async def kept_of(self, request_id: str) -> list[str]:
        """The subjects under which anything is stored of a turn."""
        found: list[str] = []
        for stream in ("TURNS", "EVENTS", "DEAD", "COMMANDS"):
            info = await self.js.stream_info(stream, subjects_filter=">")
            found += [subject for subject in info.state.subjects or {} if request_id in subject]
        return found

    async def digested(self) -> None:
        """Until the orchestrator has taken all that was stored for it."""

        async def empty() -> bool:
            info = await self.js.consumer_info("EVENTS", "orchestrator")
            return (info.num_pending, info.num_ack_pending) == (0, 0)

        await until(empty)

    def refused(self, request_id: str) -> list[str]:
        """For which reasons the orchestrator has not taken messages of a turn."""
        log = (self.stack.logs_dir / "orchestrator.log").read_text(encoding="utf-8")
        lines = [json.loads(line) for line in log.splitlines() if "event refused" in line]
        return [line["reason"] for line in lines if line.get("request_id") == request_id]

    async def open_call(self, session: str) -> tuple[asyncio.Task[dict[str, Any]], TurnEvent]:
        """A new turn, and the call of a tool that it waits for."""
        before = (await self.js.stream_info("TURNS")).state.last_seq
        waiting = asyncio.create_task(self.say(MESSAGE, session))
        found: list[TurnEvent] = []

        async def called() -> bool:
            try:
                raw = await self.js.get_msg("TURNS", subject="turn.event.*")
            except NotFoundError:
                return False
            event = TurnEvent.from_json(raw.data or b"{}")
            is_it = event.kind is TurnEventKind.TOOL_CALLED and (raw.seq or 0) > before
            found[:] = [event] if is_it else []
            return bool(found)

        await until(called)
        return waiting, found[0]


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while not await condition():
            await asyncio.sleep(0.02)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def target(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Target]:
    folder = tmp_path_factory.mktemp("hijacked")
    with pytest.MonkeyPatch.context() as environment, nats_users.serving(folder) as (url, _):
        for name, value in nats_users.variables().items():
            environment.setenv(name, value)
        async with (
            Stack(
                folder / "data", nats_url=url, passwords=nats_users.PASSWORDS, environment=UNHURRIED
            ) as stack,
            httpx.AsyncClient(base_url=stack.url, timeout=45) as http,
            nats_users.peers(url) as peers,
        ):
            yield Target(stack, http, peers)


def forged(call: TurnEvent, service: str) -> dict[str, Event]:
    """Answers that somebody would give who was not asked, by the subject that is made for them."""
    common: dict[str, Any] = {
        "request_id": call.request_id,
        "session_id": call.session_id,
        "deadline": datetime.now(UTC) + timedelta(seconds=30),
    }
    step = {**common, "round": 0, "step": 0, "call": 0}
    place = Address(
        id="1", label=FORGED, coord=(2600000, 1200000), street=FORGED, postal_code="0", locality=FORGED
    )
    outcome = Outcome(items=(place,))
    answer = Step(intent="goto_address", status=Status.OK, message=FORGED)
    capability = call.detail["capability"]
    plan = Plan(steps=(PlanStep(intent="answer", message=FORGED),))
    made = (
        ToolResult(**step, service=service, capability=capability, outcome=outcome),
        PlanReady(**common, plan=plan),
        ActionPlanReady(**step, answer=answer),
        AnswerReady(**step, text=FORGED),
    )
    return {message.subject: message for message in made}


MAY_BE_ASKED = {
    # No subject there names a turn.
    "edge": ("STREAM.INFO.COMMANDS",),
    # It consumes the whole stream, and reads results in it once more; how much waits for whom names no turn.
    "orchestrator": ("DIRECT.GET.EVENTS", "CONSUMER.LIST.COMMANDS", "CONSUMER.LIST.EVENTS"),
}


async def test_request_ids_cannot_be_listed(target: Target, attack: Told) -> None:
    answer = await target.say(MESSAGE, "listed")
    wide = json.dumps({"subjects_filter": ">"}).encode()
    asked = [
        *((f"STREAM.INFO.{stream}", wide) for stream in STREAMS),
        *((f"{kind}.{stream}", b"") for kind in ("CONSUMER.LIST", "CONSUMER.NAMES") for stream in STREAMS),
        ("STREAM.LIST", wide),
        ("STREAM.NAMES", wide),
        *((f"STREAM.MSG.GET.{stream}", b'{"seq":1}') for stream in STREAMS),
        *((f"DIRECT.GET.{stream}", b'{"seq":1}') for stream in ("COMMANDS", "EVENTS", "DEAD")),
        *((f"STREAM.SNAPSHOT.{stream}", b"{}") for stream in STREAMS),
    ]
    for user in SERVICES:
        peer = target.peers[user]
        told: list[bytes] = []
        inbox = peer.connection.new_inbox()

        async def hear(message: Any, told: list[bytes] = told) -> None:
            told.append(message.data)

        await peer.connection.subscribe(inbox, cb=hear)
        for prefix in ("$JS.API", subjects.BUS_API):
            for request, body in asked:
                if request in MAY_BE_ASKED.get(user, ()):
                    await peer.may_say(f"{prefix}.{request}", body, inbox)
                    continue
                assert not await peer.may_say(f"{prefix}.{request}", body, inbox), (user, request)
        if user != "orchestrator":
            assert answer["requestId"].encode() not in b"".join(told), user
        assert told == [] or user in MAY_BE_ASKED, user
    assert await target.kept_of(answer["requestId"])
    attack("list request ids as each service", f"{len(asked)} kinds of requests refused to {len(SERVICES)}")


async def test_nobody_answers_for_another_and_nobody_keeps_a_right_answer_out(
    target: Target, attack: Told
) -> None:
    geo = target.stack.processes["tools-geo"]
    geo.kill(signal.SIGSTOP)
    try:
        waiting, call = await target.open_call("foreign")
        names = [f"{call.request_id}/{kind}/0/0/0" for kind in ("tool.result", "actionplan.ready")]
        names += [f"{call.request_id}/plan.ready", f"{call.request_id}/tool/0/0/0"]
        names += [f"{call.request_id}/event/{n}" for n in range(12)]
        names += [f"{name}/" for name in names]
        stored = foreign = 0
        for user in SERVICES:
            service = user if user in TOOL_FAMILIES else "tools-geo"
            peer = target.peers[user]
            for subject, message in forged(call, service).items():
                if not await peer.may_say(subject, message.to_json()):
                    foreign += 1
                    continue
                # What it may say, it says under every id that somebody else could need.
                for name in names:
                    assert await peer.may_say(subject, message.to_json(), Nats_Msg_Id=name)
                # And with the kind, or in the name, of another.
                for other in forged(call, "tools-geo").values():
                    assert await peer.may_say(subject, other.to_json())
                stored += 1
            own = subjects.tool_result("tools-geo", call.request_id)
            assert await peer.may_say(own, b"{}") is (user == "tools-geo")
        await target.digested()
        running = await target.http.get(f"/api/chat/{call.request_id}")
        reasons = set(target.refused(call.request_id))
    finally:
        geo.kill(signal.SIGCONT)
    answer = await waiting
    assert running.status_code == 202, running.text
    assert answer["overallStatus"] == "ok"
    assert FORGED not in json.dumps(answer, ensure_ascii=False)
    assert reasons == {"subject", "ticket"}
    attack("answer a call that was another's", f"{foreign} refused by NATS, {stored} by the orchestrator")
    attack("use the ids of right answers first", "the right answer came through")


async def test_a_turn_is_told_by_the_orchestrator_only(target: Target, attack: Told) -> None:
    geo = target.stack.processes["tools-geo"]
    geo.kill(signal.SIGSTOP)
    try:
        waiting, call = await target.open_call("told")
        step = Step(intent="goto_address", status=Status.OK, message=FORGED)
        ends = TurnEvent(
            request_id=call.request_id,
            session_id=call.session_id,
            n=call.n + 1,
            round=0,
            kind=TurnEventKind.FINISHED,
            at=datetime.now(UTC),
            response=ChatResponse.of(call.request_id, (step,)),
        )
        delta = subjects.turn_delta(call.request_id)
        for user in SERVICES:
            peer = target.peers[user]
            assert await peer.may_say(ends.subject, ends.to_json()) is (user == "orchestrator")
            assert await peer.may_say(delta, ends.to_json()) is (user == "responder")
    finally:
        geo.kill(signal.SIGCONT)
    await waiting
    attack("tell the end of a turn as each service", "refused; as a piece of an answer it is passed over")


async def test_log_entries_under_a_foreign_subject_are_passed_over(target: Target, attack: Told) -> None:
    answer = await target.say(MESSAGE, "log")
    request_id = answer["requestId"]
    before: list[object] = []

    async def is_complete() -> bool:
        # Who has asked is answered before all of it is stored.
        with suppress(AskError):
            before[:] = await turn.read(target.stack.nats_url, request_id)
        return any(isinstance(e, TurnEvent) and e.kind is TurnEventKind.FINISHED for e in before)

    await until(is_complete)
    false = [e for e in before if isinstance(e, TurnEvent)][-1].model_copy(update={"n": 99})
    peer = target.peers["responder"]
    assert await peer.may_say(subjects.turn_delta(request_id), false.to_json())
    for n in range(200):
        # The ids of what the orchestrator says next.
        header = {Header.MESSAGE_ID.replace("-", "_"): f"{request_id}/event/{n}"}
        assert await peer.may_say(subjects.turn_delta(request_id), b"{}", **header)
    assert await turn.read(target.stack.nats_url, request_id) == before
    attack("events of a turn on the subject of deltas", "passed over by every reader")


async def test_nobody_purges_deletes_or_rolls_up(target: Target, attack: Told) -> None:
    await target.say(MESSAGE, "purged")
    await target.digested()
    before = await target.stored()
    goals = [f"$JS.API.STREAM.{verb}.{stream}" for verb in ("PURGE", "DELETE") for stream in STREAMS]
    may = {user.name: user.publish for user in users()}
    tried = 0
    for user in SERVICES:
        peer = target.peers[user]
        if user == "orchestrator":
            # It erases sessions: of whoever takes it over, only the rest is refused.
            continue
        for goal in goals:
            assert not await peer.may_say(goal)
            for pattern in may[user]:
                if not pattern.startswith(("$JS.API", subjects.BUS_API)):
                    continue
                # The server would answer there, without asking whether this user may.
                # A fetch that waits would take away what the service itself is to do.
                for body in BODIES[:1] if ".MSG.NEXT." in pattern else BODIES:
                    await peer.connection.publish(pattern, body, goal)
                    tried += 1
        await peer.refused()
        for family in TOOL_FAMILIES.get(user, ()):
            name = f"$KV.tools.{family}.attack"
            assert await peer.may_say(name, b"", Nats_Rollup="all", KV_Operation="PURGE")
    await asyncio.sleep(0.5)
    after = await target.stored()
    assert all(after[name] >= before[name] for name in STREAMS if name != "COMMANDS"), (before, after)
    attack("purge and delete, also as the place for an answer", f"{tried} answers went nowhere")


async def test_the_orchestrator_is_nobodys_tool(target: Target, attack: Told) -> None:
    """What the edge asks of it ends up in subjects and in replies."""
    await target.say(MESSAGE, "deputy")
    before = await target.stored()
    edge = target.peers["edge"]
    for n, (request_id, reply_to) in enumerate(
        (
            ("req-00000000000000a1", "$JS.API.STREAM.PURGE.TURNS"),
            ("req-00000000000000a2", "edge.reply.*"),
            ("*", None),
            (">", "edge.reply.x"),
            ("req-1.x", None),
        )
    ):
        asked = ChatRequested(
            request_id=request_id,
            session_id="local.x",
            deadline=datetime.now(UTC) + timedelta(seconds=60),
            exchange=f"x{n}",
            reply_to=reply_to,
            user_message="Hallo",
        )
        assert await edge.may_say(asked.subject, asked.to_json())

    async def taken() -> bool:
        refused = [target.refused(request_id) for request_id in ("*", ">", "req-1.x")]
        return all(refused) and (await target.stored())["COMMANDS"] == 0

    await until(taken)
    after = await target.stored()
    assert after["TURNS"] >= before["TURNS"]
    assert {target.refused(request_id)[0] for request_id in ("*", ">", "req-1.x")} == {"request"}
    attack("have the orchestrator publish where the edge may not", "it says nothing there")


async def test_a_turn_is_ended_for_its_own_session_only(target: Target, attack: Told) -> None:
    geo = target.stack.processes["tools-geo"]
    geo.kill(signal.SIGSTOP)
    try:
        waiting, call = await target.open_call("cancelled")
        wish = ChatCancelled(
            request_id=call.request_id,
            session_id="local.another",
            deadline=datetime.now(UTC) + timedelta(seconds=30),
            exchange="x",
        )
        assert await target.peers["edge"].may_say(wish.subject, wish.to_json())

        async def refused() -> bool:
            return target.refused(call.request_id) == ["session"]

        await until(refused)
    finally:
        geo.kill(signal.SIGCONT)
    assert (await waiting)["overallStatus"] == "ok"
    attack("cancel a turn of another session", "the turn went on")


async def test_erasing_is_for_one_session(target: Target, attack: Told) -> None:
    mine, theirs = await target.say(MESSAGE, "mine"), await target.say(MESSAGE, "theirs")
    (event, *_) = await turn.read(target.stack.nats_url, mine["requestId"])
    for user in SERVICES:
        for session in ("*", ">", "", "local.*", event.session_id):
            wish = EraseSession(session_id=session, exchange="x", edge_id="x").to_json()
            if session == event.session_id and user == "edge":
                continue
            assert await target.peers[user].may_say(subjects.SESSION_ERASE, wish) is (user == "edge")
    await asyncio.sleep(0.3)
    assert await target.kept_of(mine["requestId"])
    deleted = await target.http.request("DELETE", "/api/chat", json={"sessionId": "mine"})
    assert deleted.status_code == 204
    assert await target.kept_of(mine["requestId"]) == []
    assert await target.kept_of(theirs["requestId"])
    attack("erase more than one session", "nothing wider than a session can be said")


async def test_nobody_makes_a_consumer_or_hears_answers_to_others(target: Target, attack: Told) -> None:
    for user in SERVICES:
        peer = target.peers[user]
        for stream in STREAMS:
            for verb in ("CREATE", "DURABLE.CREATE"):
                for name in ("", ".mine", f".{user}", f".{user}.{subjects.PLAN_REQUESTED}"):
                    assert not await peer.may_say(f"$JS.API.CONSUMER.{verb}.{stream}{name}", b"{}")
        for other in SERVICES:
            assert await peer.may_hear(f"_INBOX.{other}.>") is (user == other)
        assert not await peer.may_hear("_INBOX.>")
    attack("make consumers, read the inboxes of others", "refused to every service")
