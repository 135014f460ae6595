"""One ingest: reads what is new or changed, and puts it into the index batch by batch.

Every batch is one transaction of whole documents. Cut off at any point, the index is consistent, and the next
run goes on where this one stopped, because what is there already is recognised by its fingerprint.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Protocol

from tools_docs.corpus import Proposal, SourceDocument
from tools_docs.formats.reading import Problem, Unreadable
from tools_docs.gateways import IndexWriter
from tools_docs.ingest.sources import Bad, Entry, Item, Source
from tools_docs.preparing import Prepared, prepare

_BATCH_DOCUMENTS, _BATCH_PASSAGES, _BATCH_S = 50, 1_000, 2.0
"""A batch is written when it has as many, or is as old: it can be found then, and a crash costs no more."""
_READ_AHEAD = 8
"""Documents read or fetched at the same time."""


@dataclass
class Report:
    """What an ingest has done."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    proposals: int = 0
    problems: list[Bad] = field(default_factory=list)
    remarks: list[Bad] = field(default_factory=list)
    """Values that were left out of documents which are there."""
    is_complete: bool = True
    """Whether the source could be read to its end; if not, nothing is removed."""

    @property
    def done(self) -> int:
        return self.added + self.changed + self.unchanged + self.proposals + len(self.problems)


class Observer(Protocol):
    def progressed(self, report: Report, total: int | None) -> None:
        """After every entry."""

    def embedded(self, done: int, total: int) -> None:
        """So many passages have got a vector; what they say can be found by words before."""


async def ingest(source: Source, writer: IndexWriter, observer: Observer, *, prune: bool = False) -> Report:
    """`prune`: what the source does not have any more is removed.

    Raises `IndexUnavailable`, and `NoVectors` when everything is stored but vectors are missing.
    """
    run = _Run(source, writer, observer)
    await run.read()
    run.report.is_complete = source.is_complete
    if prune and source.is_complete:
        run.report.removed = await writer.keep_only(source.name, run.ids, run.identifiers)
    await writer.finish()
    return run.report


class _Run:
    def __init__(self, source: Source, writer: IndexWriter, observer: Observer) -> None:
        self.report = Report()
        self.ids: set[str] = set()
        self.identifiers: set[str] = set()
        self._source = source
        self._writer = writer
        self._observer = observer
        self._known: dict[str, str] = {}
        self._documents: list[Prepared] = []
        self._proposals: list[Proposal] = []
        self._since = monotonic()

    async def read(self) -> None:
        known = await self._writer.fingerprints(self._source.name)
        self._old = set(known)
        self._known = {fingerprint: document_id for document_id, fingerprint in known.items()}
        async with aclosing(self._read_ahead()) as read:
            async for entry, document in read:
                self._take(entry, document)
                if self._is_due():
                    await self._flush()
                self._observer.progressed(self.report, self._source.total)
        await self._flush()

    async def _read_ahead(self) -> AsyncGenerator[tuple[Entry, SourceDocument | Unreadable | None], None]:
        """Entries in their order, with their documents where those are new."""
        running: deque[tuple[Entry, asyncio.Task[SourceDocument | Unreadable] | None]] = deque()
        try:
            async for entry in self._source.entries():
                is_new = isinstance(entry, Item) and entry.fingerprint not in self._known
                task = asyncio.create_task(_loaded(entry)) if is_new and isinstance(entry, Item) else None
                running.append((entry, task))
                while running and (len(running) >= _READ_AHEAD or running[0][1] is None):
                    first, reading = running.popleft()
                    yield first, await reading if reading else None
            while running:
                first, reading = running.popleft()
                yield first, await reading if reading else None
        finally:
            for _, reading in running:
                if reading is not None:
                    reading.cancel()

    def _take(self, entry: Entry, document: SourceDocument | Unreadable | None) -> None:
        report = self.report
        match entry, document:
            case Proposal(), _ if entry.identifier in self.identifiers:
                self._fail(Bad(entry.identifier, Unreadable(Problem.DUPLICATE)))
            case Proposal(), _:
                self._proposals.append(entry)
                self.identifiers.add(entry.identifier)
                self._remark(entry.identifier, entry.identifier, entry.ignored)
                report.proposals += 1
            case Bad(), _:
                self._fail(entry)
            case Item(), None if self._known[entry.fingerprint] in self.ids:
                self._fail(Bad(entry.label, Unreadable(Problem.DUPLICATE, self._known[entry.fingerprint])))
            case Item(), None:
                self.ids.add(self._known[entry.fingerprint])
                report.unchanged += 1
            case Item(), Unreadable():
                self._fail(Bad(entry.label, document, entry.id))
            case Item(), SourceDocument() if document.facts.id in self.ids:
                self._fail(Bad(entry.label, Unreadable(Problem.DUPLICATE, document.facts.id)))
            case Item(), SourceDocument():
                self._documents.append(prepare(document))
                self.ids.add(document.facts.id)
                self._remark(entry.label, document.facts.id, document.ignored)
                is_known = document.facts.id in self._old
                report.changed += is_known
                report.added += not is_known

    def _fail(self, bad: Bad) -> None:
        self.report.problems.append(bad)
        # It has not gone: what the index has of it stays.
        self.ids.add(bad.id)

    def _remark(self, label: str, identifier: str, ignored: tuple[str, ...]) -> None:
        self.report.remarks += [Bad(label, Unreadable(Problem.IGNORED, each), identifier) for each in ignored]

    def _is_due(self) -> bool:
        waiting = len(self._documents) + len(self._proposals)
        passages = sum(len(document.passages) for document in self._documents)
        is_old = bool(waiting) and monotonic() - self._since > _BATCH_S
        return waiting >= _BATCH_DOCUMENTS or passages >= _BATCH_PASSAGES or is_old

    async def _flush(self) -> None:
        if self._documents:
            await self._writer.put(self._source.name, self._documents)
        if self._proposals:
            await self._writer.put_proposals(self._source.name, self._proposals)
        self._documents, self._proposals, self._since = [], [], monotonic()


async def _loaded(item: Item) -> SourceDocument | Unreadable:
    try:
        document = await item.load()
    except Unreadable as reason:
        return reason
    return replace(document, fingerprint=item.fingerprint)
