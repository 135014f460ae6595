"""Turns as streams of frames, for as long as a client reads them."""

import asyncio
import logging
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from math import inf

import servicekit.errors
from contracts.chat import ChatRequest, ChatResponse
from contracts.turns import TurnEvent, TurnEventKind, TurnState, TurnView
from servicekit.tasks import end
from servicekit.turnlog import Logged, LogReader, TurnLog

from edge import errors, ids
from edge.admission import Admission
from edge.askers import Asker
from edge.chat import Chat
from edge.encoding import Encoder
from edge.exchanges import Ending, Waiting
from edge.frames import PING
from edge.settings import EdgeSettings
from edge.turns import Turns

log = logging.getLogger("edge.streams")

_LOOK_S = 1.0
_GRACE_S = 2.0
"""How long the log may lag behind a reply; an answer that belongs to no turn is in no log at all."""


@dataclass
class Stream:
    """A turn that is being read; whoever reads it gives back its `place` in the end."""

    request_id: str
    asker: Asker
    after: int = 0
    waiting: Waiting | None = None
    """The exchange that began it; None for somebody who only reads along."""
    of_choice: bool = False
    """Whether the exchange answers a choice."""
    has_log: bool = True
    """Whether what comes of the exchange is told in the log of the turn."""
    further: list[ChatRequest] = field(default_factory=list)
    """What is to be submitted when that has its answer."""
    place: AsyncExitStack = field(default_factory=AsyncExitStack)
    turn: AsyncExitStack = field(default_factory=AsyncExitStack)
    """The part of its place that belongs to the turn."""


class _Stopping(Exception):
    """This replica ends its streams."""


