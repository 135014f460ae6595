"""The sample documents in an index, which is made once."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tools_docs.gateways import DocumentIndex
from tools_docs.indexes import open_writer
from tools_docs.judging.lexical import LexicalJudge
from tools_docs.research import Research
from tools_docs.sample import put_sample
from tools_docs.sqlite.reading import SqliteIndex


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
def research(index: DocumentIndex) -> Research:
    return Research(index, LexicalJudge(index))
