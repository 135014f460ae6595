"""The index in a file."""

import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from documents_kit import document, indexed
from index_behaviour import WATER, IndexBehaviour, find

from tools_docs.corpus import SAMPLE
from tools_docs.errors import IndexOutdated, IndexUnavailable
from tools_docs.gateways import DocumentIndex, IndexWriter
from tools_docs.indexes import Library
from tools_docs.preparing import Prepared
from tools_docs.sqlite.reading import SqliteIndex
from tools_docs.sqlite.writing import SqliteWriter


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "documents.sqlite"


@pytest.fixture
async def writer(path: Path) -> AsyncIterator[IndexWriter]:
    opened = SqliteWriter(path)
    yield opened
    await opened.close()


@pytest.fixture
async def index(path: Path, writer: IndexWriter) -> AsyncIterator[DocumentIndex]:
    opened = SqliteIndex(path)
    yield opened
    await opened.close()


def move(old: Path, new: Path) -> None:
    old.replace(new)


def protect(path: Path, mode: int, of_folder: int) -> None:
    path.chmod(mode)
    path.parent.chmod(of_folder)


class TestSqlite(IndexBehaviour):
    async def test_a_failure_in_the_middle_changes_nothing(
        self, filled: DocumentIndex, writer: IndexWriter
    ) -> None:
        good, bad = indexed(document("neu", "Ein Fisch."), document("schlecht", "Ein Vogel."))
        before = await filled.overview()
        with pytest.raises(sqlite3.Error):
            await writer.put("here", [good, _without_name(bad)])
        assert await filled.overview() == before
        assert await find(filled, "Fisch") == []
        await writer.put("here", [good])
        assert await find(filled, "Fisch") == ["neu"]

    async def test_another_file_in_its_place_is_noticed(
        self, filled: DocumentIndex, path: Path, tmp_path: Path
    ) -> None:
        other = SqliteWriter(tmp_path / "other.sqlite")
        await other.put("here", indexed(document("fisch", "Ein Fisch.")))
        await other.close()
        assert await find(filled, "Fisch") == []
        for leftover in path.parent.glob(f"{path.name}-*"):
            leftover.unlink()
        move(tmp_path / "other.sqlite", path)
        assert await find(filled, "Fisch") == ["fisch"]

    async def test_a_file_that_has_gone_is_an_error_and_its_return_is_noticed(
        self, filled: DocumentIndex, path: Path
    ) -> None:
        aside = path.with_suffix(".aside")
        move(path, aside)
        with pytest.raises(IndexUnavailable, match=r"documents\.sqlite"):
            await filled.overview()
        move(aside, path)
        assert (await filled.overview()).documents == 3


def _without_name(prepared: Prepared) -> Prepared:
    nameless: Any = None
    return replace(prepared, facts=replace(prepared.facts, name=nameless))


async def test_a_file_of_another_version_is_refused(path: Path) -> None:
    writer = SqliteWriter(path)
    await writer.put("here", indexed(WATER))
    await writer.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(IndexOutdated):
        SqliteWriter(path)
    index = SqliteIndex(path)
    with pytest.raises(IndexOutdated):
        await index.overview()
    await index.close()


async def test_a_sample_of_another_version_is_put_in_anew(path: Path) -> None:
    for _ in range(2):
        library = Library(str(path), 1)
        await library.open()
        assert (await library.index.overview()).sources == {SAMPLE: 69}
        await library.close()
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 1")
        connection.close()


@pytest.fixture
def diary(path: Path) -> Path:
    path.parent.mkdir()
    path.write_text("Das ist kein Index. " * 100, encoding="utf-8")
    return path


async def test_a_file_that_is_no_index_is_refused(diary: Path) -> None:
    path = diary
    with pytest.raises(IndexUnavailable):
        SqliteWriter(path)
    index = SqliteIndex(path)
    with pytest.raises(IndexUnavailable):
        await index.overview()
    await index.close()


async def test_a_file_that_cannot_be_changed_is_read(path: Path) -> None:
    writer = SqliteWriter(path)
    await writer.put("here", indexed(WATER))
    await writer.close()
    protect(path, 0o444, 0o555)
    try:
        library = Library(str(path), connections=1)
        await library.open()
        assert await find(library.index, "Grundwasserschutzzonen") == ["wasser"]
        assert await library.problem() is None
        await library.close()
    finally:
        protect(path, 0o644, 0o755)


async def test_without_a_place_every_process_has_the_sample_for_itself() -> None:
    first, second = Library(None, connections=1), Library(None, connections=1)
    for library in (first, second):
        await library.open()
        assert await library.problem() is None
    folders = [Path(library._where).parent for library in (first, second)]
    assert folders[0] != folders[1]
    await first.close()
    assert (await second.index.overview()).documents >= 60
    await second.close()
    assert not any(folder.exists() for folder in folders)


async def test_a_missing_index_is_named(tmp_path: Path) -> None:
    library = Library(str(tmp_path / "nowhere" / "documents.sqlite"), connections=1)
    assert "nowhere" in (await library.problem() or "")
    await library.close()
