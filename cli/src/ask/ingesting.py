"""What is seen of an ingest while it runs, and the report of what it left out."""

import json
import math
from collections import deque
from pathlib import Path
from time import monotonic
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn
from rich.table import Column

from ask.errors import AskError
from ask.texts import text
from tools_docs.ingest.run import Report
from tools_docs.ingest.sources import Bad

LINE_EVERY_S = 30.0
"""Where nobody looks at a terminal: one sees that it goes on, and a night fits on a few screens."""

_BAR_CHARS = 16
"""Everything that matters fits into 80 columns."""
_PACE_OVER_S, _MAX_PAST = 60.0, 2_000
"""What was skipped an hour ago tells nothing about what is read now."""


class Screen:
    """A bar that moves while documents are read, and lines every so often where there is no terminal."""

    def __init__(self, console: Console, left_out: "LeftOut") -> None:
        self._console = console
        self._left_out = left_out
        self._progress = Progress(
            SpinnerColumn(),
            BarColumn(bar_width=_BAR_CHARS),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}", table_column=Column(no_wrap=True)),
            TextColumn("{task.fields[counts]}", table_column=Column(no_wrap=True, ratio=1)),
            console=console,
            expand=True,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID = self._progress.add_task(text("docs_reading"), total=None, counts="", pace="")
        self._said_at = monotonic()
        self._past: deque[tuple[float, int]] = deque(maxlen=_MAX_PAST)
        """(time, documents done)"""
        self._is_embedding = False

    def __enter__(self) -> "Screen":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self._progress.stop()

    def progressed(self, report: Report, total: int | None) -> None:
        """Raises `AskError` when the report of what is left out cannot be written."""
        self._left_out.write(report)
        pace = self._pace(report.done, total)
        counts = counted("docs_counts", report)
        self._progress.update(self._task, completed=report.done, total=total, counts=counts, pace=pace)
        done = str(report.done) if total is None else f"{report.done}/{total}"
        self._say_now_and_then(f"{text('docs_reading')}: {done}", pace)

    def embedded(self, done: int, total: int) -> None:
        if not self._is_embedding:
            # Passages, no documents: another pace.
            self._past.clear()
            self._is_embedding = True
        pace, counts = self._pace(done, total), text("docs_embedded", done=done, total=total)
        self._progress.update(self._task, completed=done, total=total, counts=counts, pace=pace)
        self._say_now_and_then(counts, pace)

    def _say_now_and_then(self, *said: str) -> None:
        if not self._console.is_terminal and monotonic() - self._said_at >= LINE_EVERY_S:
            self._said_at = monotonic()
            self._console.print(", ".join(filter(None, said)), soft_wrap=True)

    def _pace(self, done: int, total: int | None) -> str:
        """How fast it goes at the moment, and how long it will take where that can be told."""
        now = monotonic()
        self._past.append((now, done))
        while now - self._past[0][0] > _PACE_OVER_S:
            self._past.popleft()
        since, before = self._past[0]
        if done == before or now == since:
            return ""
        rate = (done - before) / (now - since)
        shown = f"{rate:.1f}" if rate < 10 else f"{rate:.0f}"
        if total is None:
            return text("docs_rate", rate=shown)
        return text("docs_pace", rate=shown, minutes=math.ceil((total - done) / rate / 60))


class LeftOut:
    """A file with a line for each document that is left out, and each value; written while they come up.

    There is none when nothing is left out. `is_asked_for`: without it, an ingest goes on where the file
    cannot be written, and `failure` says why.
    """

    def __init__(self, path: Path, *, is_asked_for: bool = True) -> None:
        self.path = path
        self.failure: str | None = None
        self._is_asked_for = is_asked_for
        self._file: TextIO | None = None
        self._problems = 0
        self._remarks = 0

    def write(self, report: Report) -> None:
        """What has come up since the last time. Raises `AskError`."""
        if self.failure:
            return
        try:
            if self._file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self.path.open("w", encoding="utf-8")
            new = report.problems[self._problems :] + report.remarks[self._remarks :]
            for bad in new:
                self._file.write(f"{json.dumps(_facts(bad), ensure_ascii=False)}\n")
            if new:
                self._file.flush()
        except OSError as error:
            self.failure = text("docs_no_report", path=self.path, reason=error.strerror or error)
            if self._is_asked_for:
                raise AskError(self.failure) from None
        self._problems, self._remarks = len(report.problems), len(report.remarks)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            if not self._problems and not self._remarks and self.path.is_file():
                self.path.unlink()


def counted(key: str, report: Report, index: str = "") -> str:
    return text(
        key,
        added=report.added,
        changed=report.changed,
        unchanged=report.unchanged,
        removed=report.removed,
        proposals=report.proposals,
        index=index,
    )


def _facts(bad: Bad) -> dict[str, str]:
    reason = bad.reason
    said = {"problem": reason.problem, "reason": text(f"problem_{reason.problem}"), "detail": reason.detail}
    return {key: value for key, value in {"label": bad.label, "id": bad.id, **said}.items() if value}
