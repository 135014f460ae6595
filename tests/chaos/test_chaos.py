"""Some faults of every scene, briefly. `make chaos` runs all of them, and as long as they take."""

import os
import sys
from pathlib import Path

import pytest

from . import faults
from .campaign import Plan, run
from .world import Scene

pytestmark = pytest.mark.asyncio(loop_scope="module")

SHORT = {
    faults.SERVICES: (400, 10),
    faults.COMPACT: (200, 5),
    faults.SYNCED: (100, 2),
    faults.CLUSTER: (60, 2),
}
"""By scene: turns and faults."""


@pytest.mark.parametrize("scene", SHORT, ids=lambda scene: scene.name)
async def test_every_turn_is_answered_right_and_once_whatever_fails(
    scene: Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turns, most = SHORT[scene]
    seed = int(os.environ.get("CHAOS_SEED", "1"))
    plan = Plan(seed, turns, short=True, only=f"({scene.name})", most=most)

    def say(line: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"{line}\n")

    say("")
    phases = await run(plan, tmp_path, say)
    assert sum(phase.answered for phase in phases) >= turns
    assert not [(phase.fault, each) for phase in phases for each in phase.in_vain]
