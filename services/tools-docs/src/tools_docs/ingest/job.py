"""From what a person types to an ingest: which source, which index, which model."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from servicekit.outbound import Outbound, OutboundSettings

from tools_docs.errors import SourceMissing
from tools_docs.indexes import open_writer
from tools_docs.ingest.folder import MAX_FILE_BYTES, FolderSource
from tools_docs.ingest.oparl import OparlSource
from tools_docs.ingest.reader import Readers
from tools_docs.ingest.run import Observer, Report, ingest
from tools_docs.ingest.sources import Source
from tools_docs.models import models
from tools_docs.settings import Settings
from tools_docs.vectors import embed_missing

_WEB = ("http://", "https://")
_PATIENT = OutboundSettings(
    # Nobody waits for an answer: a slow server may take its time, and a busy one is given a pause.
    outbound_connect_timeout_s=10.0,
    outbound_read_timeout_s=60.0,
    outbound_total_timeout_s=300.0,
    outbound_max_retries=4,
    outbound_max_retry_after_s=60.0,
    outbound_max_body_bytes=MAX_FILE_BYTES,
    outbound_max_connections=8,
)
_EMBEDDING_TIMEOUT_S = 60.0


async def fill(
    where_from: str,
    where_to: str,
    observer: Observer,
    *,
    prune: bool = False,
    full: bool = False,
    base_url: str | None = None,
    allowed: Sequence[str] = (),
) -> Report:
    """Ingests a folder, a file, or what lies below an OParl URL. `allowed`: further servers to fetch from.

    `full`: everything is asked for, not only what has changed since the last time; so it is with `prune`.

    Raises `SourceMissing`, `IndexUnavailable`, `IndexOutdated`, `NoVectors`.
    """
    settings = Settings()
    # Whole batches at once, and nobody waits.
    known = models(settings.model_copy(update={"embedding_timeout_s": _EMBEDDING_TIMEOUT_S}))
    try:
        async with Readers() as readers, _source(where_from, readers, base_url, allowed) as source:
            writer = await open_writer(where_to)
            try:
                # Only who sees everything knows what has gone.
                source.resume(None if full or prune else await writer.remembered(source.name))
                report = await ingest(source, writer, observer, prune=prune)
                if (memory := source.memory(report.problems)) is not None:
                    await writer.remember(source.name, memory)
                if known.embedder is not None:
                    await embed_missing(writer, known.embedder, observer.embedded)
                return report
            finally:
                await writer.close()
    finally:
        await known.close()


@asynccontextmanager
async def _source(
    where: str, readers: Readers, base_url: str | None, allowed: Sequence[str]
) -> AsyncIterator[Source]:
    if not where.startswith(_WEB):
        yield FolderSource(_existing(where), readers, base_url)
        return
    try:
        outbound = Outbound(_PATIENT, (where, *allowed))
    except ValueError:
        raise SourceMissing(", ".join((where, *allowed))) from None
    try:
        yield OparlSource(where, outbound, readers)
    finally:
        await outbound.close()


def _existing(where: str) -> Path:
    path = Path(where).expanduser()
    if not path.exists():
        raise SourceMissing(where)
    return path