class Streams:
    """Makes streams and runs them. What a client does not read in time is not kept for it: it can resume."""

    def __init__(
        self, chat: Chat, turns: Turns, turn_log: TurnLog, settings: EdgeSettings, admission: Admission
    ) -> None:
        self._chat = chat
        self._admission = admission
        self._turns = turns
        self._log = turn_log
        self._ping_period_s = settings.ping_period_s
        self._wait_timeout_s = settings.wait_timeout_s
        self._closing = asyncio.Event()

    async def begin(
        self,
        asker: Asker,
        request: ChatRequest,
        idempotency_key: str | None = None,
        *further: ChatRequest,
    ) -> Stream:
        """Submit a message or a choice, and then one after the other what is `further` asked.

        Raises an `EdgeError`.
        """
        request_id = await self._chat.request_id_for(request, idempotency_key)
        # What was said before a choice belongs to those who heard it then.
        after = await self._end(request_id) if request.choice_id else 0
        stream = self._seated(Stream(request_id, asker, after, further=list(further)))
        try:
            return await self._submitted(request, stream, resumable=idempotency_key is not None)
        except BaseException:
            await stream.place.__aexit__(*sys.exc_info())
            raise

    async def resume(self, asker: Asker, request_id: str, after: int) -> Stream | None:
        """Read a turn behind a position; None when it has nothing more to say. Raises an `EdgeError`."""
        outcome = await self._turns.outcome(request_id, asker.principal.owner)
        if not isinstance(outcome, ChatResponse) or outcome.request_id != request_id:
            return self._seated(Stream(request_id, asker, after))
        # Logs are kept for as long as turns, more or less: this one may be gone.
        has_log = await self._end(request_id) > 0
        if not has_log or await self._has_told(request_id, outcome, after):
            return None
        return self._seated(Stream(request_id, asker, after))

    def close(self) -> None:
        """End all streams: their clients go on at another replica."""
        self._closing.set()

    async def frames(self, stream: Stream, encoder: Encoder) -> AsyncGenerator[bytes, None]:
        """What is told of the turn, from the first that the client does not have to what ends it."""
        async with aclosing(self._follow(stream, encoder)) as following:
            try:
                async for sent in following:
                    yield sent
                last = encoder.end()
            except _Stopping:
                last = encoder.stop(stream.request_id)
            except errors.EdgeError as error:
                last = encoder.fail(error)
            except Exception:
                log.exception("stream failed", extra={"request_id": stream.request_id})
                last = encoder.fail(errors.InternalError(request_id=stream.request_id))
            if last is not None:
                yield last

    async def _has_told(self, request_id: str, answer: ChatResponse, until: int) -> bool:
        """Whether the log has the answer up to a position; a turn is over before its log says so."""
        async with self._log.reading(request_id) as reader:
            while (logged := await reader.next(0)) is not None and logged.position <= until:
                if isinstance(logged.entry, TurnEvent) and logged.entry.response == answer:
                    return True
        return False

    async def _end(self, request_id: str) -> int:
        self._admission.stores.check_bus()
        try:
            return await self._log.end(request_id)
        except servicekit.errors.BusUnavailable:
            raise errors.BusUnavailable() from None

    def _seated(self, stream: Stream) -> Stream:
        stream.place.enter_context(self._admission.stream(stream.asker))
        stream.place.push_async_exit(stream.turn)
        return stream

    async def _submitted(self, request: ChatRequest, stream: Stream, *, resumable: bool) -> Stream:
        # A further one comes after the end of the one before.
        await stream.turn.aclose()
        place = self._chat.waiting(stream.request_id, request.session_id, stream.asker, resumable=resumable)
        stream.waiting = await stream.turn.enter_async_context(place)
        stream.of_choice = request.choice_id is not None
        stream.has_log = not request.choice_id or ids.turn_of(request.choice_id) == stream.request_id
        await self._chat.submit(request, stream.waiting, stream.asker)
        if not stream.of_choice:
            # Another edge can be asked for it from now on, whether somebody has begun it or not.
            await self._turns.remember(stream.request_id, request.session_id)
        # From now on its client knows where to go on.
        stream.waiting.resumable = True
        return stream

    async def _follow(self, stream: Stream, encoder: Encoder) -> AsyncGenerator[bytes, None]:
        """One log after the other: a message may turn out to answer a choice of another turn."""
        while True:
            if sent := encoder.begin(stream.request_id):
                yield sent
            forwarded: Logged | None = None
            async with aclosing(self._one(stream, encoder)) as entries:
                async for logged, sent in entries:
                    if sent is not None:
                        yield sent
                    forwarded = logged if logged and _forward(logged) else None
            if forwarded is not None:
                request = ChatRequest(session_id=forwarded.entry.session_id, choice_id=_forward(forwarded))
            elif stream.further:
                request = stream.further.pop(0)
            else:
                return
            target = await self._chat.request_id_for(request)
            if forwarded is not None and target == stream.request_id:
                raise errors.InternalError(request_id=stream.request_id)
            stream.request_id = target
            # Whoever reads this submits it: the edge that was about to may be gone. Twice does no harm.
            await self._submitted(request, stream, resumable=True)

    async def _one(
        self, stream: Stream, encoder: Encoder
    ) -> AsyncGenerator[tuple[Logged | None, bytes | None], None]:
        """One log to its end: the entries with what is told of them, and pings."""
        if stream.waiting is not None and not stream.has_log:
            yield None, encoder.answer(await self._only_answer(stream.waiting))
            return
        clock = asyncio.get_running_loop().time
        answered: list[ChatResponse | None] = []
        until = clock() + self._wait_timeout_s
        silent_since = heard_at = clock()
        async with self._log.reading(stream.request_id) as reader, aclosing(self._heard(reader)) as heard:
            async for logged in heard:
                ending = _ending(stream)
                if logged is not None:
                    is_new = logged.position > stream.after
                    stream.after = max(stream.after, logged.position)
                    yield logged, encoder.take(logged.position, logged.entry, is_new)
                    silent_since = heard_at = clock()
                    if _forward(logged):
                        return
                    entry = logged.entry
                    if is_new and isinstance(entry, TurnEvent) and entry.kind is TurnEventKind.FINISHED:
                        answered.append(entry.response)
                        if await self._is_over(stream, entry.round, answered):
                            return
                elif isinstance(ending, ChatResponse) and clock() - heard_at >= _GRACE_S:
                    if ending not in answered:
                        # An answer that belongs to no turn is in no log.
                        yield None, encoder.answer(ending)
                    return
                elif stream.waiting is not None and clock() >= until:
                    raise errors.TurnTimeout(request_id=stream.request_id)
                elif clock() - silent_since >= self._ping_period_s:
                    silent_since = clock()
                    yield None, PING
                    if stream.waiting is None and not await self._runs(stream):
                        return
        raise _Stopping

    async def _heard(self, reader: LogReader) -> AsyncGenerator[Logged | None, None]:
        """The entries as they come, and None where there was none for a moment, until the streams end."""
        coming: asyncio.Task[Logged | None] | None = None
        try:
            while not self._closing.is_set():
                # It goes on over the moments: a reader that is asked anew looks into the log anew.
                coming = coming or asyncio.create_task(reader.next(inf))
                await asyncio.wait((coming,), timeout=_LOOK_S)
                if coming.done():
                    logged, coming = coming.result(), None
                    yield logged
                else:
                    yield None
        finally:
            await end(coming)

    async def _only_answer(self, waiting: Waiting) -> ChatResponse:
        """To a choice that no turn of the session has offered: there is nothing else to wait for."""
        try:
            async with asyncio.timeout(self._wait_timeout_s):
                ending = await waiting.ending
        except TimeoutError:
            raise errors.TurnTimeout(request_id=waiting.request_id) from None
        if not isinstance(ending, ChatResponse):
            raise errors.InternalError(request_id=waiting.request_id)
        return ending

    async def _is_over(self, stream: Stream, n: int, answered: list[ChatResponse | None]) -> bool:
        """Whether the client has what it waits for, now that round `n` has ended."""
        if stream.waiting is None:
            return not await self._runs(stream)
        # A message has one round, and its exchange is in it. Whose click a later round is, the reply tells.
        return (n == 0 and not stream.of_choice) or _ending(stream) in answered

    async def _runs(self, stream: Stream) -> bool:
        outcome = await self._turns.outcome(stream.request_id, stream.asker.principal.owner)
        return isinstance(outcome, TurnView) and outcome.state is TurnState.RUNNING


def _ending(stream: Stream) -> Ending | None:
    """What the exchange has ended with, if it has. Raises what it failed with."""
    if stream.waiting is None or not stream.waiting.ending.done():
        return None
    return stream.waiting.ending.result()


def _forward(logged: Logged) -> str | None:
    """The choice that a message turned out to answer."""
    entry = logged.entry
    chosen = entry.detail.get("forwardedTo") if isinstance(entry, TurnEvent) else None
    return chosen if isinstance(chosen, str) else None
