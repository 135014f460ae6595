"""One system for all modules that need nothing special of it, and one for those that kill in it."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from cantons import SOLOTHURN, Canton

from .running import Conversation, System, running

ACK_WAIT_S = 30.0
"""What is delivered twice to who stands still is counted twice."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: waits for something that takes its time")


@pytest.fixture(scope="session")
def canton(request: pytest.FixtureRequest) -> Canton:
    """Whose names the sentences have; a module that is for every canton says so with `IN_ALL_CANTONS`."""
    chosen: Canton = getattr(request, "param", SOLOTHURN)
    return chosen


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def system(canton: Canton, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    environment = {**canton.environment, "ACK_WAIT_S": str(ACK_WAIT_S)}
    async with running(tmp_path_factory.mktemp(canton.name), **environment) as started:
        yield started


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def mortal(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    """One whose processes and servers are killed: nothing else is asked of it meanwhile."""
    async with running(tmp_path_factory.mktemp("mortal")) as started:
        yield started
        dead = await started.js.stream_info("DEAD")
        assert dead.state.messages == 0


@pytest.fixture
def talk(system: System) -> Conversation:
    """A session of its own for each test."""
    return system.conversation()
