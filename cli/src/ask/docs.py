"""`ask docs ingest | status | search` on the terminal."""

import asyncio
import json
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer
from contracts.items import Document, Proposal
from contracts.messages import Outcome
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn
from rich.table import Table
from rich.text import Text

from ask.errors import AskError
from ask.texts import text
from tools_docs.corpus import SAMPLE
from tools_docs.errors import IndexOutdated, IndexUnavailable, NoVectors, SourceMissing
from tools_docs.gateways import DocumentIndex, Overview
from tools_docs.indexes import index_at
from tools_docs.ingest.job import fill
from tools_docs.ingest.run import Report
from tools_docs.ingest.sources import Bad
from tools_docs.judging.lexical import LexicalJudge
from tools_docs.research import Research

_MAX_SHOWN = 20
_MAX_EXCERPT_CHARS = 300
_PASSWORD = re.compile(r"(?<=://)([^:/@]*):[^@/]*(?=@)")

# What fails is reported; the log lines beside it are for programs that go on.
for _name in ("ask", "psycopg"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)


def ingest(source: str, index: str, *, prune: bool, base_url: str | None, allowed: Sequence[str]) -> bool:
    """Whether everything could be read. Raises `AskError`."""
    console = Console(highlight=False, stderr=True)
    with _known_errors(index), _Screen(console) as screen:
        try:
            report = asyncio.run(fill(source, index, screen, prune=prune, base_url=base_url, allowed=allowed))
        except KeyboardInterrupt:
            screen.stop()
            console.print(text("docs_interrupted"))
            raise
    for line in _problems(report):
        console.print(Text(line), soft_wrap=True)
    typer.echo(_counted("docs_done", report, index=_public(index)))
    return report.is_complete and not report.problems


def show_status(index: str, *, as_json: bool) -> None:
    """Raises `AskError`."""
    overview = asyncio.run(_overview(index))
    if as_json:
        typer.echo(json.dumps(_facts(index, overview), ensure_ascii=False))
        return
    console = Console(highlight=False)
    if not overview.documents:
        console.print(text("docs_empty", index=_public(index)))
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    rows: list[tuple[str, object]] = [
        ("index", _public(index)),
        ("documents", overview.documents),
        ("passages", overview.passages),
        ("proposals", overview.proposals),
    ]
    for name, count in overview.sources.items():
        rows.append(("source", f"{text('docs_sample') if name == SAMPLE else name} ({count})"))
    for key, value in rows:
        table.add_row(text(f"docs_{key}"), Text(str(value), overflow="fold"))
    console.print(table)
    if overview.updated_at is not None:
        console.print(text("docs_updated", time=overview.updated_at.astimezone().strftime("%d.%m.%Y %H:%M")))


def search(index: str, question: str, *, limit: int, as_json: bool) -> None:
    """Raises `AskError`."""
    outcome = asyncio.run(_search(index, question, limit))
    if as_json:
        typer.echo(outcome.to_json().decode())
        return
    console = Console(highlight=False)
    documents = [item for item in outcome.items if isinstance(item, Document)]
    if not documents:
        console.print(text("docs_none"))
    if outcome.note:
        console.print(outcome.note, soft_wrap=True)
    for document in documents:
        day = document.date.strftime("%d.%m.%Y") if document.date else None
        known = (document.kind, document.body, day)
        console.print(
            Text.assemble((document.name, "bold"), f"  {' · '.join(filter(None, known))}"), soft_wrap=True
        )
        console.print(Text(f"  {document.url}", style="dim"), soft_wrap=True)
        for passage in document.passages[:1]:
            console.print(Text(f"  {_excerpt(passage.text)}"))
    for item in outcome.items:
        if isinstance(item, Proposal):
            console.print(
                Text(text("docs_proposal", identifier=item.identifier, name=item.name)), soft_wrap=True
            )


class _Screen:
    """A bar that moves while documents are read; nothing where nobody looks at a terminal."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[counts]}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID = self._progress.add_task(text("docs_reading"), total=None, counts="")

    def __enter__(self) -> "_Screen":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self._progress.stop()

    def progressed(self, report: Report, total: int | None) -> None:
        counts = _counted("docs_counts", report)
        self._progress.update(self._task, completed=report.done, total=total, counts=counts)


@contextmanager
def _known_errors(index: str) -> Iterator[None]:
    try:
        yield
    except SourceMissing as error:
        raise AskError(text("docs_no_source", source=error)) from None
    except NoVectors as error:
        raise AskError(text("docs_no_vectors", reason=error)) from None
    except IndexOutdated:
        raise AskError(text("docs_outdated", index=_public(index))) from None
    except IndexUnavailable as error:
        reason = " ".join(str(error).removeprefix(f"{index}: ").split())
        raise AskError(text("docs_no_index", index=_public(index), reason=_public(reason))) from None


async def _overview(where: str) -> Overview:
    with _known_errors(where):
        index = index_at(where, connections=1)
        try:
            return await index.overview()
        finally:
            await index.close()


async def _search(where: str, question: str, limit: int) -> Outcome:
    with _known_errors(where):
        index: DocumentIndex = index_at(where, connections=1)
        try:
            return await Research(index, LexicalJudge(index)).retrieve(question, None, limit)
        finally:
            await index.close()


def _counted(key: str, report: Report, index: str = "") -> str:
    return text(
        key,
        added=report.added,
        changed=report.changed,
        unchanged=report.unchanged,
        removed=report.removed,
        proposals=report.proposals,
        index=index,
    )


def _problems(report: Report) -> Iterator[str]:
    if report.problems:
        yield text("docs_bad", n=len(report.problems))
    yield from map(_problem, report.problems[:_MAX_SHOWN])
    if len(report.problems) > _MAX_SHOWN:
        yield text("docs_more", n=len(report.problems) - _MAX_SHOWN)
    if not report.is_complete:
        yield text("docs_incomplete")


def _problem(bad: Bad) -> str:
    reason = text(f"problem_{bad.reason.problem}")
    return f"  {bad.label}: {reason}" + (f" ({bad.reason.detail})" if bad.reason.detail else "")


def _facts(index: str, overview: Overview) -> dict[str, object]:
    return {
        "index": _public(index),
        "documents": overview.documents,
        "passages": overview.passages,
        "proposals": overview.proposals,
        "sources": dict(overview.sources),
        "updatedAt": overview.updated_at.isoformat() if overview.updated_at else None,
    }


def _public(where: str) -> str:
    """Without the password of a database."""
    return _PASSWORD.sub(r"\1:…", where)


def _excerpt(passage: str) -> str:
    line = " ".join(passage.split())
    return line if len(line) <= _MAX_EXCERPT_CHARS else line[: _MAX_EXCERPT_CHARS - 1].rstrip() + "…"
