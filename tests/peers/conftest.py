"""Real servers, once a session: pyramid_oereb with our extracts, pygeoapi with our features, MapServer."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

import pytest

from tools_geo.embedded import datafiles
from tools_oereb import embedded

from . import oereb_extracts
from .map_server import map_server
from .oereb_extracts import Extract
from .oereb_server import oereb_server
from .ogc_server import ogc_server


@pytest.fixture(scope="session")
def extracts() -> list[Extract]:
    """What ships with the service as a sample."""
    return oereb_extracts.read((embedded.PACKAGED.parent / "extracts").glob("*.xml"))


@pytest.fixture(scope="session")
def oereb_url(tmp_path_factory: pytest.TempPathFactory, extracts: list[Extract]) -> Iterator[str]:
    with _started(oereb_server(tmp_path_factory.mktemp("oereb"), extracts)) as url:
        yield url


@pytest.fixture(scope="session")
def ogc_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with _started(ogc_server(tmp_path_factory.mktemp("ogc"), datafiles.read())) as url:
        yield url


@pytest.fixture(scope="session")
def wms_url() -> Iterator[str]:
    with _started(map_server()) as url:
        yield url


@contextmanager
def _started(server: AbstractContextManager[str]) -> Iterator[str]:
    """Without a server there is one sentence about it, not one failure for each test."""
    with ExitStack() as exits:
        try:
            url = exits.enter_context(server)
        except FileNotFoundError as missing:
            pytest.exit(str(missing), returncode=1)
        yield url
