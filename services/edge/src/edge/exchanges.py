"""Who waits for what: one future for each HTTP exchange. No I/O."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic

from contracts.chat import ChatResponse

from edge import errors, ids
from edge.metrics import OLDEST_SECONDS, WAITING


@dataclass(frozen=True, slots=True)
class Forwarded:
    """The message turned out to answer an open choice."""

    choice_id: str


Ending = ChatResponse | Forwarded


@dataclass(slots=True, eq=False)
class Waiting:
    """One exchange, for as long as its client waits, and then its turn if that goes on."""

    exchange: str
    request_id: str
    session_id: str
    ending: asyncio.Future[Ending]
    resumable: bool = False
    """Whether its client can come back for the answer. Otherwise the turn ends when it leaves."""
    submitted: bool = False
    left: bool = False
    """Nobody waits any more; the exchange is kept until its turn has ended."""
    began: float = field(default_factory=monotonic)


class Exchanges:
    """The exchanges of one process."""

    def __init__(self) -> None:
        self._waiting: dict[str, Waiting] = {}
        self._refusing = False
        OLDEST_SECONDS.set_function(self.oldest_s)

    def oldest_s(self) -> float:
        """Age of the oldest that has no ending yet; 0 without one."""
        began = next((w.began for w in self._waiting.values() if not w.ending.done()), None)
        return 0.0 if began is None else monotonic() - began

    def __len__(self) -> int:
        """How many clients wait."""
        return sum(not waiting.left for waiting in self._waiting.values())

    @contextmanager
    def open(self, request_id: str, session_id: str) -> Iterator[Waiting]:
        """A place to wait. When refusing, raises `BusUnavailable`."""
        if self._refusing:
            # Not `ShuttingDown`, which promises that the turn goes on.
            raise errors.BusUnavailable()
        future: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        waiting = Waiting(ids.new_exchange(), request_id, session_id, future)
        self._waiting[waiting.exchange] = waiting
        WAITING.inc()
        try:
            yield waiting
        finally:
            del self._waiting[waiting.exchange]
            if not waiting.left:
                WAITING.dec()
            future.cancel()

    def leave(self, waiting: Waiting) -> None:
        """The client waits no more."""
        if not waiting.left:
            waiting.left = True
            WAITING.dec()

    def waiting(self) -> tuple[Waiting, ...]:
        """Those that have no ending yet."""
        return tuple(w for w in self._waiting.values() if not w.ending.done())

    def settle(self, exchange: str, response: ChatResponse | None, choice_id: str | None) -> bool:
        """Give an exchange its ending. False when it waits no more, or when neither is given."""
        ending: Ending | None = response
        if ending is None and choice_id is not None:
            ending = Forwarded(choice_id)
        waiting = self._waiting.get(exchange)
        if ending is None or waiting is None or waiting.ending.done():
            return False
        waiting.ending.set_result(ending)
        return True

    def end_session(self, session_id: str) -> None:
        """Nobody will answer the turns of a deleted session."""
        for waiting in self.waiting():
            if waiting.session_id == session_id:
                waiting.ending.set_exception(errors.SessionDeleted(request_id=waiting.request_id))

    def refuse(self) -> None:
        """Let nobody in any more."""
        self._refusing = True

    def release(self) -> None:
        """Let everybody go who still waits."""
        for waiting in self.waiting():
            waiting.ending.set_exception(errors.ShuttingDown(request_id=waiting.request_id))
