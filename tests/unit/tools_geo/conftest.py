"""The embedded source with the packaged data and a clock that stands still; servers for the live ones."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from recorded.server import RecordedServer, in_background

from tools_geo.embedded import datafiles, embedded_gateways
from tools_geo.gateways import Gateways
from tools_geo.settings import Settings

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def gateways(tmp_path_factory: pytest.TempPathFactory) -> Gateways:
    settings = Settings(prints_url=str(tmp_path_factory.mktemp("prints")))
    return embedded_gateways(settings, now=lambda: NOON)


@pytest.fixture(scope="session")
def recorded_server() -> Iterator[RecordedServer]:
    with in_background() as server:
        yield server


@pytest.fixture
def server(recorded_server: RecordedServer) -> RecordedServer:
    """Speaks all formats, with its usual options and no requests seen yet."""
    recorded_server.reset()
    return recorded_server


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The data files in a folder of their own, to be spoiled."""
    return Path(shutil.copytree(datafiles.PACKAGED, tmp_path / "data"))
