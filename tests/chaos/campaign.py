"""A load from outside, one fault after the other, and what came of it."""

import asyncio
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from . import checks, disks, faults
from .clients import Crowd
from .faults import Fault
from .record import PATIENCE_S, Phase, Record
from .world import Scene, World, living

USERS = 20


@dataclass(frozen=True)
class Plan:
    """What is run: it follows from the seed, and so does the order of everything in it."""

    seed: int
    turns: int
    short: bool
    """Every kind of fault once a scene, and none for long."""
    only: str = ""
    """Only faults whose row has this in it."""
    old_code: Path | None = None
    most: int | None = None
    """Faults for each scene."""

    def scenes(self) -> list[tuple[Scene, list[Fault]]]:
        dice = random.Random(self.seed)
        return [(scene, found) for scene in faults.SCENES if (found := self._of(scene, dice))]

    def _of(self, scene: Scene, dice: random.Random) -> list[Fault]:
        possible = faults.of(scene, old_code=self.old_code is not None, has_disks=disks.available())
        possible = [fault for fault in possible if self.only in f"{fault.row} ({scene.name})"]
        dice.shuffle(possible)
        if self.short:
            possible = list({fault.row: fault for fault in possible}.values())
        return possible[: self.most]

    def share(self, scenes: Sequence[tuple[Scene, list[Fault]]]) -> int:
        """Turns for each fault."""
        return max(USERS, -(-self.turns // sum(len(found) for _, found in scenes)))


async def run(plan: Plan, folder: Path, say: Callable[[str], None]) -> list[Phase]:
    """The phases of all scenes. Raises `AssertionError` when something is left behind."""
    scenes = plan.scenes()
    found: list[Phase] = []
    for scene, todo in scenes:
        say(f"{scene.name}: {len(todo)} faults, {plan.share(scenes)} turns each")
        dice = random.Random(f"{plan.seed}/{scene.name}")
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as place:
            async with living(scene, Path(place), dice, plan.old_code) as world:
                found += await _scene(world, todo, plan, plan.share(scenes), say)
    return found


async def _scene(
    world: World, todo: list[Fault], plan: Plan, share: int, say: Callable[[str], None]
) -> list[Phase]:
    record = Record()
    before = await checks.before(world, record)
    crowd = Crowd(world.system.http, record, plan.seed, f"chaos-{world.scene.name.replace(' ', '-')}")
    crowding = asyncio.create_task(crowd.run(USERS))
    try:
        for fault in todo:
            phase = await _phase(world, record, fault, share, short=plan.short)
            say(told(phase))
        record.phase.allowed += 100 * USERS
        crowd.is_over = True
        async with asyncio.timeout(PATIENCE_S):
            await crowding
    finally:
        crowding.cancel()
        await asyncio.gather(crowding, return_exceptions=True)
    await checks.after(world, record, before)
    return [phase for phase in record.phases if phase.begun]


async def _phase(world: World, record: Record, fault: Fault, share: int, *, short: bool) -> Phase:
    """A third of the turns before the fault, a third with it, a third after it."""
    lasts_s = fault.short_s if short and fault.short_s is not None else fault.lasts_s
    row = f"{fault.row} ({world.scene.name})"
    phase = Phase(row, fault.detail, fault.forgets_s)
    record.phases.append(phase)
    world.rested()
    phase.allowed = share // 3
    await _until(lambda: phase.begun >= phase.allowed)
    phase.broken_at = monotonic()
    async with fault.begin(world):
        if not fault.lasts_s:
            phase.healed_at = monotonic()
        phase.allowed = 2 * share // 3
        await asyncio.sleep(lasts_s)
    phase.healed_at = phase.healed_at or monotonic()
    phase.allowed = share
    await world.ready()
    await _until(lambda: phase.begun >= share and not phase.waiting)
    return phase


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(2 * PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.02)


def told(phase: Phase) -> str:
    """One line about a phase."""
    again = ", ".join(f"{why} {n}" for why, n in phase.again.most_common(4))
    return (
        f"  {phase.fault}{f' [{phase.detail}]' if phase.detail else ''}: {phase.answered} turns, "
        f"{len(phase.told)} told, {phase.late} late, recovered in {phase.recovered_s:.2f} s, "
        f"slowest {phase.slowest_s:.1f} s"
        + (f", {phase.forgotten} forgotten" if phase.forgotten else "")
        + (f"; again: {again}" if again else "")
        + "".join(f"\n    TOLD {each}" for each in phase.told)
        + "".join(f"\n    LOST {each}" for each in phase.lost)
        + "".join(f"\n    WRONG {each[:1500]}" for each in phase.wrong)
        + "".join(f"\n    DOUBLED {each}" for each in phase.doubled)
    )
