"""What a service loads before it has anything to do: nothing large that it may never need."""

import subprocess
import sys

import pytest

from ask.services import SERVICES, Service

LARGE = {"PIL", "jwt", "mcp", "numpy", "obstore", "openai", "psycopg", "rapidfuzz", "reportlab", "shapely"}
NEEDED = {"planner": {"rapidfuzz"}, "tools-geo": {"rapidfuzz"}}
"""With nearly every message."""


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_a_service_loads_nothing_large_before_it_needs_it(service: Service) -> None:
    program = f"import sys, {service.argv[2]}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    loaded = subprocess.check_output([sys.executable, "-c", program], text=True).split()
    assert LARGE.intersection(loaded) == NEEDED.get(service.name, set())
