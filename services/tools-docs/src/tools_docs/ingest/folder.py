"""Documents and records in a folder, or a single file."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from tools_docs.corpus import Proposal, SourceDocument
from tools_docs.formats.encoding import decode
from tools_docs.formats.jsonl import read_records
from tools_docs.formats.kinds import Format, format_of_suffix
from tools_docs.formats.reading import Origin, Problem, Unreadable, fingerprint
from tools_docs.ingest.reader import Readers
from tools_docs.ingest.sources import Bad, Entry, Item

MAX_FILE_BYTES = 100_000_000
"""What is larger is a film or an archive of scans."""
_RECORDS = ".jsonl"


class FolderSource:
    """All files below a folder that are not hidden, in the order of their names; or one file.

    A document's id is its path from the folder's parent, unless it names one itself. `base_url`: where the
    folder is published, for links; without it they lead to the files.
    """

    is_complete = True

    def __init__(self, path: Path, readers: Readers, base_url: str | None = None) -> None:
        self._path = path.resolve()
        self._readers = readers
        self._base_url = base_url.rstrip("/") + "/" if base_url else None
        self._root = self._path if self._path.is_dir() else self._path.parent
        self._total: int | None = None
        self._files = sorted(_files(self._path)) if self._path.is_dir() else [self._path]

    @property
    def name(self) -> str:
        return str(self._path)

    @property
    def total(self) -> int | None:
        if self._total is None:
            self._total = sum(map(_entries, self._files))
        return self._total

    def resume(self, remembered: str | None) -> None:
        """Nothing is remembered: fingerprints tell what has changed."""

    def memory(self, problems: Sequence[Bad]) -> str | None:
        return None

    async def entries(self) -> AsyncIterator[Entry]:
        for path in self._files:
            if path.suffix.lower() == _RECORDS:
                async for entry in self._records(path):
                    yield entry
            else:
                yield await self._entry(path)

    async def _entry(self, path: Path) -> Entry:
        label = str(path.relative_to(self._root))
        origin = self._origin(path)
        kind = format_of_suffix(path.suffix)
        if kind is None:
            return Bad(label, Unreadable(Problem.UNKNOWN_TYPE, path.suffix or path.name), origin.id)
        try:
            content = await asyncio.to_thread(_read, path)
        except Unreadable as reason:
            return Bad(label, reason, origin.id)

        async def load(kind: Format = kind) -> SourceDocument:
            return await self._readers.read(kind, content, origin)

        return Item(label, fingerprint(content, origin), load, origin.id)

    async def _records(self, path: Path) -> AsyncIterator[Entry]:
        label = str(path.relative_to(self._root))
        try:
            text = decode(await asyncio.to_thread(_read, path))
        except Unreadable as reason:
            yield Bad(label, reason)
            return
        for number, record in read_records(text):
            if isinstance(record, Proposal):
                yield record
            elif isinstance(record, Unreadable):
                yield Bad(f"{label}:{number}", record)
            else:
                yield _item(f"{label}:{number}", record)

    def _origin(self, path: Path) -> Origin:
        below = path.relative_to(self._root).as_posix()
        url = self._base_url + quote(below) if self._base_url else path.as_uri()
        return Origin(id=f"{self._root.name}/{below}", url=url, name=path.stem.replace("_", " "))


def _item(label: str, document: SourceDocument) -> Item:
    async def load() -> SourceDocument:
        return document

    return Item(label, document.fingerprint, load, document.facts.id)


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        below = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith((".", "~$")) for part in below):
            yield path


def _entries(path: Path) -> int:
    """How many there will be of a file: lines of records, unless it is too large to be read."""
    if path.suffix.lower() != _RECORDS:
        return 1
    try:
        return sum(1 for line in _read(path).splitlines() if line.strip())
    except Unreadable:
        return 1


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise Unreadable(Problem.TOO_LARGE)
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(Problem.NOT_FETCHED, error.strerror or str(error)) from None
