"""What services make for themselves on an open NATS is what the declaration makes for them elsewhere."""

import pytest
from contracts.subjects import CONSUMERS
from servicekit.settings import ServiceSettings
from servicekit.streams import declare_consumers_on, declare_on

from .conftest import ACK_WAIT_S
from .running import System

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_running_system_has_nothing_to_declare(system: System) -> None:
    running = tuple(consumer for consumer in CONSUMERS if consumer.service in system.stack.processes)
    assert len(running) > 5
    assert await declare_on(system.js, check=True) == []
    assert (
        await declare_consumers_on(system.js, ServiceSettings(ack_wait_s=ACK_WAIT_S), running, check=True)
        == []
    )
