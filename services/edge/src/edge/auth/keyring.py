"""The API keys that count now."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from pydantic import ValidationError
from servicekit.apikeys import ApiKey, ApiKeys, find

log = logging.getLogger("edge.auth")

_LOOK_PAUSE_S = 1.0
"""A key that is withdrawn counts a second longer."""


class Keyring:
    """Reads the file again when it changes. A version that cannot be read changes nothing, and is logged."""

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float] = monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._path = path
        self._clock = clock
        self._now = now
        self._keys = ApiKeys()
        self._read: tuple[int, int] | None = None
        self._looked_at = -_LOOK_PAUSE_S

    def find(self, text: str) -> ApiKey | None:
        """The key that a text is, if it counts; one that was just made counts at once."""
        if self._clock() - self._looked_at >= _LOOK_PAUSE_S:
            self._look()
        found = find(self._keys, text, self._now())
        if found is None:
            self._look()
            found = find(self._keys, text, self._now())
        return found

    def _look(self) -> None:
        self._looked_at = self._clock()
        try:
            found = self._path.stat()
            version = (found.st_mtime_ns, found.st_size)
            if version == self._read:
                return
            self._keys = ApiKeys.from_json(self._path.read_bytes())
        except (OSError, ValidationError) as error:
            log.warning("API_KEYS_FILE cannot be read", extra={"reason": type(error).__name__})
        else:
            self._read = version
            log.info("API keys read", extra={"count": len(self._keys.keys)})
