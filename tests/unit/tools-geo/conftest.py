"""The embedded source with the packaged data and a clock that stands still."""

from datetime import UTC, datetime

import pytest

from tools_geo.embedded import embedded_gateways
from tools_geo.gateways import Gateways
from tools_geo.settings import Settings

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def gateways() -> Gateways:
    return embedded_gateways(Settings(), now=lambda: NOON)
