"""The live list of tools and what they know by name, as announced in the KV bucket."""

import asyncio
import contextlib
import json
import logging
from datetime import datetime
from time import monotonic
from typing import TypeVar

import nats.errors
from contracts import subjects
from contracts.base import Contract
from contracts.tools import ModelUse, ToolDescriptor
from contracts.vocabulary import Vocabulary, merged
from nats.aio.msg import Msg
from pydantic import ValidationError
from servicekit import clock
from servicekit.bus import Bus
from servicekit.errors import BusUnavailable
from servicekit.streams import TOOLS_STREAM
from servicekit.tasks import end

log = logging.getLogger(__name__)

_ALL = f"$KV.{subjects.TOOLS_BUCKET}.>"
_OF_BUS = f"{subjects.BUS_ACCOUNT}."
_DIRECT_GET = f"$JS.API.DIRECT.GET.{TOOLS_STREAM}"
_TIMEOUT_S = 5.0
_AGAIN_S = 1.0
_PAUSES_S = (0.0, 1.0, 3.0)
"""A member of a cluster may answer before it has heard of the last entries, and a subscription is not known
to all members at once: what was announced in between would be missing until it is announced again."""
_END, _EMPTY = "204", "404"
_E = TypeVar("_E", bound=Contract)


class ToolCatalogue:
    """Follows the bucket. A tool whose workers are gone leaves the list within `TOOL_TTL_S` seconds.

    What stands there is read at the start and after every reconnect, a few times over; what is announced is
    heard. It needs no consumer: who may make one for the bucket could have its entries delivered to any
    subject.
    """

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._entries: dict[str, tuple[ToolDescriptor, float]] = {}
        self._vocabularies: dict[str, tuple[Vocabulary, float]] = {}
        self._models: dict[str, tuple[ModelUse, float]] = {}
        self._documents: dict[str, bytes] = {}
        """As they were announced last: what is only refreshed need not be read again."""
        self._merged: tuple[tuple[Vocabulary, ...], Vocabulary] = ((), Vocabulary())
        self._said: dict[str, float] = {}
        """When each entry was said or withdrawn last: reading must not bring back what is older."""
        self._reading: asyncio.Task[None] | None = None
        bus.before_start(self._start)
        bus.on_reconnect(self._read)

    def tools(self) -> tuple[ToolDescriptor, ...]:
        """The tools alive, sorted by capability."""
        now = monotonic()
        return tuple(descriptor for _, (descriptor, until) in sorted(self._entries.items()) if until > now)

    def find(self, capability: str) -> ToolDescriptor | None:
        """One tool, or None when nobody offers it."""
        found = self._entries.get(capability)
        return found[0] if found and found[1] > monotonic() else None

    def vocabulary(self) -> Vocabulary:
        """What the services alive know by name, together; the same value as long as nothing changes."""
        now = monotonic()
        alive = tuple(known for _, (known, until) in sorted(self._vocabularies.items()) if until > now)
        if tuple(map(id, alive)) != tuple(map(id, self._merged[0])):
            self._merged = (alive, merged(alive))
        return self._merged[1]

    def models(self) -> tuple[ModelUse, ...]:
        """Which language models the services alive use, sorted by what for."""
        now = monotonic()
        return tuple(
            sorted((used for used, until in self._models.values() if until > now), key=lambda used: used.use)
        )

    async def stop(self) -> None:
        """Read no more."""
        await end(self._reading)

    async def _start(self) -> None:
        # Tools of others may be announced in the account of the streams only.
        for subject in (_ALL, f"{_OF_BUS}{_ALL}"):
            await self._bus.connection.subscribe(subject, cb=self._hear)
        await self._read()

    async def _hear(self, message: Msg) -> None:
        self._take(message, message.subject.removeprefix(_OF_BUS), 0.0)

    async def _read(self) -> None:
        """Returns when the list was read once, or after a while; then it goes on in the background."""
        await self.stop()
        once = asyncio.Event()
        self._reading = asyncio.create_task(self._keep_reading(once))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(once.wait(), _TIMEOUT_S)

    async def _keep_reading(self, once: asyncio.Event) -> None:
        for pause_s in _PAUSES_S:
            await asyncio.sleep(pause_s)
            for message in await self._stored():
                headers = message.header or {}
                self._take(message, headers["Nats-Subject"], _age_s(headers["Nats-Time-Stamp"]))
            once.set()

    async def _stored(self) -> list[Msg]:
        """The last entry of each tool, however long it takes."""
        while True:
            try:
                async with asyncio.timeout(_TIMEOUT_S):
                    return await self._asked()
            except Exception as error:
                log.warning("reading the tools failed", extra={"reason": repr(error)})
                await asyncio.sleep(_AGAIN_S)

    async def _asked(self) -> list[Msg]:
        """The last entries as one member has them."""
        connection = self._bus.connection
        inbox = connection.new_inbox()
        subscription = await connection.subscribe(inbox)
        try:
            await connection.publish(_DIRECT_GET, json.dumps({"multi_last": [_ALL]}).encode(), reply=inbox)
            found: list[Msg] = []
            async for message in subscription.messages:
                status = (message.header or {}).get("Status")
                if status in (_END, _EMPTY):
                    break
                if status is not None:
                    raise BusUnavailable(f"JetStream: {status}")
                found.append(message)
            return found
        finally:
            with contextlib.suppress(nats.errors.Error):
                await subscription.unsubscribe()

    def _take(self, message: Msg, subject: str, age_s: float) -> None:
        key, said = subject.removeprefix(_ALL[:-1]), monotonic() - age_s
        if said < self._said.get(key, said):
            return
        self._said[key] = said
        if subjects.is_vocabulary(key):
            self._keep(self._vocabularies, Vocabulary, key, message.data, age_s)
        elif subjects.is_model(key):
            self._keep(self._models, ModelUse, key, message.data, age_s)
        else:
            self._keep(self._entries, ToolDescriptor, key, message.data, age_s)

    def _keep(
        self, entries: dict[str, tuple[_E, float]], kind: type[_E], key: str, document: bytes, age_s: float
    ) -> None:
        if not document:
            # A note that it was withdrawn, or is forgotten.
            entries.pop(key, None)
            return
        until = monotonic() + subjects.TOOL_TTL_S - age_s
        if key in entries and self._documents[key] == document:
            entries[key] = (entries[key][0], until)
            return
        try:
            entries[key] = (kind.from_json(document), until)
        except ValidationError:
            log.warning("unreadable announcement", extra={"key": key})
            return
        self._documents[key] = document


def _age_s(stored: str) -> float:
    """Of a moment that NATS tells in nanoseconds, which is more than Python reads."""
    seconds, _, fraction = stored.removesuffix("Z").partition(".")
    at = datetime.fromisoformat(f"{seconds}.{fraction[:6]:0<6}+00:00")
    return max(0.0, (clock.now() - at).total_seconds())
