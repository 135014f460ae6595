"""Keeps files that were made for users until they expire, where the edge finds them."""

import asyncio
import logging
import secrets
from dataclasses import dataclass
from datetime import datetime
from time import monotonic

from contracts import prints
from servicekit import ownership
from servicekit.errors import SourceError, SourceErrorKind
from servicekit.objects import ObjectStore, StoreUnavailable

from tools_geo.texts import text

log = logging.getLogger("ask.prints")

_SWEEP_PAUSE_S = 60.0


@dataclass(frozen=True)
class Print:
    """A file that is kept; `path` is where the edge serves it."""

    id: str
    path: str
    expires_at: datetime


class Prints:
    """Sweeps the store now and then, when something is added."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._swept_at = -_SWEEP_PAUSE_S
        self._sweeping: asyncio.Task[None] | None = None

    async def keep(self, pdf: bytes) -> Print:
        """For whoever the tool works, under an id that nobody can guess: the same file kept twice has two.

        Raises `SourceError`.
        """
        print_id = secrets.token_hex(16)
        try:
            name = prints.name_of(ownership.owner(), print_id)
            expires_at = await self._store.put(name, pdf, prints.MEDIA_TYPE)
        except StoreUnavailable as error:
            log.warning("print not kept", extra={"reason": str(error)})
            raise SourceError(SourceErrorKind.UNREACHABLE, text("service_prints")) from error
        if monotonic() - self._swept_at >= _SWEEP_PAUSE_S:
            self._swept_at = monotonic()
            # Nobody waits for it.
            self._sweeping = asyncio.create_task(self._sweep())
        return Print(print_id, prints.path_of(print_id), expires_at)

    async def _sweep(self) -> None:
        try:
            swept = await self._store.sweep()
        except StoreUnavailable as error:
            log.warning("prints not swept", extra={"reason": str(error)})
        else:
            log.info("prints swept", extra={"count": swept})
