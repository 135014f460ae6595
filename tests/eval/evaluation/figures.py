"""Figures of what was played, and the table of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.playing import Planner, Played


@dataclass(frozen=True)
class Figures:
    """Of some turns, how many were how."""

    turns: int
    accepted: int
    wrong_with_success: int
    asked_without_need: int
    not_asked: int
    failed: int

    @classmethod
    def of(cls, played: Iterable[Played]) -> "Figures":
        turns = tuple(played)
        return cls(
            turns=len(turns),
            accepted=sum(each.accepted for each in turns),
            wrong_with_success=sum(each.wrong_with_success for each in turns),
            asked_without_need=sum(each.asked_without_need for each in turns),
            not_asked=sum(each.not_asked for each in turns),
            failed=sum(each.failed for each in turns),
        )

    def share(self, count: int) -> float:
        """In percent of the turns."""
        return 100 * count / self.turns if self.turns else 0.0


_COLUMNS = ("accepted", "wrong with success", "asked without need", "not asked where needed", "failed")
Row = tuple[str, Mapping[Planner, Figures]]
"""A name, and the figures of each planner."""


def rows_of(name: str, played: Mapping[Planner, Sequence[Played]], *, by_kind: bool) -> list[Row]:
    """One row for all, and before it one for each kind if wanted."""
    kinds = sorted({each.conversation.kind for turns in played.values() for each in turns}) if by_kind else []
    rows: list[Row] = []
    for kind in kinds:
        of_kind = {p: [t for t in turns if t.conversation.kind == kind] for p, turns in played.items()}
        rows.append((kind, {planner: Figures.of(turns) for planner, turns in of_kind.items()}))
    return [*rows, (name, {planner: Figures.of(turns) for planner, turns in played.items()})]


def table(rows: Sequence[Row]) -> str:
    """As Markdown, so that it can be copied into the docs; a column for each planner."""
    planners = list(rows[0][1]) if rows else []
    of = {planner: f" ({planner})" if len(planners) > 1 else "" for planner in planners}
    heads = ["kind", "turns", *(f"{column}{of[p]}" for column in _COLUMNS for p in planners)]
    lines = [heads, ["---", *["--:"] * (len(heads) - 1)]]
    for name, figures in rows:
        cells = [name, str(next(iter(figures.values())).turns)]
        for column in range(len(_COLUMNS)):
            cells += [_cells(figures[planner])[column] for planner in planners]
        lines.append(cells)
    widths = [max(len(line[n]) for line in lines) for n in range(len(heads))]
    return "\n".join(_line(line, widths) for line in lines)


def _cells(f: Figures) -> tuple[str, ...]:
    counts = (f.accepted, f.wrong_with_success, f.asked_without_need, f.not_asked)
    return (*(f"{f.share(count):.1f} %" for count in counts), str(f.failed or ""))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    numbers = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))
    return f"| {' | '.join((cells[0].ljust(widths[0]), *numbers))} |"
