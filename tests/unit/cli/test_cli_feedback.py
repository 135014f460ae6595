"""`ask feedback` on a real Redis."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from contracts import keys
from contracts.feedback import Feedback, Reason, StepOutcome, Verdict
from contracts.status import Status
from redis.asyncio import Redis
from typer.testing import CliRunner

from ask import feedback, main
from ask.errors import AskError
from ask.stack import Stack

NOW = datetime.now(UTC)


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    async with Stack(tmp_path / "data", services=[]) as stack:
        yield stack.redis_url


async def keep(url: str, n: int, verdict: Verdict = Verdict.DOWN, **more: Any) -> None:
    """The nth hour before now."""
    at = NOW - timedelta(hours=n)
    one = Feedback(
        request_id=f"req-{n}",
        message="Wo ist Olten?",
        steps=(StepOutcome(intent="goto_address", status=Status.OK),),
        at=at,
        verdict=verdict,
        **more,
    )
    async with Redis.from_url(url) as redis:
        await redis.hset(keys.feedback("local.s"), one.request_id, one.to_json())
        entry = keys.feedback_entry("local.s", one.request_id)
        await redis.zadd(keys.feedback_index(), {entry: at.timestamp() * 1000})


async def ids(url: str, **wanted: Any) -> list[str]:
    everything: dict[str, Any] = {"only_down": False, "since": None, "limit": 10}
    return [each.request_id for each in await feedback.read(url, **(everything | wanted))]


async def test_the_latest_come_first_and_can_be_chosen_from(url: str) -> None:
    for n in (5, 1, 30):
        await keep(url, n)
    await keep(url, 3, Verdict.UP)
    assert await ids(url) == ["req-1", "req-3", "req-5", "req-30"]
    assert await ids(url, only_down=True) == ["req-1", "req-5", "req-30"]
    assert await ids(url, since=timedelta(hours=12)) == ["req-1", "req-3", "req-5"]
    assert await ids(url, only_down=True, limit=2) == ["req-1", "req-5"]


async def test_what_is_gone_or_broken_is_passed_over(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feedback, "_PAGE", 2)
    for n in range(1, 6):
        await keep(url, n)
    async with Redis.from_url(url) as redis:
        await redis.hdel(keys.feedback("local.s"), "req-1", "req-2")
        await redis.hset(keys.feedback("local.s"), "req-4", b"{")
    assert await ids(url) == ["req-3", "req-5"]


async def test_a_line_each_for_programs_and_a_table_for_people(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    await keep(url, 1, reason=Reason.NOT_TRUE, comment="Rot\x1b[31m\nund falsch")
    found = await feedback.read(url, only_down=False, since=None, limit=1)

    async def as_before(*_: Any, **__: Any) -> list[Feedback]:
        return found

    monkeypatch.setattr(feedback, "read", as_before)
    show(url, as_json=True)
    (line,) = capsys.readouterr().out.splitlines()
    told = json.loads(line)
    assert (told["verdict"], told["reason"], told["requestId"]) == ("down", "not_true", "req-1")
    show(url, as_json=False)
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and "und falsch" in shown
    assert all(part in shown for part in ("Wo ist Olten?", "goto_address ok", "req-1", "not_true"))


def show(url: str, *, as_json: bool) -> None:
    import threading

    # It has a loop of its own, as on the terminal.
    arguments: dict[str, Any] = {"only_down": False, "since": None, "limit": 1, "as_json": as_json}
    thread = threading.Thread(target=feedback.run, args=(url,), kwargs=arguments)
    thread.start()
    thread.join(10)


async def test_without_any_it_says_so(url: str) -> None:
    assert await ids(url) == []


async def test_a_server_that_is_not_there_is_a_clear_line() -> None:
    with pytest.raises(AskError, match=r"redis://127\.0\.0\.1:9/0 ist nicht erreichbar"):
        await ids("redis://:secret@127.0.0.1:9/0")


def test_a_time_that_is_none_is_told() -> None:
    refused = CliRunner().invoke(main.app, ["feedback", "--since", "gestern"])
    assert isinstance(refused.exception, AskError) and "gestern" in str(refused.exception)
