"""`/readyz` answers, whatever its checks do."""

import asyncio
import json

import pytest
import virtual_time
from servicekit.health import CHECK_TIMEOUT_S, Health

PROMISED_S = 2.0


async def fine() -> str | None:
    return None


async def broken() -> str | None:
    raise ConnectionResetError


async def wrong() -> str | None:
    return "connection lost"


async def for_ever() -> str | None:
    return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]


async def stubborn() -> str | None:
    """As clients are that take a cancellation for an answer."""
    for _ in range(100):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            continue
    return None


def answered(**checks: object) -> tuple[int, dict[str, str], float]:
    health = Health("edge")
    found: list[tuple[int, dict[str, str], float]] = []
    for name, check in checks.items():
        health.ready_when(name, check)  # type: ignore[arg-type]

    async def ask() -> None:
        loop = asyncio.get_running_loop()
        since = loop.time()
        status, _, body = await health.respond("/readyz")
        found.append((status, json.loads(body)["failures"], loop.time() - since))

    virtual_time.run(ask)
    return found[0]


def test_all_is_well() -> None:
    assert answered() == (200, {}, 0)
    assert answered(a=fine, b=fine) == (200, {}, 0)


def test_each_check_speaks_for_itself() -> None:
    failures = {"b": "ConnectionResetError", "c": "connection lost"}
    assert answered(a=fine, b=broken, c=wrong) == (503, failures, 0)


@pytest.mark.parametrize("hanging", [for_ever, stubborn])
def test_checks_that_hang_are_made_side_by_side_and_not_waited_for(hanging: object) -> None:
    status, failures, took_s = answered(a=fine, b=hanging, c=wrong, d=hanging)
    assert (status, failures) == (503, {"b": "no answer", "c": "connection lost", "d": "no answer"})
    assert took_s == pytest.approx(CHECK_TIMEOUT_S)
    assert took_s < PROMISED_S
