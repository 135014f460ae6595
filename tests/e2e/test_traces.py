"""One trace a turn, from the request through every hop, in both shapes; taken by a real receiver."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio
from mcp import Client
from otlp_receiver import OtlpReceiver, Received, hops, orphans
from scripted_model import ScriptedModel

from .research import QUESTION
from .running import Shape, System, answer_of, option, running, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

SERVER, CLIENT, CONSUMER = 2, 3, 5
ADDRESS = "Gehe zur Langendorfstrasse 19b in Solothurn"
DISTINCTIVE = "Zwillingsbruder-Eberhard-Kunibert"
OEREB = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"
ANSWER = "Die Ausscheidung kostet einen Kredit [1]."
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
EVERY_HOP = {
    ("ask-edge", "POST /api/chat"): 1,
    ("ask-orchestrator", "process chat.requested"): 1,
    ("ask-planner", "process plan.requested"): 1,
    ("ask-orchestrator", "process plan.ready"): 1,
    ("ask-tools-geo", "process tool.call"): 1,
    ("ask-tools-geo", "execute_tool geolocation.geocode"): 1,
    ("ask-orchestrator", "process tool.result"): 1,
    ("ask-actionplanner", "process actionplan.requested"): 1,
    ("ask-orchestrator", "process actionplan.ready"): 1,
}
SHAPES = pytest.mark.parametrize(
    "traced", [Shape(), Shape(compact=True)], indirect=True, ids=["apart", "compact"], scope="module"
)


class Traced:
    """A system, and where it sends its traces."""

    def __init__(self, system: System, receiver: OtlpReceiver) -> None:
        self.system = system
        self.receiver = receiver

    async def of_turn(self, request_id: str, *last: str) -> list[Received]:
        """All spans of a turn, as soon as those named `last` are there; each process sends its own."""

        async def complete() -> bool:
            found = self.receiver.of_turn(request_id)
            return {*last} <= {span.name for span in found} and not orphans(found)

        try:
            await until(complete, 30)
        except TimeoutError:
            found = self.receiver.of_turn(request_id)
            raise AssertionError([(s.name, s.trace_id[:4], s.span_id, s.parent_id) for s in found]) from None
        return self.receiver.of_turn(request_id)

    async def everything(self) -> bytes:
        """All that was sent until the system has nothing left to do, and to send."""
        await self.system.settled()
        last = (await self.system.conversation().say(ADDRESS))["requestId"]
        await self.of_turn(last, "POST /api/chat", "process actionplan.ready")
        return b"".join(self.receiver.bodies)


@pytest.fixture(scope="module")
def receiver() -> Iterator[OtlpReceiver]:
    started = OtlpReceiver()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    served = ScriptedModel(relevant=("Grundwasserschutzzone",), answer=ANSWER)
    yield served
    served.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def traced(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, receiver: OtlpReceiver
) -> AsyncIterator[Traced]:
    folder = tmp_path_factory.mktemp("traced")
    # What is delivered twice to who stands still has spans of its own.
    environment = {**receiver.environment, "ACK_WAIT_S": "30"}
    async with running(folder, request.param, **environment) as system:
        yield Traced(system, receiver)


@SHAPES
async def test_a_turn_is_one_trace_through_every_hop(traced: Traced) -> None:
    response = await traced.system.conversation().say(ADDRESS)
    spans = await traced.of_turn(response["requestId"], "POST /api/chat", "process actionplan.ready")
    assert hops(spans) == Counter(EVERY_HOP)
    assert len({span.trace_id for span in spans}) == 1
    (root,) = (span for span in spans if not span.parent_id)
    assert (root.service, root.kind) == ("ask-edge", SERVER)
    by_id = {span.span_id: span for span in spans}
    above = {span.name: by_id[span.parent_id].name for span in spans if span.parent_id}
    assert above == {
        "process chat.requested": "POST /api/chat",
        "process plan.requested": "process chat.requested",
        "process plan.ready": "process plan.requested",
        "process tool.call": "process plan.ready",
        "execute_tool geolocation.geocode": "process tool.call",
        "process tool.result": "process tool.call",
        "process actionplan.requested": "process tool.result",
        "process actionplan.ready": "process actionplan.requested",
    }
    assert not any(span.is_error for span in spans)


@SHAPES
async def test_a_choice_of_a_later_request_is_a_trace_of_its_own_with_a_link_to_that_of_the_round_before(
    traced: Traced,
) -> None:
    talk = traced.system.conversation()
    offered = await talk.say(OEREB)
    request_id = offered["requestId"]
    before = await traced.of_turn(request_id, "POST /api/chat", "process actionplan.ready")
    await talk.choose(option(offered, 0))

    async def both() -> bool:
        found = traced.receiver.of_turn(request_id)
        begun = [span for span in found if span.name == "process chat.requested"]
        return len(begun) == 2 and not orphans(found) and len(roots(found)) == 2

    await until(both, 30)
    later = [span for span in traced.receiver.of_turn(request_id) if span not in before]
    assert len({span.trace_id for span in later}) == 1
    (resumed,) = (span for span in later if span.name == "process chat.requested")
    (begun,) = (span for span in before if span.name == "process chat.requested")
    assert resumed.links == ((begun.trace_id, begun.span_id),)
    assert begun.trace_id != resumed.trace_id and not begun.links


@SHAPES
async def test_every_endpoint_is_the_root_of_one_trace(traced: Traced) -> None:
    system = traced.system
    body = {"sessionId": f"e2e-{uuid4()}", "userMessage": ADDRESS}
    streamed = await system.http.post("/api/chat/stream", json=body)
    message = {"id": "1", "role": "user", "content": ADDRESS}
    run = {"threadId": str(uuid4()), "runId": str(uuid4()), "messages": [message]}
    agent = await system.http.post("/api/ag-ui/map", json=run)
    async with Client(f"{system.stack.url}/mcp", mode="auto") as client:
        called = await client.call_tool("ask", {"message": ADDRESS})
    assert called.structured_content is not None
    requests = {
        "POST /api/chat/stream": streamed.headers["ask-request-id"],
        "POST /api/ag-ui/map": agent.headers["ask-request-id"],
        "POST /mcp": called.structured_content["requestId"],
    }
    for endpoint, request_id in requests.items():
        spans = await traced.of_turn(request_id, endpoint, "process actionplan.ready")
        assert [span.name for span in roots(spans)] == [endpoint]
        assert hops(spans) == Counter(EVERY_HOP) - Counter({("ask-edge", "POST /api/chat"): 1}) + Counter(
            {("ask-edge", endpoint): 1}
        )


def roots(spans: list[Received]) -> list[Received]:
    return [span for span in spans if not span.parent_id]


@SHAPES
async def test_nothing_of_what_users_write_is_in_what_is_sent(traced: Traced) -> None:
    talk = traced.system.conversation()
    for said in (f"{ADDRESS}, zu {DISTINCTIVE}", f"Gehe zur {DISTINCTIVE} 5", f"{DISTINCTIVE}: {QUESTION}"):
        await talk.say(said)
    sent = await traced.everything()
    for word in (
        DISTINCTIVE,
        "Zwillingsbruder",
        "Kunibert",
        "Langendorf",
        "Grundwasser",
        "Langendorfstrasse 19b",
    ):
        assert word.encode() not in sent, word


@pytest.mark.parametrize("traced", [Shape()], indirect=True, ids=["apart"], scope="module")
async def test_a_trace_of_a_stranger_is_linked_to_and_not_gone_on_with(traced: Traced) -> None:
    body = {"sessionId": f"e2e-{uuid4()}", "userMessage": ADDRESS}
    answered = await traced.system.http.post("/api/chat", json=body, headers={"traceparent": CALLER})
    request_id = answer_of(answered)["requestId"]
    spans = await traced.of_turn(request_id, "POST /api/chat", "process actionplan.ready")
    (root,) = roots(spans)
    assert root.links == ((CALLER[3:35], CALLER[36:52]),)
    assert root.trace_id != CALLER[3:35]


@pytest.mark.parametrize("traced", [Shape()], indirect=True, ids=["apart"], scope="module")
async def test_log_lines_have_the_ids_of_the_trace(traced: Traced) -> None:
    request_id = (await traced.system.conversation().say(ADDRESS))["requestId"]
    spans = await traced.of_turn(request_id, "POST /api/chat", "process actionplan.ready")
    by_id = {span.span_id: (span.service, span.trace_id) for span in spans}
    lines = [
        json.loads(line)
        for log in traced.system.stack.logs_dir.glob("*.log")
        for line in log.read_text(encoding="utf-8").splitlines()
        if request_id in line
    ]
    assert {line["event"] for line in lines} >= {"handled", "request"}
    for line in lines:
        assert by_id[line["span_id"]] == (f"ask-{line['service']}", line["trace_id"])


async def test_a_message_that_is_delivered_again_has_a_link_and_stays_in_its_trace(
    tmp_path: Path, receiver: OtlpReceiver
) -> None:
    async with running(tmp_path, **receiver.environment, ACK_WAIT_S="10") as system:
        traced = Traced(system, receiver)
        with system.frozen("planner"):
            turn = asyncio.create_task(system.conversation().say(ADDRESS))
            await system.reached("planner")

            async def taken() -> bool:
                return bool((await system.js.consumer_info("COMMANDS", "planner")).num_ack_pending)

            await until(taken, 30)
            system.stack.kill("planner")
        response = await turn
        assert response["overallStatus"] == "ok"
        spans = await traced.of_turn(response["requestId"], "POST /api/chat", "process actionplan.ready")
        (again,) = (span for span in spans if span.name == "process plan.requested")
        assert again.attributes["ask.attempt"] >= 2
        assert again.links == ((again.trace_id, again.parent_id),)
        assert hops(spans) == Counter(EVERY_HOP)


@pytest.mark.parametrize("capture", [False, True])
async def test_calls_of_models_are_spans_with_their_tokens_and_texts_only_where_that_is_switched_on(
    tmp_path: Path, model: ScriptedModel, *, capture: bool
) -> None:
    receiver = OtlpReceiver()
    environment = {
        **receiver.environment,
        "OPENAI_API_KEY": "sk-for-tests-only",
        "OPENAI_BASE_URL": model.base_url,
        "JUDGE_MODEL": "small",
        "OTEL_CAPTURE_MESSAGES": str(capture).lower(),
        "ACK_WAIT_S": "30",
    }
    async with running(tmp_path, **environment) as system:
        traced = Traced(system, receiver)
        response = await system.conversation().say(QUESTION)
        spans = await traced.of_turn(response["requestId"], "POST /api/chat", "process answer.ready")
    receiver.stop()
    assert len(roots(spans)) == 1
    calls = [span for span in spans if span.attributes.get("gen_ai.operation.name") == "chat"]
    checks = len(response["steps"][0]["research"]["trackedDocuments"])
    assert hops(calls) == Counter(
        {
            ("ask-planner", "chat gpt-5-mini"): 1,
            ("ask-tools-docs", "chat small"): checks,
            ("ask-responder", "chat gpt-5-mini"): 1,
        }
    )
    (written,) = (span for span in calls if span.service == "ask-responder")
    texts = {"gen_ai.input.messages", "gen_ai.output.messages"}
    told = {name: value for name, value in written.attributes.items() if name not in texts}
    assert told == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5-mini",
        "gen_ai.usage.input_tokens": 900,
        "gen_ai.usage.output_tokens": 60,
        "gen_ai.response.finish_reasons": ["stop"],
    }
    assert written.kind == CLIENT
    sent = b"".join(receiver.bodies)
    assert (QUESTION.encode() in sent) is capture
    assert (b"Ausscheidung kostet" in sent) is capture
    assert all((texts <= call.attributes.keys()) is capture for call in calls)
