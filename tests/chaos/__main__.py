"""python -m tests.chaos --turns 10000 --seed 17: every fault, for as long as it takes."""

import argparse
import asyncio
import logging
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from . import report
from .campaign import Plan, run

ROOT = Path(__file__).parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(prog="chaos", description="Turns under every fault.")
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    parser.add_argument("--short", action="store_true", help="each kind of fault once, and briefly")
    parser.add_argument("--only", default="", help="only faults with this in their name")
    parser.add_argument("--old", default=last_tag(), help="the version to run beside today's; a ref of git")
    args = parser.parse_args()
    # What its client says of servers that go away is what this is about.
    logging.getLogger("nats").setLevel(logging.CRITICAL)
    logging.getLogger("client").setLevel(logging.ERROR)
    seed = args.seed or random.randrange(1, 1_000_000)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place)
        old_code = checkout(args.old, folder / "old") if args.old else None
        plan = Plan(seed, args.turns, args.short, args.only, old_code)
        say(f"seed {seed}; beside an older version: {args.old or 'none is tagged, left out'}")
        phases = asyncio.run(run(plan, folder, say))
    say("\n".join(f"{phase.fault}: {each}" for phase in phases for each in phase.in_vain))
    say(f"\nseed {seed}\n\n{report.table(phases)}")
    return any(phase.in_vain for phase in phases)


def last_tag() -> str:
    found = subprocess.run(
        ("git", "describe", "--tags", "--abbrev=0"), cwd=ROOT, capture_output=True, text=True, check=False
    )
    return found.stdout.strip()


def checkout(ref: str, folder: Path) -> Path:
    """The files of a version."""
    folder.mkdir()
    archive = subprocess.run(("git", "archive", ref), cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(("tar", "-x", "-C", str(folder)), input=archive, check=True)
    return folder


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
