"""What is being written, stored in pieces in the log of the turn."""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self

from contracts.turns import AnswerDelta

MAX_PIECE_CHARS = 100_000
"""Fits into a message of NATS (1 MiB), whatever JSON makes of its characters."""
Publish = Callable[[AnswerDelta], Awaitable[None]]


class DeltaStream:
    """A sink that stores what is appended: the first piece at once, then at most one piece an interval.

    Used as a context manager; at its end everything is stored. Errors of `publish` are raised there.
    """

    def __init__(self, publish: Publish, ids: dict[str, Any], attempt: int, interval_s: float) -> None:
        """`ids`: request_id, session_id, round, step, call and retention_s of the answer."""
        self._publish = publish
        self._ids = ids
        self._attempt = attempt
        self._interval_s = interval_s
        self._text = ""
        self._withdrawn = False
        self._stored = 0
        self._news = asyncio.Event()
        self._storing: asyncio.Task[None] | None = None
        self._storing_piece: asyncio.Task[None] | None = None

    async def append(self, text: str) -> None:
        if text:
            self._text += text
            self._news.set()

    async def restart(self) -> None:
        self._text = ""
        self._withdrawn = self._stored > 0
        self._news.set()

    async def __aenter__(self) -> Self:
        self._storing = asyncio.create_task(self._keep_storing())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._storing is not None
        self._storing.cancel()
        (ended,) = await asyncio.gather(self._storing, return_exceptions=True)
        if kind is not None:
            return
        if isinstance(ended, Exception):
            raise ended
        if self._storing_piece is not None:
            await self._storing_piece
        await self._store()

    async def _keep_storing(self) -> None:
        while True:
            await self._news.wait()
            # Cancelled in the middle of storing, a piece would be neither stored nor kept.
            self._storing_piece = asyncio.create_task(self._store())
            await asyncio.shield(self._storing_piece)
            await asyncio.sleep(self._interval_s)

    async def _store(self) -> None:
        self._news.clear()
        text, restart = self._text, self._withdrawn
        if not text and not restart:
            return
        self._text, self._withdrawn = "", False
        # The bus takes no piece of any size.
        for start in range(0, max(len(text), 1), MAX_PIECE_CHARS):
            piece = text[start : start + MAX_PIECE_CHARS]
            again = restart and start == 0
            delta = AnswerDelta(**self._ids, attempt=self._attempt, k=self._stored, text=piece, restart=again)
            self._stored += 1
            await self._publish(delta)
