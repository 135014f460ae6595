"""The live list of tools, as announced in the KV bucket."""

import asyncio
import contextlib
import logging
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from contracts import subjects
from contracts.tools import ToolDescriptor
from nats.js.kv import KeyValue
from pydantic import ValidationError
from servicekit.bus import Bus
from servicekit.tasks import end

log = logging.getLogger(__name__)


class ToolCatalogue:
    """Follows the bucket. A tool whose workers are gone leaves the list within `TOOL_TTL_S` seconds."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._entries: dict[str, tuple[ToolDescriptor, float]] = {}
        self._task: asyncio.Task[None] | None = None
        self._complete = asyncio.Event()
        bus.before_start(self._start)
        bus.on_reconnect(self._start)

    def tools(self) -> tuple[ToolDescriptor, ...]:
        """The tools alive, sorted by capability."""
        now = monotonic()
        return tuple(descriptor for _, (descriptor, until) in sorted(self._entries.items()) if until > now)

    def find(self, capability: str) -> ToolDescriptor | None:
        """One tool, or None when nobody offers it."""
        found = self._entries.get(capability)
        return found[0] if found and found[1] > monotonic() else None

    async def stop(self) -> None:
        """End the watch."""
        if self._task is not None:
            await end(self._task)

    async def _start(self) -> None:
        """A watch does not survive a restart of the server: begin a new one."""
        await self.stop()
        self._complete.clear()
        self._task = asyncio.create_task(self._follow())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(5):
                await self._complete.wait()

    async def _follow(self) -> None:
        while True:
            try:
                watcher = await self._bus.tools_bucket.watchall(inactive_threshold=60)
                try:
                    async for entry in watcher:
                        if entry is None:
                            self._complete.set()
                        else:
                            self._take(entry)
                finally:
                    with contextlib.suppress(Exception):
                        await watcher.stop()  # type: ignore[no-untyped-call]
            except Exception as error:
                log.warning("watching the tools failed", extra={"reason": repr(error)})
            await asyncio.sleep(1)

    def _take(self, entry: KeyValue.Entry) -> None:
        if entry.operation is not None or entry.value is None:
            self._entries.pop(entry.key, None)
            return
        try:
            descriptor = ToolDescriptor.from_json(entry.value)
        except ValidationError:
            log.warning("unreadable tool descriptor", extra={"capability": entry.key})
            return
        self._entries[entry.key] = (descriptor, monotonic() + subjects.TOOL_TTL_S - _age_s(entry))


def _age_s(entry: KeyValue.Entry) -> float:
    # Declared as an int, delivered as a datetime.
    created: Any = entry.created
    return max(0.0, (datetime.now(UTC) - created).total_seconds()) if isinstance(created, datetime) else 0.0
