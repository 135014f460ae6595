"""The handlers on a bus in memory: the message of a turn is its timer."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

from contracts import subjects
from contracts.messages import AnswerRequested, PlanRequested, ToolCalled, TurnReply
from servicekit.testing import MemoryBus
from world import DEFAULT_TOOLS, SEARCH, answer, asked, plan

from orchestrator.handlers import register
from orchestrator.service import TurnService
from orchestrator.transition import Limits

from .test_turn_service import Store


def serve(bus: MemoryBus, kind: Any, *wanted: str, silent_about: str = "") -> None:
    """A worker that never answers the check of one document."""

    async def on_command(command: Any) -> None:
        if not (silent_about and silent_about in str(getattr(command, "args", ""))):
            await bus.publish(answer(command, plan(SEARCH), DEFAULT_TOOLS))

    on_command.__annotations__["command"] = kind
    bus.subscriber(*wanted)(on_command)


async def test_a_check_that_nobody_answers_does_not_hold_up_the_turn_until_its_deadline() -> None:
    bus: Any = MemoryBus()
    replies: asyncio.Queue[TurnReply] = asyncio.Queue()
    turns = TurnService(Store(), bus, Limits(item_timeout=timedelta(milliseconds=50)))
    register(bus, turns)
    serve(bus, PlanRequested, subjects.PLAN_REQUESTED)
    serve(bus, AnswerRequested, subjects.ANSWER_REQUESTED)
    documents = (subjects.tool_call("documents.retrieve"), subjects.tool_call("documents.check"))
    serve(bus, ToolCalled, *documents, silent_about="'d2'")
    bus.listen("edge.reply.1", replies.put, TurnReply)
    await bus.start()
    await bus.publish(asked(deadline=datetime.now(UTC) + timedelta(hours=1)))
    async with asyncio.timeout(60):
        reply = await replies.get()
    assert reply.response is not None
    research = reply.response.steps[0].research
    assert research is not None
    assert [d.relevance_reason.partition(" ")[0] for d in research.tracked_documents] == [
        "Passt",
        "Zeitüberschreitung",
        "Passt",
    ]
    assert bus.acknowledged == ["ack.req-1/chat/x0"]
    for task in bus._tasks:
        task.cancel()
