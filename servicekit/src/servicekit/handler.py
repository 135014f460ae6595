"""One handler of a service, and what becomes of the messages that it gets."""

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import Any, get_type_hints

from contracts import subjects
from contracts.base import Contract
from contracts.subjects import DeadReason, Header
from faststream.exceptions import NackMessage
from nats.aio.msg import Msg
from pydantic import TypeAdapter, ValidationError
from servicekit import clock
from servicekit.cancelling import Cancellations, Cancelled
from servicekit.consumer import CreditSubscriber
from servicekit.deadletters import faults, letter, without_body
from servicekit.errors import BusFull, BusUnavailable, MessageTooLarge
from servicekit.neighbours import take_by_hand
from servicekit.publisher import Entry
from servicekit.telemetry import handled, log_line, observe, request_id_of
from servicekit.tracing import Span, Tracing

log = logging.getLogger("ask.bus")

Store = Callable[[Sequence[Entry]], Awaitable[None]]


@dataclass(frozen=True)
class Delivery:
    """One delivery of a message. A handler that takes it as second argument gets it."""

    attempt: int
    subject: str
    """Where it was sent to. NATS has checked that the sender may do that, and nothing else of the message."""
    ack_subject: str
    """Publishing `+ACK` here acknowledges the message, from anywhere and at any time; `-NAK` with a delay
    decides anew when it comes again. Empty for what was handed over: it is stored nowhere."""


@dataclass(frozen=True)
class Terms:
    """What a handler has asked for, see `Bus.subscriber`."""

    drop_expired: bool = True
    cancellable: bool = False
    timer: bool = False


def backoff_s(attempt: int) -> float:
    """Seconds until the next try after the `attempt`-th delivery failed: 0.25, 0.5, 1, ... at most 10."""
    return float(min(10.0, 0.25 * 2 ** (attempt - 1)))


def has_expired(contract: Contract) -> bool:
    """Whether nobody waits for it any more. For an answer nobody knows that here."""
    deadline: datetime | None = getattr(contract, "deadline", None)
    return deadline is not None and deadline < clock.now()


class Unreadable(Exception):
    """A message that no later delivery will make readable."""


