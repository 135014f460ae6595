"""Reads the event log of a turn in order, without a gap or a double.

An entry is fetched by its position: the server keeps no state for a reader, so that a reader can go on on
another process, and a restarted server has nothing to forget. The messages themselves, which NATS also
delivers to plain subscribers, only say that it is time to look.
"""

import asyncio
import json
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress

import nats.errors
from contracts import subjects
from contracts.turns import AnswerDelta, TurnEvent, log_entry
from nats.aio.msg import Msg
from nats.js.errors import NotFoundError
from pydantic import ValidationError
from servicekit.bus import Bus
from servicekit.errors import BusUnavailable
from servicekit.logorder import Logged, LogOrder

__all__ = ["LogReader", "Logged", "TurnLog"]

log = logging.getLogger("ask.turnlog")

_LOOK_S = (1.0, 2.0, 4.0, 8.0)
"""Should the message that says so be lost: how long until somebody looks anyway, and then again. Thousands of
readers that look every second keep the server from storing anything."""
_LOOK_AGAIN_S = (0.002, 0.01, 0.05, 0.25, *_LOOK_S)
"""A plain subscriber can hear of an entry just before it is stored."""
_AWAY_S = 0.25
_DIRECT_GET = f"$JS.API.DIRECT.GET.{subjects.TURNS.name}"
_GET_TIMEOUT_S = 5.0
_ENTRIES = 1_000
"""More than one stored message has; so many positions belong to it."""
_GAP_S = 15.0
"""An event that a process died before storing is stored by another after the ack wait; later than this it is
gone."""


class LogReader:
    """Made by `TurnLog.reading`. Reads from the beginning: only so the order is the same for every reader."""

    def __init__(self, bus: Bus, request_id: str) -> None:
        self._position = 0
        self._order = LogOrder()
        self._ready: deque[Logged] = deque()
        self._bus = bus
        self._subject = subjects.turn_log(request_id)
        self._woken = asyncio.Event()
        self._heard_at = 0.0

    async def wake(self, _: Msg | None = None) -> None:
        self._woken.set()

    async def next(self, timeout_s: float) -> Logged | None:
        """The next entry, or None when there was none for `timeout_s` seconds. Waits out lost connections."""
        clock = asyncio.get_running_loop().time
        until = clock() + timeout_s
        pauses: tuple[float, ...] = _LOOK_S
        while not self._ready:
            self._woken.clear()
            stored = await self._fetch()
            if stored is None:
                pauses = _LOOK_S
            if stored:
                for logged in stored:
                    self._ready.extend(self._order.take(logged))
                self._heard_at = clock()
                continue
            if self._order.is_waiting and clock() - self._heard_at > _GAP_S:
                self._ready.extend(self._order.give_up())
                continue
            remaining = until - clock()
            if remaining <= 0:
                return None
            try:
                async with asyncio.timeout(min(pauses[0], remaining)):
                    await self._woken.wait()
                pauses = _LOOK_AGAIN_S
            except TimeoutError:
                pauses = pauses[1:] or pauses
        return self._ready.popleft()

    async def _fetch(self) -> list[Logged] | None:
        """The entries of the next message; none when there is none, None when that cannot be known."""
        stream = subjects.TURNS.name
        while True:
            try:
                found = await self._bus.jetstream.get_msg(
                    stream, seq=self._position + 1, subject=self._subject, direct=True, next=True
                )
            except NotFoundError:
                return []
            except (TimeoutError, nats.errors.Error) as error:
                log.warning("the log of a turn cannot be read", extra={"reason": repr(error)})
                await asyncio.sleep(_AWAY_S)
                return None
            self._position = found.seq or self._position + 1
            try:
                entry = log_entry(found.data or b"")
            except ValidationError:
                # Of a newer version; what it means is of no use here.
                log.warning("unreadable log entry", extra={"position": self._position})
                continue
            if entry.subject == found.subject:
                entries: Iterator[TurnEvent | AnswerDelta] = entry.entries()
                return [Logged(_position(self._position, k), each) for k, each in enumerate(entries)]
            # Who may write pieces of answers is not thereby somebody who says how turns go on.
            log.warning("log entry under a foreign subject", extra={"position": self._position})


class TurnLog:
    """The logs of all turns."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._readers: set[LogReader] = set()
        bus.on_reconnect(self._wake)

    async def _wake(self) -> None:
        """What was said meanwhile, nobody has heard."""
        for reader in tuple(self._readers):
            await reader.wake()

    async def end(self, request_id: str) -> int:
        """The position of the last entry; 0 when there is none. Raises `BusUnavailable`."""
        wanted = json.dumps({"last_by_subj": subjects.turn_log(request_id)}).encode()
        try:
            found = await self._bus.connection.request(_DIRECT_GET, wanted, timeout=_GET_TIMEOUT_S)
        except (TimeoutError, nats.errors.Error) as error:
            raise BusUnavailable(f"{BusUnavailable.__doc__} ({type(error).__name__})") from None
        sequence = int((found.header or {}).get("Nats-Sequence", "0"))
        return _position(sequence, _ENTRIES - 1) if sequence else 0

    @asynccontextmanager
    async def reading(self, request_id: str) -> AsyncIterator[LogReader]:
        """A reader of all entries, and of those that will come."""
        reader = LogReader(self._bus, request_id)
        connection = self._bus.connection
        heard = [
            await connection.subscribe(subject, cb=reader.wake)
            for subject in (subjects.turn_event(request_id), subjects.turn_delta(request_id))
        ]
        self._readers.add(reader)
        try:
            yield reader
        finally:
            self._readers.discard(reader)
            for subscription in heard:
                # When the connection is gone, so is the subscription.
                with suppress(nats.errors.Error):
                    await subscription.unsubscribe()


def _position(sequence: int, k: int) -> int:
    """Of an entry in the log: grows with the messages, and with the entries that are stored in one."""
    return sequence * _ENTRIES + min(k, _ENTRIES - 1)
