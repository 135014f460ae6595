"""Opens the index that a setting names: a file, a database, or the sample for this process alone."""

import logging
import tempfile
from pathlib import Path

from tools_docs.errors import IndexUnavailable
from tools_docs.gateways import DocumentIndex, IndexWriter
from tools_docs.sample import put_sample
from tools_docs.sqlite.reading import SqliteIndex
from tools_docs.sqlite.writing import SqliteWriter

log = logging.getLogger("ask.documents")

_POSTGRES = ("postgresql://", "postgres://")


def is_postgres(where: str) -> bool:
    return where.startswith(_POSTGRES)


async def open_writer(where: str) -> IndexWriter:
    """Makes the index when there is none. Raises `IndexUnavailable`, `IndexOutdated`."""
    if is_postgres(where):
        # Imported here: who uses files does not pay for the client of a database.
        from tools_docs.postgres.writing import PostgresWriter

        return await PostgresWriter.open(where)
    return SqliteWriter(Path(where))


def index_at(where: str, connections: int) -> DocumentIndex:
    """An index to read. Nothing is opened yet."""
    if is_postgres(where):
        from tools_docs.postgres.reading import PostgresIndex

        return PostgresIndex(where, connections)
    return SqliteIndex(Path(where))


class Library:
    """The index of a service: it has the sample while nobody has put in anything else."""

    def __init__(self, where: str | None, connections: int) -> None:
        self._own = tempfile.TemporaryDirectory(prefix="ask-documents-") if where is None else None
        self._where = where or str(Path(self._own.name if self._own else "") / "documents.sqlite")
        self.index = index_at(self._where, connections)

    async def open(self) -> None:
        """Raises `IndexUnavailable`, `IndexOutdated`."""
        try:
            writer = await open_writer(self._where)
        except IndexUnavailable as error:
            # Somebody else fills it, and this process may only read.
            await self.index.overview()
            log.info("index is read only", extra={"reason": str(error)})
            return
        try:
            await put_sample(writer)
        finally:
            await writer.close()

    async def close(self) -> None:
        await self.index.close()
        if self._own is not None:
            self._own.cleanup()

    async def problem(self) -> str | None:
        """Why it cannot be searched at the moment."""
        try:
            await self.index.overview()
        except IndexUnavailable as error:
            return str(error)
        return None
