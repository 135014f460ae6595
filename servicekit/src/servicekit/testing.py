"""A bus in memory, with the interface and the promises of `Bus`, for tests and experiments.

Deduplicated by message id, retried (at once, without back-off), dead letters kept. What it cannot show:
restarts, several processes, and the ack wait of a worker that died.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import nullcontext, suppress
from typing import Any, TypeVar, get_type_hints

from contracts import subjects
from contracts.base import Contract
from contracts.messages import WorkCancelled
from faststream.exceptions import NackMessage
from pydantic import TypeAdapter, ValidationError
from servicekit.bus import Delivery, Hook, Publishable
from servicekit.cancelling import Cancellations, Cancelled
from servicekit.handler import has_expired

_C = TypeVar("_C", bound=Contract)
Handler = Callable[..., Awaitable[None]]


class MemoryBus:
    """Delivers to the handlers that are registered on it. `settle` waits until nothing is left to do."""

    def __init__(self, service: str = "test", max_deliver: int = 12) -> None:
        self.service = service
        self.dead: list[tuple[str, str]] = []
        """(subject, reason) of the messages that were given up."""
        self.published: list[Publishable] = []
        """What was stored, in order, duplicates left out."""
        self.acknowledged: list[str] = []
        self._max_deliver = max_deliver
        self._seen: set[str] = set()
        self._handlers: dict[str, tuple[Handler, bool, bool]] = {}
        self._cancellations = Cancellations()
        self._listeners: dict[str, tuple[Callable[[Any], Awaitable[None]], type[Contract]]] = {}
        self._before_start: list[Hook] = []
        self._late: list[Callable[[], None]] = []
        self._before_stop: list[Hook] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._delayed = 0
        self._due: dict[str, float] = {}
        self._moved = asyncio.Condition()

    def subscriber(
        self,
        *wanted: str,
        drop_expired: bool = True,
        max_ack_pending: int = 1_000,
        cancellable: bool = False,
        timer: bool = False,
    ) -> Callable[[Handler], Handler]:
        """See `Bus.subscriber`."""
        del max_ack_pending, timer
        if cancellable:
            self.listen(subjects.WORK_CANCELLED, self._cancellations.cancel, WorkCancelled)

        def register(handler: Handler) -> Handler:
            self._handlers.update(dict.fromkeys(wanted, (handler, drop_expired, cancellable)))
            return handler

        return register

    async def publish(self, *messages: Publishable) -> None:
        """See `Bus.publish`."""
        for message in messages:
            subjects.stream_of(message.subject)
            if message.message_id in self._seen:
                continue
            self._seen.add(message.message_id)
            self.published.append(message)
            self.deliver(message.subject, message.to_json())

    def hand_over(self, message: Publishable, held: Iterable[str], *, beyond_room: bool = False) -> bool:
        """See `Bus.hand_over`."""
        return False

    def fits(self, message: Publishable) -> bool:
        """See `Bus.fits`."""
        return True

    def deliver(self, subject: str, body: bytes) -> None:
        """Hand a stored message to its handler, if there is one."""
        for pattern, handler in self._handlers.items():
            if subjects.matches(pattern, subject):
                self._run(self._handle(subject, body, *handler))

    async def _handle(
        self, subject: str, body: bytes, handler: Handler, drop_expired: bool, cancellable: bool
    ) -> None:
        parameters = list(inspect.signature(handler).parameters)
        adapter: TypeAdapter[Any] = TypeAdapter(get_type_hints(handler, include_extras=True)[parameters[0]])
        try:
            message = adapter.validate_json(body)
        except ValidationError as error:
            self.dead.append((subject, f"unreadable: {error.error_count()} errors"))
            return
        for attempt in range(1, self._max_deliver + 1):
            if drop_expired and has_expired(message):
                return
            delivery = Delivery(attempt, subject, ack_subject=f"ack.{message.message_id}")
            try:
                with self._cancellations.watching(message) if cancellable else nullcontext():
                    await (handler(message, delivery) if len(parameters) > 1 else handler(message))
                return
            except Cancelled:
                return
            except NackMessage as again:
                self._delayed += 1
                await self._wait(delivery.ack_subject, again.extra_options.get("delay") or 0)
                self._delayed -= 1
                if delivery.ack_subject in self.acknowledged:
                    return
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
                await asyncio.sleep(0)
        self.dead.append((subject, reason))

    def listen(
        self, subject: str, handler: Callable[[_C], Awaitable[None]], model: type[_C], *, shared: bool = False
    ) -> None:
        """See `Bus.listen`."""
        del shared
        self._listeners[subject] = (handler, model)

    async def send(self, subject: str, message: Contract) -> None:
        """See `Bus.send`."""
        if subject in self._listeners:
            handler, model = self._listeners[subject]
            await handler(model.from_json(message.to_json()))

    async def erase(self, request_id: str) -> None:
        """See `Bus.erase`."""
        self.published[:] = [each for each in self.published if each.request_id != request_id]

    async def stored(self, subject: str) -> AsyncIterator[tuple[str, bytes]]:
        """See `Bus.stored`."""
        for message in list(self.published):
            if subjects.matches(subject, message.subject):
                yield message.subject, message.to_json()

    async def acknowledge(self, ack_subject: str) -> None:
        """See `Bus.acknowledge`."""
        self.acknowledged.append(ack_subject)

    async def redeliver(self, ack_subject: str, delay_s: float) -> None:
        """See `Bus.redeliver`."""
        async with self._moved:
            self._due[ack_subject] = asyncio.get_running_loop().time() + delay_s
            self._moved.notify_all()

    async def _wait(self, ack_subject: str, delay_s: float) -> None:
        """Until the delay is over, or the one that has replaced it."""
        now = asyncio.get_running_loop().time
        self._due[ack_subject] = now() + delay_s
        while (left_s := self._due[ack_subject] - now()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left_s), self._moved:
                    await self._moved.wait()

    def declare_late(self, declaration: Callable[[], None]) -> None:
        """See `Bus.declare_late`."""
        self._late.append(declaration)

    def before_start(self, hook: Hook) -> None:
        self._before_start.append(hook)

    def before_stop(self, hook: Hook) -> None:
        self._before_stop.append(hook)

    def on_reconnect(self, hook: Hook) -> None:
        """Never happens here."""

    async def start(self) -> None:
        while self._late:
            self._late.pop()()
        for hook in self._before_start:
            await hook()

    async def leave(self) -> None:
        for hook in self._before_stop:
            await hook()

    async def settle(self) -> None:
        """Wait until no handler is running; a message that waits for a later delivery is not waited for."""
        while len(self._tasks) > self._delayed:  # noqa: ASYNC110 - two counters, no single event
            await asyncio.sleep(0.001)

    def _run(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