class Handler:
    """Reads messages, has them handled, and says what became of them: to the server, log and metrics."""

    subscriber: CreditSubscriber
    """Through which they come; set before the first one does."""
    is_beside_others = False
    """Whether other services of this process take what comes of it."""

    def __init__(
        self,
        function: Callable[..., Awaitable[None]],
        terms: Terms,
        *,
        service: str,
        max_deliver: int,
        tracing: Tracing,
        cancellations: Cancellations,
        store: Store,
    ) -> None:
        hints = get_type_hints(function, include_extras=True)
        parameters = list(inspect.signature(function).parameters)
        self.function = _of_one(function, hints[parameters[0]]) if len(parameters) > 1 else function
        """Of the message alone, as FastStream calls it."""
        self._function = function
        self._adapter: TypeAdapter[Any] = TypeAdapter(hints[parameters[0]])
        self._wants_delivery = len(parameters) > 1
        self._terms = terms
        self._service = service
        self._max_deliver = max_deliver
        self._tracing = tracing
        self._cancellations = cancellations
        self._store = store

    async def receive(self, raw: Msg) -> None:
        """Handle a delivery of the server, and acknowledge it, one way or the other."""
        headers, attempt = raw.header or {}, raw.metadata.num_delivered
        request_id = request_id_of(headers)
        with self._tracing.handling(raw.subject, headers, request_id, attempt) as span:
            await self._receive(raw, headers, request_id, attempt, span)

    async def _receive(
        self, raw: Msg, headers: dict[str, str], request_id: str, attempt: int, span: Span
    ) -> None:
        facts: dict[str, Any] = {
            "request_id": request_id,
            "session_id": headers.get(Header.SESSION_ID),
            "kind": raw.subject,
            "attempt": attempt,
        }
        started = perf_counter()
        outcome = "ok"
        delay: float | None = None
        try:
            contract = self.read(raw.data)
            facts |= {"kind": contract.kind, "session_id": contract.session_id}
            outcome = await self._handle(contract, Delivery(attempt, raw.subject, raw.reply))
        except NackMessage as again:
            outcome, delay = "again", again.extra_options.get("delay") or backoff_s(attempt)
        except Unreadable as error:
            outcome = "dead"
            # Of a subject with the id of its turn there would be a counter for each.
            facts["kind"] = subjects.pattern_of(raw.subject)
            await self._bury(raw, DeadReason.UNREADABLE, error)
        except Exception as error:
            log.exception("handler failed", extra=facts)
            if attempt >= self._max_deliver:
                outcome = "dead"
                await self._bury(raw, DeadReason.FAILED, error)
            else:
                outcome, delay = "retry", backoff_s(attempt)
        if delay is None:
            await raw.ack()
        elif outcome == "again" and self._terms.timer and self.is_beside_others:
            self.subscriber.hold(raw, delay)
        else:
            await raw.nak(delay=delay)
        self._tell(facts, outcome, started, delay, span)

    def take(
        self, message: Any, otherwise: Callable[[], Awaitable[None]], *, beyond_room: bool = False
    ) -> bool:
        """See `neighbours.Taker`."""
        if not self.subscriber.takes(beyond_room=beyond_room):
            return False
        self.subscriber.begin(self._take(message, otherwise))
        return True

    async def _take(self, message: Any, otherwise: Callable[[], Awaitable[None]]) -> None:
        facts = {"request_id": message.request_id, "session_id": message.session_id, "kind": message.kind}
        started = perf_counter()
        take_by_hand()
        with self._tracing.handed_over(message.kind, message.request_id) as span:
            try:
                outcome = await self._handle(message, Delivery(1, message.subject, ""))
            except Exception as error:
                log.warning("handed over in vain", extra=facts | {"reason": repr(error)})
                outcome = "retry"
                await self._insist(otherwise)
            self._tell(facts, outcome, started, None, span)

    async def _insist(self, otherwise: Callable[[], Awaitable[None]]) -> None:
        """As long as a stored message would be tried: the server may be what is missing."""
        for attempt in range(1, self._max_deliver):
            try:
                await otherwise()
            except (BusUnavailable, BusFull):
                await asyncio.sleep(backoff_s(attempt))
            else:
                return
        await otherwise()

    async def _handle(self, contract: Any, delivery: Delivery) -> str:
        """The outcome, for whoever counts. Raises whatever the handler raises."""
        if self._terms.drop_expired and has_expired(contract):
            return "expired"
        watching = self._cancellations.watching(contract) if self._terms.cancellable else nullcontext()
        try:
            with watching:
                if self._wants_delivery:
                    await self._function(contract, delivery)
                else:
                    await self._function(contract)
        except Cancelled:
            return "cancelled"
        return "ok"

    def read(self, body: bytes) -> Any:
        """The message. Raises `Unreadable`."""
        try:
            return self._adapter.validate_json(body)
        except ValidationError as error:
            raise Unreadable(faults(error)) from None

    def _tell(
        self, facts: dict[str, Any], outcome: str, started: float, delay: float | None, span: Span
    ) -> None:
        seconds = perf_counter() - started
        counter, clock = handled(facts["kind"], outcome)
        counter.inc()
        observe(clock, seconds)
        if outcome in ("retry", "dead"):
            span.fail(outcome)
        elif outcome != "ok":
            span.set("ask.outcome", outcome)
        told = {"outcome": outcome, "ms": round(seconds * 1000, 2), "delay_s": delay}
        log_line(log, "handled", facts | told)

    async def _bury(self, raw: Msg, reason: DeadReason, error: Exception) -> None:
        """Keep a message that cannot be handled, with its origin and the reason, in the stream DEAD."""
        entry = letter(raw, self._service, reason, error)
        try:
            await self._store([entry])
        except MessageTooLarge:
            await self._store([without_body(entry)])


def _of_one(function: Callable[..., Awaitable[None]], kind: Any) -> Callable[[Any], Awaitable[None]]:
    async def handle(message: Any) -> None:
        await function(message, Delivery(1, message.subject, ""))

    handle.__annotations__["message"] = kind
    handle.__name__, handle.__doc__ = function.__name__, function.__doc__
    return handle
