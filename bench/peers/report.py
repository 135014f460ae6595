"""What was measured: as tables, as JSON, and as plots."""

import json
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

import bars
import simulation
from peers.clients import Work
from peers.measuring import IN_FLIGHT, SHARE, Figures
from peers.recovery import IN_FLIGHT as AT_WORK
from peers.recovery import Recovery

DURABILITY = {"process": "survives the crash of a process", "power": "synced to disk before it counts"}
_KINDS = {"process": ("#4c78a8", DURABILITY["process"]), "power": ("#f58518", DURABILITY["power"])}


@dataclass
class Entry:
    """All of one contestant in one class of durability."""

    name: str
    durability: str
    settings: str
    figures: dict[str, Figures] = field(default_factory=dict)
    recovery: Recovery | None = None
    memory_mb: dict[str, float] = field(default_factory=dict)
    resting_percent: float = 0.0
    """Of a core, while nothing is asked."""

    def row(self, wanted: Work) -> dict[str, float] | None:
        found = self.figures.get(wanted.name)
        if found is None:
            return None
        return {
            "p50 at 1, ms": simulation.percentile(found.single_s, 50) * 1000,
            "p99 at 1, ms": simulation.percentile(found.single_s, 99) * 1000,
            f"turns/s at {IN_FLIGHT}": statistics.median(found.rates),
            f"CPU at {IN_FLIGHT}, ms": sum(found.cpu_ms.values()) / found.turns,
            "open loop, turns/s": statistics.median(found.open_rates),
            f"p50 at {SHARE:.0%}, ms": simulation.percentile(found.open_s, 50) * 1000,
            f"p99 at {SHARE:.0%}, ms": simulation.percentile(found.open_s, 99) * 1000,
        }


def show(entries: list[Entry], works: Iterable[Work]) -> None:
    console = Console(width=120)
    for durability in dict.fromkeys(entry.durability for entry in entries):
        of_it = [entry for entry in entries if entry.durability == durability]
        for wanted in works:
            rows = [(entry.name, row) for entry in of_it if (row := entry.row(wanted)) is not None]
            if rows:
                table = _table(f"{wanted.name}; {DURABILITY[durability]}")
                for column in rows[0][1]:
                    table.add_column(column, justify="right")
                for name, row in rows:
                    table.add_row(name, *(f"{value:,.1f}" for value in row.values()))
                console.print(table)
        console.print(_recoveries(of_it, durability))
        console.print(_machine(of_it, durability))


def _table(title: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("", no_wrap=True)
    return table


def _recoveries(entries: list[Entry], durability: str) -> Table:
    title = f"all processes of the application killed, {AT_WORK} turns at work; {DURABILITY[durability]}"
    table = _table(title)
    columns = ("lost", "went on unasked", "effect doubled", "first answer, s", "all answered, s")
    for column in columns:
        table.add_column(column, justify="right")
    for entry in entries:
        if (found := entry.recovery) is not None:
            table.add_row(
                entry.name,
                str(found.lost),
                f"{found.alone} of {found.silent}",
                str(found.doubled),
                *("–" if each is None else f"{each:.1f}" for each in (found.first_s, found.all_s)),
            )
    return table


def _machine(entries: list[Entry], durability: str) -> Table:
    table = _table(f"memory and rest; {DURABILITY[durability]}")
    table.add_column("MB", justify="right")
    table.add_column("at rest, % of a core", justify="right")
    table.add_column("settings")
    for entry in entries:
        table.add_row(
            entry.name, f"{sum(entry.memory_mb.values()):.0f}", f"{entry.resting_percent:.1f}", entry.settings
        )
    return table


def as_json(entries: list[Entry], works: list[Work], *, rounds: int, seconds: float) -> str:
    """Summaries, without the single turns."""
    found = [
        {
            "name": entry.name,
            "durability": entry.durability,
            "settings": entry.settings,
            "works": {wanted.name: entry.row(wanted) for wanted in works},
            "cpuMsByProcess": {
                name: {each: spent / figures.turns for each, spent in figures.cpu_ms.items()}
                for name, figures in entry.figures.items()
            },
            "turns": {name: figures.turns for name, figures in entry.figures.items()},
            "recovery": asdict(entry.recovery) if entry.recovery else None,
            "memoryMb": entry.memory_mb,
            "restingPercent": entry.resting_percent,
        }
        for entry in entries
    ]
    machine = {"cores": psutil.cpu_count(), "loadBefore": psutil.getloadavg()[2]}
    document: Mapping[str, Any] = {
        "rounds": rounds,
        "secondsEach": seconds,
        "machine": machine,
        "contestants": found,
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def plots(entries: list[Entry], wanted: Work, folder: Path) -> list[Path]:
    """Two bar charts of one kind of work: turns/s, and the p99 of the open loop."""
    written = []
    for name, column in (("throughput", f"turns/s at {IN_FLIGHT}"), ("latency", f"p99 at {SHARE:.0%}, ms")):
        values: dict[str, dict[str, float]] = {}
        for entry in entries:
            if (row := entry.row(wanted)) is not None:
                values.setdefault(entry.name, {})[entry.durability] = row[column]
        path = folder / f"peers-{name}.svg"
        path.write_text(bars.bars(f"{wanted.name}: {column}", values, _KINDS))
        written.append(path)
    return written
