"""The table of docs/reliability.md."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from .record import Phase

_HEAD = (
    "| fault | times | turns | lost | doubled | wrong | late | told | forgotten | recovery, s | worst, s |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
)


def table(phases: Sequence[Phase]) -> str:
    """Markdown: one line for each fault, and one for all."""
    rows: defaultdict[str, list[Phase]] = defaultdict(list)
    for phase in phases:
        rows[phase.fault].append(phase)
    lines = [_line(name, found) for name, found in sorted(rows.items())]
    return _HEAD + "".join([*lines, _line("**all**", phases)])


def _line(name: str, phases: Sequence[Phase]) -> str:
    recovered = [phase.recovered_s for phase in phases]
    numbers = (
        len(phases),
        sum(phase.answered for phase in phases),
        sum(len(phase.lost) for phase in phases),
        sum(len(phase.doubled) for phase in phases),
        sum(len(phase.wrong) for phase in phases),
        sum(phase.late for phase in phases),
        sum(len(phase.told) for phase in phases),
        sum(phase.forgotten for phase in phases),
        f"{median(recovered):.1f}",
        f"{max(recovered):.1f}",
    )
    return f"| {name} | {' | '.join(map(str, numbers))} |\n"
