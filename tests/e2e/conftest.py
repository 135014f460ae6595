"""One system for all modules that need nothing special of it."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from .running import Conversation, System, running


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: waits for something that takes its time")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    async with running(tmp_path_factory.mktemp("system")) as started:
        yield started


@pytest.fixture
def talk(system: System) -> Conversation:
    """A session of its own for each test."""
    return system.conversation()
