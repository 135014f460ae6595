"""What an attacker does, and what comes of it: each test tells both, for the table at the end.

`ATTACK_SCALE` multiplies sizes and numbers; 1 is what `.ci/run` does.
"""

import os
from collections.abc import Callable
from typing import Any

import pytest

Told = Callable[[str, str], None]
_TOLD = pytest.StashKey[list[tuple[str, str, str]]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_TOLD] = []


@pytest.fixture
def attack(request: pytest.FixtureRequest) -> Told:
    """Call it with the attack and what came of it, when that is known."""

    def tell(attack: str, result: str) -> None:
        area = request.path.stem.removeprefix("test_attack_")
        request.config.stash[_TOLD].append((area, attack, result))

    return tell


@pytest.fixture(scope="session")
def scale() -> int:
    """How many times as much as in a short run."""
    return int(os.environ.get("ATTACK_SCALE", "1"))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    rows = config.stash[_TOLD]
    if not rows:
        return
    terminalreporter.section("attack → result")
    for area, attack, result in rows:
        terminalreporter.write_line(f"{area:<10} {attack} → {result}")
