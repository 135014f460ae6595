"""How long it takes to fill an index with real texts and to ask it: `python bench/documents.py FOLDER`.

In SQLite and in PostgreSQL with pgvector. The questions are those of the seen half of `tests/eval/documents`.
Vectors of passages are drawn, because to make them takes hours and a search of them as long whatever they
mean; those of the questions are made by the model, as for a user.
"""

import argparse
import asyncio
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from time import perf_counter

import numpy as np

sys.path.extend(str(Path(__file__).parents[1] / "tests" / name) for name in ("support", "eval"))

from answering.corpus import Silent
from answering.questions import SEEN, questions
from postgres_servers import has_vector, installations, running

from tools_docs.arguments import CheckedDocument
from tools_docs.gateways import DocumentIndex, Embedder
from tools_docs.indexes import index_at, open_writer
from tools_docs.ingest.folder import FolderSource
from tools_docs.ingest.reader import Readers
from tools_docs.ingest.run import ingest
from tools_docs.models import models
from tools_docs.research import Research
from tools_docs.settings import Settings
from tools_docs.vectors import embed_missing

CONNECTIONS, FOUND, JUDGED = 4, 10, 3


class Drawn:
    """See `gateways.Embedder`: passages anywhere, of the dimensions of the model."""

    def __init__(self, model: str, dimensions: int) -> None:
        self.model = model
        self._dimensions = dimensions
        self._chance = np.random.default_rng(7)

    async def passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        drawn = self._chance.standard_normal((len(texts), self._dimensions))
        return list((drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).tolist())

    async def question(self, text: str) -> Sequence[float]:
        return (await self.passages([text]))[0]

    async def close(self) -> None:
        """Nothing is open."""


async def measure(folder: Path, where: str, embedder: Embedder) -> None:
    index = index_at(where, CONNECTIONS)
    asked = [each.text for language in ("de", "fr") for each in questions(SEEN, language)]
    dimensions = len(await embedder.question(asked[0]))
    writer = await open_writer(where)
    started = perf_counter()
    async with Readers() as readers:
        report = await ingest(FolderSource(folder, readers), writer, Silent())
    seconds = perf_counter() - started
    overview = await index.overview()
    print(
        f"  {report.added} documents, {overview.passages} passages: filled in {seconds:.0f} s,"
        f" {overview.passages / seconds:.0f} passages a second",
        flush=True,
    )
    await ask(index, asked, None)
    started = perf_counter()
    await embed_missing(writer, Drawn(embedder.model, dimensions))
    print(f"  vectors stored in {perf_counter() - started:.0f} s", flush=True)
    await writer.close()
    await ask(index, asked, embedder)
    await index.close()


async def ask(index: DocumentIndex, asked: Sequence[str], embedder: Embedder | None) -> None:
    research = Research(index, embedder)
    retrieving, judging = [], []
    await research.retrieve(asked[0], None, FOUND)
    for question in asked:
        started = perf_counter()
        outcome = await research.retrieve(question, None, FOUND)
        retrieving.append(perf_counter() - started)
        for item in islice(outcome.items, JUDGED):
            content = CheckedDocument.model_validate(item.model_dump())
            started = perf_counter()
            await research.check(question, content)
            judging.append(perf_counter() - started)
    how = "words and vectors" if embedder else "words"
    print(f"  {how}: retrieve {shown(retrieving)}; check {shown(judging)}", flush=True)


def shown(times: Sequence[float]) -> str:
    p50, p95, last = (1_000 * np.quantile(times, q) for q in (0.5, 0.95, 1))
    return f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, max {last:.0f} ms"


async def main(folder: Path) -> None:
    known = models(Settings())
    assert known.embedder is not None, "there is no model on this machine"
    kept = Path(tempfile.mkdtemp(prefix="ask-bench-"))
    places: dict[str, AbstractContextManager[str]] = {"SQLite": nullcontext(str(kept / "documents.sqlite"))}
    if servers := [binaries for binaries in installations() if has_vector(binaries)]:
        places["PostgreSQL with pgvector"] = running(servers[0])
    for name, place in places.items():
        with place as where:
            print(name, flush=True)
            await measure(folder, where, known.embedder)
    shutil.rmtree(kept)
    await known.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, help="with documents of any sort that `ask docs ingest` reads")
    asyncio.run(main(parser.parse_args().folder))
