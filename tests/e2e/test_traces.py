"""One trace a turn, from the request through every hop, in both shapes; taken by a real receiver."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from otlp_receiver import OtlpReceiver, Received, hops, orphans
from scripted_model import ScriptedModel

from .running import Shape, System, running, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

SERVER, CLIENT, CONSUMER = 2, 3, 5
SENTENCE = "Gehe zur Langendorfstrasse 19b in Solothurn, zu meinem Zwillingsbruder Eberhard-Kunibert"
ADDRESS = "Gehe zur Langendorfstrasse 19b in Solothurn"
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

        await until(complete, 30)
        return self.receiver.of_turn(request_id)


@pytest.fixture(scope="module")
def receiver() -> Iterator[OtlpReceiver]:
    started = OtlpReceiver()
    yield started
    started.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def traced(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, receiver: OtlpReceiver
) -> AsyncIterator[Traced]:
    folder = tmp_path_factory.mktemp("traced")
    async with running(folder, request.param, **receiver.environment) as system:
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
