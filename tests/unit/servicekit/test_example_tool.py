"""The tool of docs/tools.md, as a reader would run it."""

import asyncio
import runpy
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from contracts import subjects
from contracts.items import Place
from contracts.messages import ToolCalled, ToolResult
from contracts.status import Status
from in_memory import AnnouncingBus

EXAMPLE = Path(__file__).parents[3] / "examples" / "tools-hello" / "tools_hello.py"


async def call(sheet: str) -> ToolResult:
    """What comes back over the bus for one call."""
    bus = AnnouncingBus("tools-hello")
    toolbox = runpy.run_path(str(EXAMPLE))["register"](bus)
    results: asyncio.Queue[ToolResult] = asyncio.Queue()

    @bus.subscriber(subjects.TOOL_RESULT)
    async def on_result(result: ToolResult) -> None:
        await results.put(result)

    await bus.start()
    assert list(bus.bucket.entries) == ["maps.sheet"]
    deadline = datetime.now(UTC) + timedelta(seconds=30)
    await bus.publish(
        ToolCalled(
            request_id="r",
            session_id="s",
            deadline=deadline,
            step=0,
            capability="maps.sheet",
            args={"sheet": sheet},
        )
    )
    result = await asyncio.wait_for(results.get(), 60)
    await toolbox.stop()
    return result


async def test_the_example_finds_a_sheet() -> None:
    (place,) = (await call("1166")).outcome.items
    assert isinstance(place, Place)
    assert place.extent is not None
    # The old observatory in Bern, the origin of the Swiss coordinates.
    west, south, east, north = place.extent
    assert west <= 2_600_000 <= east
    assert south <= 1_200_000 <= north
    assert place.coord == ((west + east) / 2, (south + north) / 2)


@pytest.mark.parametrize("sheet", ["1999", "0", "Bern", "²"])
async def test_the_example_knows_no_other_sheets(sheet: str) -> None:
    outcome = (await call(sheet)).outcome
    assert outcome.status is Status.OK
    assert outcome.items == ()


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 40
