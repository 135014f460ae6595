"""The same turns through ask.sogis and through what else one would build it with, in turn, on one machine.

    make bench-peers          or, with options,          make bench-peers ARGS="--quick --only Restate,DBOS"

Every contestant does the same work (`work.py`) for the same clients (`clients.py`). All run at once, and
each is asked in turn, in several rounds: first with what survives the crash of a process, then synced to
disk.
"""

import argparse
import asyncio
import sys
import tempfile
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from time import perf_counter

import uvloop
from rich.console import Console

from peers import report
from peers.clients import Work
from peers.contestants import ROOT, Chain, Compact, Contestant, Ours
from peers.measuring import Figures, clients, lane, measure
from peers.recovery import recover
from peers.served import Dbos, LangGraph, Plain, Restate

ALL: tuple[type[Contestant], ...] = (Ours, Compact, Chain, LangGraph, Dbos, Restate, Plain)
WORKS = (Work("one"), Work("one", 200), Work("choice"), Work("ten"))
WARM_S = 1.0
REST_S = 2.0
READY_S = 30.0
RESULTS = ROOT / "artefacts" / "peers"


async def warm(contestant: Contestant) -> None:
    """One turn of each kind, as soon as the contestant can, and then some."""
    until = perf_counter() + READY_S
    for wanted in WORKS:
        while wanted.kind in contestant.kinds:
            async with clients(contestant, 16) as made:
                try:
                    await asyncio.gather(*(lane(each, wanted, perf_counter() + WARM_S / 4) for each in made))
                    break
                except RuntimeError:
                    if perf_counter() > until:
                        raise
                    await asyncio.sleep(0.2)


async def compete(
    durability: str, chosen: list[type[Contestant]], args: argparse.Namespace
) -> list[report.Entry]:
    said = Console(stderr=True, highlight=False)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        found: list[tuple[Contestant, report.Entry]] = []
        for kind in chosen:
            began = perf_counter()
            contestant = await stack.enter_async_context(kind(durability, folder / kind.__name__))
            await warm(contestant)
            said.print(f"{durability}: {kind.name} started and warm after {perf_counter() - began:.1f} s")
            found.append((contestant, report.Entry(kind.name, durability, contestant.settings)))
        await rest(found)
        for n in range(args.rounds):
            # The other way round every second time: nobody always comes after the same one.
            for contestant, entry in found[:: 1 if n % 2 == 0 else -1]:
                for wanted in WORKS:
                    if wanted.kind in contestant.kinds:
                        figures = entry.figures.setdefault(wanted.name, Figures())
                        await measure(contestant, wanted, args.seconds, figures)
            said.print(f"{durability}: round {n + 1} of {args.rounds}")
        for contestant, entry in found:
            entry.memory_mb = contestant.usage.memory_mb()
            entry.recovery = await recover(contestant)
            said.print(f"{durability}: {entry.name} killed and started again")
    return [entry for _, entry in found]


async def rest(found: list[tuple[Contestant, report.Entry]]) -> None:
    before = [sum(contestant.usage.cpu_ms().values()) for contestant, _ in found]
    await asyncio.sleep(REST_S)
    for (contestant, entry), spent in zip(found, before, strict=True):
        entry.resting_percent = (sum(contestant.usage.cpu_ms().values()) - spent) / REST_S / 10


async def run(args: argparse.Namespace) -> int:
    names = [name.strip().lower() for name in args.only.split(",") if name.strip()]
    chosen = [kind for kind in ALL if not names or kind.name.lower() in names]
    if names and len(chosen) != len(names):
        raise SystemExit("--only knows: " + ", ".join(kind.name for kind in ALL))
    began = perf_counter()
    entries: list[report.Entry] = []
    for durability in args.durability.split(","):
        able = [kind for kind in chosen if durability in kind.classes]
        entries += await compete(durability, able, args)
    report.show(entries, WORKS)
    RESULTS.mkdir(parents=True, exist_ok=True)
    written = RESULTS / f"{datetime.now():%Y%m%d-%H%M%S}.json"
    written.write_text(report.as_json(entries, list(WORKS), rounds=args.rounds, seconds=args.seconds))
    drawn = report.plots(entries, WORKS[0], RESULTS)
    print(
        f"{perf_counter() - began:.0f} s, written:", *(path.relative_to(ROOT) for path in (written, *drawn))
    )
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench-peers ARGS=...", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each load")
    parser.add_argument("--only", default="", help="some: " + ", ".join(kind.name for kind in ALL))
    parser.add_argument("--durability", default="process,power", help="one of the two, or both")
    parser.add_argument("--quick", action="store_true", help="one short round")
    args = parser.parse_args()
    if args.quick:
        args.rounds, args.seconds = 1, 0.5
    return uvloop.run(run(args))


if __name__ == "__main__":
    sys.exit(main())
