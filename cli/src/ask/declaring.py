"""`ask bus apply`: streams and consumers as the table of the bus says."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import typer
from contracts.subjects import TOOL_FAMILIES, is_token
from nats.js.errors import APIError
from servicekit.settings import ServiceSettings
from servicekit.streams import Drift, declare_consumers_on, declare_on

from ask import bus
from ask.errors import AskError, Exit
from ask.permissions import Families, consumers
from ask.texts import text

_DURATIONS = {"max_age", "duplicate_window", "ack_wait"}
"""Settings that NATS tells in nanoseconds."""


def families(given: Sequence[str]) -> Families:
    """Those of the repository and the given ones, each `service=family,family`. Raises `AskError`."""
    found = dict(TOOL_FAMILIES)
    for each in given:
        service, _, listed = each.partition("=")
        names = tuple(name.strip() for name in listed.split(",") if name.strip())
        if not service or not names or not all(map(is_token, (service, *names))):
            raise AskError(text("bus_families", given=each), Exit.MISUSED)
        found[service] = names
    return found


async def declare(nats_url: str, replicas: int, of: Families, *, check: bool) -> list[Drift]:
    """What was not as it should be, and with `check` still is not. Raises `AskError`."""
    async with bus.connected(nats_url) as js:
        try:
            drifts = await declare_on(js, replicas, check=check)
            return drifts + await declare_consumers_on(
                js, ServiceSettings(), consumers(of), replicas, check=check
            )
        except APIError as error:
            raise AskError(text("bus_refused", reason=error.description)) from None
        except TimeoutError:
            raise AskError(text("bus_silent"), Exit.UNREACHABLE) from None


def run(nats_url: str, replicas: int, of: Families, *, check: bool, as_json: bool = False) -> bool:
    """Show what has been done, or with `check` what there is to do; false when there is."""
    drifts = asyncio.run(declare(nats_url, replicas, of, check=check))
    for drift in drifts:
        typer.echo(json.dumps(_facts(drift)) if as_json else "\n".join(_lines(drift, check=check)))
    if not drifts and not as_json:
        typer.echo(text("bus_in_order"))
    return not (check and drifts)


def _facts(drift: Drift) -> dict[str, Any]:
    """As NATS tells it."""
    settings = drift.found.items() if drift.found is not None else ()
    differs = {name: {"found": found, "wanted": wanted} for name, (found, wanted) in settings}
    return {"kind": drift.kind, "name": drift.name, "isMissing": drift.found is None, "differs": differs}


def _lines(drift: Drift, *, check: bool) -> list[str]:
    what = text(f"bus_{drift.kind}", name=drift.name)
    if drift.found is None:
        return [f"{what}: {text('bus_missing' if check else 'bus_made')}"]
    key = "bus_differs" if check else "bus_changed"
    return [
        f"{what}: {text(key, setting=name, found=_shown(name, found), wanted=_shown(name, wanted))}"
        for name, (found, wanted) in drift.found.items()
    ]


def _shown(name: str, value: Any) -> str:
    if name in _DURATIONS and isinstance(value, int):
        return f"{value / 1_000_000_000:g} s"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
