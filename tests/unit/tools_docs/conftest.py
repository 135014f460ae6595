"""The sample documents in an index, which is made once."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from shutil import copy

import pytest
from e5.wheel import weights

from tools_docs.corpus import SAMPLE
from tools_docs.embedding.local import LocalEncoder
from tools_docs.embedding.roles import RoleEmbedder
from tools_docs.formats.markdown import read_markdown
from tools_docs.formats.reading import Origin
from tools_docs.gateways import DocumentIndex, Embedder
from tools_docs.indexes import open_writer
from tools_docs.models import NO_MODEL
from tools_docs.preparing import prepare
from tools_docs.research import Research
from tools_docs.sample import put_sample
from tools_docs.sqlite.reading import SqliteIndex

PLANTED = tuple((Path(__file__).parents[2] / "support" / "documents").glob("*.md"))


@pytest.fixture(scope="session")
def sample_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "documents.sqlite"

    async def fill() -> None:
        writer = await open_writer(str(path))
        await put_sample(writer)
        await writer.close()

    asyncio.run(fill())
    return path


@pytest.fixture
async def index(sample_file: Path) -> AsyncIterator[DocumentIndex]:
    opened = SqliteIndex(sample_file)
    yield opened
    await opened.close()


@pytest.fixture
async def planted_index(sample_file: Path, tmp_path: Path) -> AsyncIterator[DocumentIndex]:
    """The sample, and beside it documents that carry orders."""
    path = Path(copy(sample_file, tmp_path))
    writer = await open_writer(str(path))
    planted = [read_markdown(each.read_bytes(), Origin(each.stem, each.name)) for each in PLANTED]
    await writer.put(SAMPLE, [prepare(each) for each in planted])
    await writer.finish()
    await writer.close()
    opened = SqliteIndex(path)
    yield opened
    await opened.close()


@pytest.fixture(autouse=True)
def _without_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who needs them takes `embedder`; an ingest of a thousand passages would take minutes."""
    monkeypatch.setenv("EMBEDDING_MODEL", NO_MODEL)


class Remembering(LocalEncoder):
    """Asked for one text again and again, it thinks once."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._known: dict[str, Sequence[float]] = {}

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known |= zip(new, await super().embed(new), strict=True)
        return [self._known[text] for text in texts]


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The model that comes with the package."""
    path = weights()
    if path is None:
        pytest.skip("the model is there for Linux on x86-64 only")
    return RoleEmbedder(Remembering(path), None, None)


@pytest.fixture
def research(index: DocumentIndex, embedder: Embedder) -> Research:
    return Research(index, embedder)
