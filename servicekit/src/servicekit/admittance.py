"""NATS that does not let a service in: what of it time cures, and what it does not."""

import asyncio
import logging
import re
import ssl
from collections.abc import Callable

from servicekit.errors import Refused

log = logging.getLogger("ask.bus")

GiveUp = Callable[[str], None]
"""Ends the process; told what is wrong and what to do about it."""

MAX_PAUSE_S = 2.0
"""Between two tries of a service that has never been connected: the first come sooner."""
_FIRST_PAUSE_S = 0.25
_STRANGER = re.compile("authorization violation|authorization failed|authentication (expired|revoked)", re.I)
_NEEDED = re.compile(r"CONSUMER\.(INFO|MSG\.NEXT)\.|STREAM\.INFO\.|Subscription to \"_INBOX", re.I)
"""Of what the server does not permit: without it a service is deaf. Consumers it need not make itself."""
_BROKEN_OFF = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)


def refusal(error: Exception) -> str | None:
    """What to do about an error of NATS that time does not cure; None for all others."""
    said = str(error)
    if _STRANGER.search(said):
        return f"NATS does not let it in ({said}): NATS_USER and NATS_PASSWORD have to be those of NATS"
    if is_forbidden(error) and _NEEDED.search(said):
        return f"NATS does not permit what it needs ({said}): NATS_USER, ask bus permissions"
    if isinstance(error, ssl.SSLError) and not isinstance(error, _BROKEN_OFF):
        return f"NATS is not to be trusted, or does not trust it ({said}): NATS_CA_FILE, NATS_CERT_FILE"
    if isinstance(error, ValueError):
        return f"NATS_URL cannot be used ({said})"
    return None


def is_forbidden(error: Exception) -> bool:
    """Whether the server does not permit something. The request itself just times out."""
    return "permissions violation" in str(error).lower()


def pause_s(attempt: int) -> float:
    """After the `attempt`-th try in vain."""
    return float(min(MAX_PAUSE_S, _FIRST_PAUSE_S * 2 ** (attempt - 1)))


class Admittance:
    """Hears what goes wrong with one connection to NATS; the client library goes on trying by itself.

    What time does not cure ends that: it is raised (`Refused`) before the first connection, and told to
    `give_up` afterwards. Of several servers all have to refuse.
    """

    def __init__(self, servers: int, give_up: GiveUp) -> None:
        self._servers = servers
        self._give_up = give_up
        self._was_in = False
        self._failed = 0
        self._refused = 0

    def is_in(self) -> None:
        """It is connected."""
        self._was_in = True
        self._failed = self._refused = 0

    async def on_error(self, error: Exception) -> None:
        """A callback of the client library, which waits for it before it tries again."""
        if (reason := refusal(error)) is not None:
            self._refused += 1
            if is_forbidden(error) or self._refused >= self._servers:
                if not self._was_in:
                    raise Refused(reason)
                self._give_up(reason)
        if is_forbidden(error):
            log.error("NATS does not permit", extra={"reason": str(error)})
            return
        self._failed += 1
        if self._failed.bit_count() == 1:
            # The first, the second, the fourth, the eighth, ...
            event = "trouble with NATS" if self._was_in else "waiting for NATS"
            log.warning(event, extra={"reason": repr(error), "attempt": self._failed})
        if not self._was_in:
            await asyncio.sleep(pause_s(self._failed))
