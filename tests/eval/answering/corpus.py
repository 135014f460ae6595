"""The articles of a corpus in one language, in an index that is made once."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools_docs.gateways import Embedder
from tools_docs.indexes import open_writer
from tools_docs.ingest.folder import FolderSource
from tools_docs.ingest.reader import Readers
from tools_docs.ingest.run import Report, ingest
from tools_docs.vectors import embed_missing


@dataclass(frozen=True)
class Corpus:
    """`articles`: id -> title, act and text. `index`: the file with its passages and vectors."""

    language: str
    articles: Mapping[str, tuple[str, str, str]]
    index: Path


async def corpora(folder: Path, kept: Path, embedder: Embedder | None) -> list[Corpus]:
    """One of each file of JSON Lines; `kept` has their indexes, so that only the first run makes vectors."""
    return [await _corpus(path, kept, embedder) for path in sorted(folder.glob("*.jsonl"))]


async def _corpus(path: Path, kept: Path, embedder: Embedder | None) -> Corpus:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    index = kept / f"{path.stem}.sqlite"
    writer = await open_writer(str(index))
    try:
        async with Readers() as readers:
            await ingest(FolderSource(path, readers), writer, _Silent())
        if embedder is not None:
            await embed_missing(writer, embedder)
    finally:
        await writer.close()
    articles = {each["id"]: (each["title"], each["body"], each["text"]) for each in lines}
    return Corpus(lines[0]["language"], articles, index)


class _Silent:
    def progressed(self, report: Report, total: int | None) -> None:
        """The first run takes a quarter of an hour; nobody looks at a bar."""
