"""Gathers what is to be judged for one question at the same time, so that it is asked once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from servicekit.ownership import owner
from servicekit.wording import language

from tools_docs.gateways import Judged, Verdict

JudgeAll = Callable[[str, Sequence[Judged]], Awaitable[Sequence[Verdict]]]
"""One verdict for each document, in their order."""
_GATHERED_S = 0.02
"""The checks of a question are sent together and arrive within milliseconds; nobody notices the wait."""


class _Batch:
    def __init__(self) -> None:
        self.documents: list[Judged] = []
        self.waiting = 0
        self.is_full = asyncio.Event()
        self.task: asyncio.Task[Sequence[Verdict]] | None = None


class Gatherer:
    """See `gateways.Judge`. Never mixes questions, languages or users."""

    def __init__(self, judge_all: JudgeAll, at_most: int) -> None:
        self._judge_all = judge_all
        self._at_most = at_most
        self._open: dict[tuple[str, str, str], _Batch] = {}

    async def judge(self, query: str, document: Judged) -> Verdict:
        key = (query, language(), owner())
        batch = self._open.setdefault(key, _Batch())
        place = len(batch.documents)
        batch.documents.append(document)
        if batch.task is None:
            # It has the deadline of the first, which is that of all, and is on its account.
            batch.task = asyncio.create_task(self._judge(key, batch))
        if len(batch.documents) == self._at_most:
            self._close(key, batch)
        batch.waiting += 1
        try:
            return (await asyncio.shield(batch.task))[place]
        finally:
            batch.waiting -= 1
            if batch.waiting == 0:
                self._close(key, batch)
                batch.task.cancel()

    async def _judge(self, key: tuple[str, str, str], batch: _Batch) -> Sequence[Verdict]:
        try:
            async with asyncio.timeout(_GATHERED_S):
                await batch.is_full.wait()
        except TimeoutError:
            pass
        self._close(key, batch)
        return await self._judge_all(key[0], batch.documents)

    def _close(self, key: tuple[str, str, str], batch: _Batch) -> None:
        batch.is_full.set()
        if self._open.get(key) is batch:
            del self._open[key]
