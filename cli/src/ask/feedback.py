"""`ask feedback`: what users think of answers."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import cast

import typer
from contracts import keys
from contracts.feedback import Feedback, Verdict
from contracts.urls import without_password
from pydantic import ValidationError
from redis.asyncio import Redis
from redis.exceptions import RedisError
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ask.errors import AskError, Exit
from ask.texts import text

_TIMEOUT_S = 8.0
_PAGE = 200
_COLUMNS = ("time", "verdict", "reason", "comment", "message", "steps", "request")


def run(redis_url: str, *, only_down: bool, since: timedelta | None, limit: int, as_json: bool) -> None:
    """The latest first. Raises `AskError`."""
    found = asyncio.run(read(redis_url, only_down=only_down, since=since, limit=limit))
    if as_json:
        for each in found:
            typer.echo(each.to_json().decode())
        return
    console = Console(highlight=False)
    if not found:
        console.print(text("feedback_none"))
        return
    table = Table(box=None, pad_edge=False)
    for column in _COLUMNS:
        table.add_column(text(f"column_{column}"), overflow="fold")
    for each in found:
        table.add_row(*(Text(_shown(part)) for part in _row(each)))
    console.print(table)


async def read(redis_url: str, *, only_down: bool, since: timedelta | None, limit: int) -> list[Feedback]:
    """Raises `AskError`."""
    after = datetime.now(UTC) - since if since is not None else None
    found: list[Feedback] = []
    try:
        async with (
            asyncio.timeout(_TIMEOUT_S),
            Redis.from_url(redis_url, socket_connect_timeout=3) as redis,
        ):
            async for each in _latest(redis, after):
                if not only_down or each.verdict is Verdict.DOWN:
                    found.append(each)
                if len(found) == limit:
                    break
    except (RedisError, TimeoutError, OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        line = text("redis_unreachable", url=without_password(redis_url), reason=reason)
        raise AskError(line, Exit.UNREACHABLE) from None
    return found


async def _latest(redis: Redis, after: datetime | None) -> AsyncIterator[Feedback]:
    """At most as much as is kept; what cannot be read is passed over."""
    least = "-inf" if after is None else int(after.timestamp() * 1000)
    for start in range(0, keys.MAX_FEEDBACK, _PAGE):
        entries = cast(
            "list[bytes]",
            await redis.zrevrangebyscore(keys.feedback_index(), "+inf", least, start=start, num=_PAGE),
        )
        if not entries:
            return
        async with redis.pipeline(transaction=False) as pipe:
            for entry in entries:
                field, _, key = entry.partition(b" ")
                pipe.hget(key, field)
            documents = await pipe.execute()
        for document in documents:
            try:
                if document is not None:
                    yield Feedback.from_json(document)
            except ValidationError:
                continue


def _row(each: Feedback) -> tuple[str, ...]:
    steps = ", ".join(f"{step.intent} {step.status}" for step in each.steps)
    at = each.at.astimezone().strftime("%d.%m. %H:%M:%S")
    return at, each.verdict, each.reason or "", each.comment or "", each.message, steps, each.request_id


def _shown(part: str) -> str:
    """On one line, and without what a terminal would obey."""
    return "".join(char if char.isprintable() else " " for char in part)
