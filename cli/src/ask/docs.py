"""`ask docs ingest | status | search` on the terminal."""

import asyncio
import json
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

import typer
from contracts.items import Document, Proposal
from contracts.messages import Outcome
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ask.errors import AskError
from ask.ingesting import LeftOut, Screen, counted
from ask.texts import text
from tools_docs.corpus import SAMPLE
from tools_docs.errors import IndexOutdated, IndexUnavailable, NoVectors, SourceMissing
from tools_docs.gateways import DocumentIndex, Overview
from tools_docs.indexes import index_at
from tools_docs.ingest.job import fill
from tools_docs.ingest.run import Report
from tools_docs.ingest.sources import Bad
from tools_docs.models import models
from tools_docs.research import Research
from tools_docs.settings import Settings

_MAX_SHOWN = 5
_MAX_EXCERPT_CHARS = 300
_PASSWORD = re.compile(r"(?<=://)([^:/@]*):[^@/]*(?=@)")

# What fails is reported; the log lines beside it are for programs that go on.
for _name in ("ask", "psycopg"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)


def ingest(
    source: str,
    index: str,
    left_out: LeftOut,
    *,
    prune: bool,
    full: bool,
    base_url: str | None,
    allowed: Sequence[str],
    as_json: bool = False,
) -> bool:
    """Whether everything could be read; what could not stands in `left_out`. Raises `AskError`."""
    console = Console(highlight=False, stderr=True)
    with _known_errors(index), closing(left_out), Screen(console, left_out) as screen:
        try:
            report = asyncio.run(
                fill(source, index, screen, prune=prune, full=full, base_url=base_url, allowed=allowed)
            )
        except KeyboardInterrupt:
            screen.stop()
            console.print(text("docs_interrupted"))
            raise
    for line in _problems(report, left_out):
        console.print(Text(line), soft_wrap=True)
    if as_json:
        typer.echo(json.dumps(_done(report) | {"index": _public(index)}))
    else:
        typer.echo(counted("docs_done", report, index=_public(index)))
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
        ("vectors", f"{overview.vectors} ({overview.model})" if overview.model else 0),
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
        known = models(Settings())
        try:
            research = Research(index, known.embedder)
            return await research.retrieve(question, None, limit)
        finally:
            await known.close()
            await index.close()


def _problems(report: Report, left_out: LeftOut) -> Iterator[str]:
    for key, found in (("docs_bad", report.problems), ("docs_remarks", report.remarks)):
        if found:
            yield text(key, n=len(found))
        yield from map(_problem, found[:_MAX_SHOWN])
        if len(found) > _MAX_SHOWN:
            yield text("docs_more", n=len(found) - _MAX_SHOWN)
    if report.problems or report.remarks:
        yield left_out.failure or text("docs_report", path=left_out.path)
    if not report.is_complete:
        yield text("docs_incomplete")


def _problem(bad: Bad) -> str:
    reason = text(f"problem_{bad.reason.problem}")
    return f"  {bad.label}: {reason}" + (f" ({bad.reason.detail})" if bad.reason.detail else "")


def _done(report: Report) -> dict[str, object]:
    counts = ("added", "changed", "unchanged", "removed", "proposals")
    known: dict[str, object] = {name: getattr(report, name) for name in counts}
    return known | {"leftOut": len(report.problems), "isComplete": report.is_complete}


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
