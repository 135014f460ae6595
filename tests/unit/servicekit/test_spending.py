"""What a tool asks of language models is told with its result."""

import asyncio
from datetime import UTC, datetime, timedelta

from contracts.messages import Outcome, ToolCalled, ToolResult, Usage
from pydantic import BaseModel
from servicekit.spending import counting, spend
from servicekit.testing import MemoryBus
from servicekit.tools import Toolbox


class Arguments(BaseModel):
    pass


async def test_what_tasks_of_a_tool_spend_is_counted_for_its_call_alone() -> None:
    bus = MemoryBus("tools-test")
    toolbox = Toolbox(bus)  # type: ignore[arg-type]

    @toolbox.tool("test.ask", returns=())
    async def ask(args: Arguments) -> Outcome:
        """Ask twice."""

        async def once() -> None:
            await asyncio.sleep(0)
            spend(Usage(calls=1, input_tokens=10, output_tokens=1))

        await asyncio.gather(once(), once())
        return Outcome()

    toolbox._subscribe()
    calls = [
        ToolCalled(
            request_id=f"r{n}",
            session_id="s",
            deadline=datetime.now(UTC) + timedelta(seconds=30),
            step=0,
            capability="test.ask",
            args={},
        )
        for n in range(3)
    ]
    await bus.publish(*calls)
    await bus.settle()
    results = [message for message in bus.published if isinstance(message, ToolResult)]
    assert [result.usage for result in results] == [Usage(calls=2, input_tokens=20, output_tokens=2)] * 3


def test_outside_of_a_call_nobody_counts() -> None:
    spend(Usage(calls=1))
    with counting() as spent:
        spend(Usage(calls=1))
    assert spent == [Usage(calls=1)]
