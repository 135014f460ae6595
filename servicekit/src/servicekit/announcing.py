"""Tells which language model a service uses, as long as it runs; it is forgotten when it does not."""

import asyncio
import logging

from contracts import subjects
from contracts.tools import ModelUse, Use
from servicekit.bus import Bus
from servicekit.tasks import end

log = logging.getLogger(__name__)


class ModelAnnouncement:
    """Beside the tools, in the same bucket. It keeps no service from starting."""

    def __init__(self, bus: Bus, use: Use, model: str | None) -> None:
        """`model`: None when the service does without one."""
        self._bus = bus
        self._entry = ModelUse(service=bus.service, use=use, model=model)
        self._announcing: asyncio.Task[None] | None = None
        bus.before_start(self._start)
        bus.before_stop(self._stop)

    async def _start(self) -> None:
        self._announcing = asyncio.create_task(self._keep_announced())

    async def _stop(self) -> None:
        await end(self._announcing)

    async def _keep_announced(self) -> None:
        key = subjects.model_key(self._bus.service)
        while True:
            try:
                await self._bus.tools_bucket.put(key, self._entry.to_json())
            except Exception as error:
                log.warning("announcing the model failed", extra={"reason": repr(error)})
            await asyncio.sleep(subjects.TOOL_REFRESH_S)
