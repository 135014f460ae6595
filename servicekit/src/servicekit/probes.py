"""What the configuration names, looked for at the sources in the background.

A facet, column or layer that a source does not have is noticed when the service starts, and told to those who
run it; otherwise users would be told for weeks that there is nothing. The service works on without it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from random import random
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from servicekit.errors import SourceError
from servicekit.settings import OutboundSettings
from servicekit.tasks import end

if TYPE_CHECKING:
    # Most services ask nobody, and need no HTTP client.
    from servicekit.outbound import Outbound

_S = TypeVar("_S", bound=OutboundSettings)
_MAX_CHECK_S = 60.0
_MAX_CHARS = 300
"""Of what a source has said."""
_JITTER = 0.2
"""Replicas that were started together do not ask together for ever."""

log = logging.getLogger("ask.probes")

Missing = tuple[str, str]
"""(setting, what it names that is not there)"""


@dataclass(frozen=True)
class Check:
    """One source: `url` of the setting `setting`, and what is missing there. May raise `SourceError`."""

    setting: str
    url: str
    missing: Callable[[], Awaitable[Sequence[Missing]]]


@dataclass(frozen=True)
class Finding:
    setting: str
    url: str
    """Without its query and who asks."""
    missing: str


class Prober:
    """Makes the checks one after the other, now and then again. `close` is for what they ask with."""

    def __init__(
        self, checks: Sequence[Check], interval_s: float, close: Callable[[], Awaitable[None]]
    ) -> None:
        self._checks = checks
        self._close = close
        self._interval_s = interval_s
        self._task: asyncio.Task[None] | None = None
        self._findings: tuple[Finding, ...] = ()
        self._checked_at: datetime | None = None

    async def start(self) -> None:
        """Returns at once."""
        self._task = asyncio.create_task(self._repeat())

    async def stop(self) -> None:
        await end(self._task)
        await self._close()

    def details(self) -> dict[str, object]:
        """For `/readyz`: when the last round ended (null before the first), and what was missing in it."""
        at = self._checked_at
        return {
            "checkedAt": at and at.isoformat(timespec="seconds"),
            "findings": [asdict(finding) for finding in self._findings],
        }

    async def check(self) -> None:
        """One round. What is missing is logged when it is new."""
        found = tuple([finding for check in self._checks for finding in await _findings(check)])
        for finding in found:
            if finding not in self._findings:
                log.warning("source lacks what is configured", extra=asdict(finding))
        self._findings, self._checked_at = found, datetime.now(UTC)

    async def _repeat(self) -> None:
        while True:
            await self.check()
            await asyncio.sleep(self._interval_s * (1 + _JITTER * (2 * random() - 1)))


def prober(
    settings: _S,
    outbound_of: "Callable[[_S], Outbound | None]",
    checks: "Callable[[_S, Outbound], Iterable[Check]]",
) -> Prober | None:
    """Looks for what the settings name. With a client of its own it tries once, and users notice nothing."""
    once = settings.model_copy(update={"outbound_max_retries": 0})
    outbound = outbound_of(once) if settings.outbound_probe_interval_s else None
    if outbound is None:
        return None
    return Prober(tuple(checks(settings, outbound)), settings.outbound_probe_interval_s, outbound.close)


async def _findings(check: Check) -> list[Finding]:
    try:
        async with asyncio.timeout(_MAX_CHECK_S):
            missing = await check.missing()
    except SourceError as error:
        status = f", HTTP {error.status}" if error.status else ""
        missing = [(check.setting, f"an answer ({error.kind}{status})")]
    except Exception as error:
        # Whatever the source has sent, or a mistake of ours: the others are still to be looked at.
        missing = [(check.setting, f"an answer ({type(error).__name__})")]
    parts = urlsplit(check.url)
    url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return [Finding(setting, url, what[:_MAX_CHARS]) for setting, what in missing]
