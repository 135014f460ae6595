"""One HTTP exchange from the request to the answer."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import timedelta
from functools import partial
from time import monotonic
from typing import Any

from contracts.chat import ChatRequest, ChatResponse
from contracts.languages import DEFAULT_LANGUAGE
from contracts.messages import ChatCancelled, ChatRequested, Outcome
from contracts.owners import owner_of
from contracts.plan import ToolCall
from contracts.status import Status
from contracts.turns import TurnState, TurnView
from servicekit import clock
from servicekit.tasks import end
from servicekit.telemetry import observe

from edge import errors, ids
from edge.admission import Admission
from edge.askers import Asker
from edge.exchanges import Ending, Exchanges, Forwarded, Waiting
from edge.metrics import TURN_SECONDS, TURNS
from edge.settings import EdgeSettings
from edge.turns import Turns

log = logging.getLogger("edge.chat")

_OVERDUE_S = 2.0
"""A turn tells of its own end by then, or somebody else will."""

Submit = Callable[[ChatRequested | ChatCancelled], Awaitable[None]]
"""Returns when the message is stored. Raises `BusUnavailable` or `QueueFull`."""
Erase = Callable[[str], Awaitable[None]]
"""Returns when the bus keeps nothing of the turns of a session any more. Raises `BusUnavailable`."""


class Chat:
    """Submits turns and waits for them. `inbox` is where replies to this process go."""

    def __init__(
        self,
        exchanges: Exchanges,
        turns: Turns,
        submit: Submit,
        erase: Erase,
        inbox: str,
        settings: EdgeSettings,
        admission: Admission,
    ) -> None:
        self._exchanges = exchanges
        self._turns = turns
        self._submit = submit
        self._erase = erase
        self._inbox = inbox
        self._turn_timeout_s = settings.turn_timeout_s
        self._wait_timeout_s = settings.wait_timeout_s
        self._anonymous_retention_s = settings.anonymous_retention_s
        self._cell = settings.cell
        self._admission = admission
        self._going_on: set[asyncio.Task[None]] = set()

    async def answer(
        self, request: ChatRequest, asker: Asker, idempotency_key: str | None = None
    ) -> ChatResponse:
        """The response to a message or a choice, whatever its status. Raises an `EdgeError`.

        When it is cancelled, so is its turn, unless a key leads back to it.
        """
        resumable = idempotency_key is not None
        until = asyncio.get_running_loop().time() + self._wait_timeout_s
        request_id = await self.request_id_for(request, idempotency_key)
        ending = await self._turn(request_id, request.session_id, until, _asked(request), asker, resumable)
        if isinstance(ending, Forwarded):
            request = ChatRequest(session_id=request.session_id, choice_id=ending.choice_id)
            request_id = await self.request_id_for(request)
            ending = await self._turn(
                request_id, request.session_id, until, _asked(request), asker, resumable
            )
        if isinstance(ending, Forwarded):
            log.error("a choice was forwarded to another choice", extra={"request_id": request_id})
            raise errors.InternalError(request_id=request_id)
        return ending

    async def call(self, call: ToolCall, session_id: str, asker: Asker) -> tuple[str, Outcome]:
        """What a tool finds that is called by its name, and where it is kept. Raises an `EdgeError`."""
        until = asyncio.get_running_loop().time() + self._wait_timeout_s
        request_id = ids.new_request_id(self._cell)
        ending = await self._turn(request_id, session_id, until, {"call": call}, asker)
        found = await self._turns.found(request_id, owner_of(session_id))
        if found is None and isinstance(ending, ChatResponse):
            # Nobody has answered in time.
            found = Outcome(status=Status.ERROR, message=" ".join(step.message for step in ending.steps))
        if found is None:
            raise errors.InternalError(request_id=request_id)
        return request_id, found

    async def request_id_for(self, request: ChatRequest, idempotency_key: str | None = None) -> str:
        """A choice belongs to the turn that offered it, a repeated request to its first turn; everything
        else begins a turn."""
        # Before anything is read or written.
        self._admission.check()
        request_id = await self._of_choice(request) or ids.new_request_id(self._cell)
        if idempotency_key is None:
            return request_id
        return await self._turns.claim(request, idempotency_key, request_id)

    async def _of_choice(self, request: ChatRequest) -> str | None:
        """The turn that offered a choice. One that is not of this session does as one that has never been:
        neither its log is read nor anything sent to it."""
        found = ids.turn_of(request.choice_id) if request.choice_id else None
        return found if found and await self._turns.is_of(found, request.session_id) else None

    @asynccontextmanager
    async def waiting(
        self, request_id: str, session_id: str, asker: Asker, *, resumable: bool
    ) -> AsyncIterator[Waiting]:
        """A place to wait for the answer. Raises an `EdgeError` when there is none.

        The turn keeps its place until it has ended, also when its client leaves; so nobody can begin more
        turns by not waiting for them. Who cannot come back for the answer takes its turn along.
        """
        async with AsyncExitStack() as place:
            permit = await place.enter_async_context(self._admission.turn(asker, session_id))
            waiting = place.enter_context(self._exchanges.open(request_id, session_id))
            waiting.resumable = resumable
            waiting.ending.add_done_callback(partial(_measured, waiting, asker.interface))
            unwanted = False
            try:
                yield waiting
            except asyncio.CancelledError:
                unwanted = not waiting.resumable
                raise
            finally:
                if waiting.submitted and not waiting.ending.done():
                    self._exchanges.leave(waiting)
                    permit.stopped = unwanted
                    task = asyncio.create_task(self._go_on(place.pop_all(), waiting, unwanted))
                    self._going_on.add(task)
                    task.add_done_callback(self._going_on.discard)

    async def stop(self) -> None:
        """Give back what turns hold that nobody waits for."""
        await end(*self._going_on)

    async def _go_on(self, place: AsyncExitStack, waiting: Waiting, unwanted: bool) -> None:
        """Hold a place until its turn has ended."""
        async with place:
            with suppress(errors.EdgeError, TimeoutError):
                if unwanted:
                    await self._submit(self._cancellation(waiting.request_id, waiting.session_id, waiting))
                async with asyncio.timeout(self._turn_timeout_s + _OVERDUE_S):
                    await waiting.ending

    async def cancel(self, request_id: str, owner: str) -> None:
        """Ask for the end of a turn; how it ended, the turn tells. Raises an `EdgeError`."""
        outcome = await self._turns.outcome(request_id, owner)
        if not isinstance(outcome, TurnView) or outcome.state is not TurnState.RUNNING:
            return
        await self._submit(self._cancellation(outcome.request_id, outcome.session_id))

    def _cancellation(
        self, request_id: str, session_id: str, waiting: Waiting | None = None
    ) -> ChatCancelled:
        return ChatCancelled(
            request_id=request_id,
            session_id=session_id,
            deadline=clock.now() + timedelta(seconds=self._turn_timeout_s),
            exchange=ids.new_exchange(),
            left=waiting.exchange if waiting else None,
        )

    async def forget(self, session_id: str) -> None:
        """Delete a session, and tell those who wait for its turns here."""
        # First the bus: should that fail, the list of the turns is still there for the next try.
        if await self._turns.of_session(session_id):
            await self._erase(session_id)
        await self._turns.forget(session_id)
        self._exchanges.end_session(session_id)

    async def submit(self, request: ChatRequest, waiting: Waiting, asker: Asker) -> None:
        """Hand a message or a choice to the orchestrator. Raises `BusUnavailable` or `QueueFull`."""
        await self._send(waiting, _asked(request), asker)

    async def _send(self, waiting: Waiting, asked: dict[str, Any], asker: Asker) -> None:
        # Before it is: when this is cut off, nobody knows whether it was.
        waiting.submitted = True
        try:
            await self._submit(self._request(waiting, asked, asker))
        except errors.EdgeError as error:
            waiting.submitted = False
            if isinstance(error, errors.QueueFull):
                self._admission.stores.queue_refuses()
            if isinstance(error, errors.BusUnavailable):
                self._admission.stores.queue_is_silent()
            raise

    def _request(self, waiting: Waiting, asked: dict[str, Any], asker: Asker) -> ChatRequested:
        is_anonymous = asker.principal.kind == "anonymous"
        return ChatRequested(
            request_id=waiting.request_id,
            session_id=waiting.session_id,
            deadline=clock.now() + timedelta(seconds=self._turn_timeout_s),
            # That of a choice may follow its turn.
            language=asker.language or ("" if asked.get("choice_id") else DEFAULT_LANGUAGE),
            exchange=waiting.exchange,
            reply_to=self._inbox,
            retention_s=self._anonymous_retention_s if is_anonymous else None,
            **asked,
        )

    async def _turn(
        self,
        request_id: str,
        session_id: str,
        until: float,
        asked: dict[str, Any],
        asker: Asker,
        resumable: bool = False,
    ) -> Ending:
        async with self.waiting(request_id, session_id, asker, resumable=resumable) as waiting:
            await self._send(waiting, asked, asker)
            try:
                async with asyncio.timeout_at(until):
                    # The ending itself is still to come when nobody waits here any more.
                    return await asyncio.shield(waiting.ending)
            except TimeoutError:
                error: errors.EdgeError = errors.TurnTimeout(request_id=request_id)
            except errors.ShuttingDown as stopping:
                error = stopping
        await self._turns.remember(request_id, session_id)
        raise error


def _measured(waiting: Waiting, interface: str, ending: asyncio.Future[Ending]) -> None:
    if not waiting.submitted:
        return
    status = "unanswered"
    if not ending.cancelled() and ending.exception() is None:
        found = ending.result()
        status = "forwarded" if isinstance(found, Forwarded) else found.overall_status
    TURNS.labels(interface, status).inc()
    observe(TURN_SECONDS.labels(interface), monotonic() - waiting.began)


def _asked(request: ChatRequest) -> dict[str, Any]:
    """What is wanted, as fields of `ChatRequested`."""
    return {
        "user_message": None if request.choice_id else request.user_message,
        "choice_id": request.choice_id,
        "agent": request.agent or "map",
        "map_layers": request.loaded_layers,
        "view": request.map.view if request.map is not None else None,
    }
