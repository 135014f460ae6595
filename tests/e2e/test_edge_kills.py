"""Edges that are killed while they stream an answer: another one goes on, and not a byte is different."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from contracts.turns import TurnEventKind
from edge_process import EdgeProcess, edge_process
from frame_reader import FrameReader
from scripted_model import ScriptedModel

from .research import QUESTION
from .running import CLIENT_TIMEOUT_S, Conversation, System, running, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

PIECES = (
    '```json\n{"action": "respond"}\n```\nDie Ausscheidung',
    " der Grundwasserschutzzonen",
    " kostet nach der Botschaft",
    " **einen Kredit**",
    " [1] von «2,4",
    " Millionen» Franken.\n\n",
    "- Für die Gemeinden:",
    " ein Drittel – für den Kanton \\ den Rest [1].\n",
    "- 💧 Nichts",
    " für die Fassung.",
)
"""Each of them becomes an event: none ends with what could be the beginning of something else."""
WRITTEN = "".join(PIECES).rpartition("```\n")[2]
"""What a reader gets of it."""
ALL = 100
"""More permits than there are steps."""
UNHURRIED: dict[str, Any] = {"TURN_TIMEOUT_S": "120", "WAIT_TIMEOUT_S": "125"}
"""The model takes the time it is given."""


class SteppingModel(ScriptedModel):
    """Plans, judges and writes one step for each permit."""

    def __init__(self) -> None:
        super().__init__(relevant=("Grundwasserschutzzone",), answer="".join(PIECES))
        self._permits: dict[str, threading.Semaphore] = {}
        self.begin()

    def begin(self) -> None:
        """No permits any more; whoever still waits for one goes on."""
        self.permit(plan=ALL, relevance=ALL, answer=ALL)
        self._permits = {kind: threading.Semaphore(0) for kind in ("plan", "relevance", "answer")}
        self.asked.clear()

    def permit(self, **steps: int) -> None:
        """`plan`, `relevance` and `answer`: so many more requests or pieces."""
        for kind, semaphore in self._permits.items():
            if steps.get(kind):
                semaphore.release(steps[kind])

    def plan(self, content: str) -> dict[str, Any]:
        self._step("plan")
        return super().plan(content)

    def judge(self, content: str) -> dict[str, Any]:
        self._step("relevance")
        return super().judge(content)

    def pieces(self) -> Iterator[str]:
        for piece in PIECES:
            self._step("answer")
            yield piece
        self._step("answer")

    def _step(self, kind: str) -> None:
        self._permits[kind].acquire(timeout=CLIENT_TIMEOUT_S)


@pytest.fixture(scope="module")
def serving_model() -> Iterator[SteppingModel]:
    served = SteppingModel()
    yield served
    served.stop()


@pytest.fixture
def model(serving_model: SteppingModel) -> Iterator[SteppingModel]:
    serving_model.begin()
    yield serving_model
    serving_model.begin()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(
    tmp_path_factory: pytest.TempPathFactory, serving_model: SteppingModel
) -> AsyncIterator[System]:
    environment = {
        "OPENAI_API_KEY": "sk-for-tests-only",
        "OPENAI_BASE_URL": serving_model.base_url,
        "OPENAI_TIMEOUT_S": "60",
        "CHECK_TIMEOUT_S": "60",
        "DOCS_CHECK_TIMEOUT_S": "60",
        # What is delivered twice to who stands still is asked twice.
        "ACK_WAIT_S": "30",
    }
    async with running(tmp_path_factory.mktemp("edges"), **environment, **UNHURRIED) as started:
        yield started


@pytest.fixture
def talk(system: System) -> Conversation:
    return system.conversation()


@asynccontextmanager
async def doomed_edge(system: System, folder: Path) -> AsyncIterator[tuple[EdgeProcess, httpx.AsyncClient]]:
    """A second replica, to be killed, and a client of it."""
    stack, log = system.stack, folder / "edge.log"
    async with (
        edge_process(
            stack.nats_url, stack.redis_url, log, EDGE_SECRET=stack.edge_secret, **UNHURRIED
        ) as edge,
        httpx.AsyncClient(base_url=edge.url, timeout=CLIENT_TIMEOUT_S) as http,
    ):
        yield edge, http


async def follow(
    http: httpx.AsyncClient, request_id: str, reader: FrameReader, last_id: str | None = None
) -> FrameReader:
    """All that an edge tells of a turn, or all behind an event."""
    headers = {"Last-Event-ID": last_id} if last_id else {}
    async with http.stream("GET", f"/api/chat/{request_id}/stream", headers=headers) as response:
        await reader.read(response)
    return reader


async def arrived(reader: FrameReader, event: str, times: int) -> None:
    """Until the reader has seen so many events of a kind."""

    async def seen() -> bool:
        return reader.events.count(event) >= times

    await until(seen, CLIENT_TIMEOUT_S)


def asked(http: httpx.AsyncClient, talk: Conversation, key: str | None = None) -> Any:
    """A question whose answer is streamed."""
    body = {"sessionId": talk.session_id, "userMessage": QUESTION}
    headers = {"Idempotency-Key": key} if key else {}
    return http.stream("POST", "/api/chat/stream", json=body, headers=headers)


@dataclass(frozen=True)
class Moment:
    """When an edge dies: the model has come so far, and the last of these events has reached the client."""

    event: str
    times: int
    plan: int = 0
    checks: int = 0
    pieces: int = 0

    async def come(self, model: SteppingModel, reader: FrameReader) -> None:
        model.permit(plan=self.plan, relevance=self.checks)
        for n in range(self.pieces):
            model.permit(answer=1)
            # What is written before the last piece has arrived would become one event with the next.
            await arrived(reader, "answer.delta", n + 1)
        await arrived(reader, self.event, self.times)


MOMENTS = {
    "after the plan": Moment("documents.found", 1, plan=1),
    "while documents are checked": Moment("document.checked", 2, plan=1, checks=2),
    "after the first words": Moment("answer.delta", 1, plan=1, checks=ALL, pieces=1),
    "in mid-sentence": Moment("answer.delta", 5, plan=1, checks=ALL, pieces=5),
    "before the end": Moment("answer.delta", len(PIECES), plan=1, checks=ALL, pieces=len(PIECES)),
}


@pytest.mark.parametrize("comes_back", ["at once", "when all is over"])
@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS.keys())
async def test_a_client_of_a_killed_edge_gets_the_bytes_that_an_undisturbed_one_gets(
    system: System,
    model: SteppingModel,
    talk: Conversation,
    moment: Moment,
    comes_back: str,
    tmp_path: Path,
) -> None:
    before, rest, undisturbed = FrameReader(), FrameReader(), FrameReader()
    async with doomed_edge(system, tmp_path) as (edge, http), asyncio.TaskGroup() as group:
        async with asked(http, talk) as response:
            request_id = response.headers["ask-request-id"]
            disturbed_task = group.create_task(before.read(response))
            undisturbed_task = group.create_task(follow(system.http, request_id, undisturbed))
            await moment.come(model, before)
            await edge.kill()
            await disturbed_task
        assert before.events[-1] == moment.event
        assert before.events.count(moment.event) == moment.times
        if comes_back == "at once":
            group.create_task(follow(system.http, request_id, rest, before.last_id))
        model.permit(plan=ALL, relevance=ALL, answer=ALL)
        if comes_back == "when all is over":
            await undisturbed_task
            await follow(system.http, request_id, rest, before.last_id)
    assert (rest.status, undisturbed.status) == (200, 200), undisturbed.bytes
    assert b"".join(before.frames + rest.frames) == b"".join(undisturbed.frames)
    assert undisturbed.events[-1] == "turn.finished"
    said = "".join(data["text"] for data in map(undisturbed.data, deltas_of(undisturbed)))
    assert said == undisturbed.data(-2)["answer"]["message"]
    assert said.rpartition("\n\n")[0] == WRITTEN
    assert model.asked.count("answer") == 1


def deltas_of(reader: FrameReader) -> list[int]:
    return [n for n, event in enumerate(reader.events) if event == "answer.delta"]


async def test_a_question_that_a_killed_edge_has_taken_is_answered_and_can_be_read_from_every_event_on(
    system: System, model: SteppingModel, talk: Conversation, tmp_path: Path
) -> None:
    async with doomed_edge(system, tmp_path) as (edge, http), asked(http, talk) as response:
        request_id = response.headers["ask-request-id"]
        await edge.kill()
    # Nobody reads along.
    model.permit(plan=ALL, relevance=ALL, answer=ALL)

    async def finished() -> bool:
        return (await system.turn(request_id)).status_code == 200

    await until(finished, CLIENT_TIMEOUT_S)
    whole = await follow(system.http, request_id, FrameReader())
    assert whole.events[0] == "turn.started"
    assert whole.data(-1)["response"] == (await system.turn(request_id)).json()
    for n in range(1, len(whole.frames) + 1):
        had = FrameReader()
        had.bytes = b"".join(whole.frames[:n])
        rest = await follow(system.http, request_id, FrameReader(), had.last_id)
        assert (rest.status, rest.frames) == (200 if rest.frames else 204, whole.frames[n:])


async def test_a_client_that_does_not_even_know_its_turn_asks_again_and_reads_the_same_one(
    system: System, model: SteppingModel, talk: Conversation, tmp_path: Path
) -> None:
    async with doomed_edge(system, tmp_path) as (edge, http):
        async with asked(http, talk, "asked-again"):
            request_id = await system.begun(talk)
            await edge.kill()
        again = FrameReader()
        async with asked(system.http, talk, "asked-again") as response:
            model.permit(plan=ALL, relevance=ALL, answer=ALL)
            await again.read(response)
    assert again.headers["ask-request-id"] == request_id
    assert again.events[-1] == "turn.finished"
    assert again.frames == (await follow(system.http, request_id, FrameReader())).frames
    assert await system.count(request_id, TurnEventKind.STARTED) == 1
    assert model.asked.count("plan") == model.asked.count("answer") == 1
