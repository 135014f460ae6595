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


async def indexed(path: Path, kept: Path, embedder: Embedder | None) -> Corpus:
    """Of a file of JSON Lines; `kept` has the indexes, so that only the first run makes vectors."""
    lines = _lines(path)
    index = kept / f"{path.stem}.sqlite"
    writer = await open_writer(str(index))
    try:
        async with Readers() as readers:
            await ingest(FolderSource(path, readers), writer, Silent())
        if embedder is not None:
            await embed_missing(writer, embedder)
    finally:
        await writer.close()
    articles = {each["id"]: (each["title"], each["body"], each["text"]) for each in lines}
    return Corpus(lines[0]["language"], articles, index)


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Silent:
    def progressed(self, report: Report, total: int | None) -> None:
        """The first run takes a quarter of an hour; nobody looks at a bar."""

    def embedded(self, done: int, total: int) -> None:
        """Nor here."""
