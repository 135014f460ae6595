"""Vectors: how they are made, kept and compared."""

from pathlib import Path

import pytest
from documents_kit import document, indexed
from hypothesis import given
from hypothesis import strategies as st

from tools_docs.gateways import Embedder, Search
from tools_docs.packing import packed, unpacked
from tools_docs.preparing import prepare, to_embed
from tools_docs.sample import sample_documents, shipped_vectors
from tools_docs.sqlite.reading import SqliteIndex
from tools_docs.sqlite.writing import SqliteWriter
from tools_docs.vectors import embed_missing


def product(one: object, other: object) -> float:
    return float(sum(a * b for a, b in zip(one, other, strict=True)))  # type: ignore[call-overload]


async def test_what_means_the_same_is_nearer_than_what_has_another_subject(embedder: Embedder) -> None:
    question = await embedder.question("Darf ich im Winter Rehe füttern?")
    near, far = await embedder.passages(["Das Füttern von Wildtieren ist verboten.", "Die Steuer sinkt."])
    assert product(question, question) == pytest.approx(1, abs=1e-4)
    assert product(question, near) > product(question, far) + 0.03


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=50))
def test_what_is_kept_of_a_vector_is_nearly_the_same(vector: list[float]) -> None:
    largest = max(map(abs, vector))
    for kept, number in zip(unpacked(packed(vector)), vector, strict=True):
        assert kept == pytest.approx(number, abs=largest / 250 + 1e-6)


def test_every_passage_of_the_sample_ships_with_its_vector() -> None:
    texts = {
        to_embed(d.facts.name, d.facts.body, p.heading, p.text)
        for d in map(prepare, sample_documents())
        for p in d.passages
    }
    assert len(shipped_vectors()) == len(texts), "after a change of the sample: python -m tools_docs.sample"


async def test_vectors_come_and_go_with_their_documents(tmp_path: Path, embedder: Embedder) -> None:
    path = tmp_path / "documents.sqlite"
    writer, index = SqliteWriter(path), SqliteIndex(path)
    search = Search((), vector=await embedder.question("Velowege"), model=embedder.model)

    async def found() -> list[str]:
        near = sorted(await index.search(search), key=lambda each: -(each.nearness or 0))
        return [each.facts.id for each in near]

    await writer.put("here", indexed(document("velo", "Neue Velowege."), document("wald", "Der Wald.")))
    assert await found() == []
    told: list[tuple[int, int]] = []
    await embed_missing(writer, embedder, lambda done, total: told.append((done, total)))
    assert told == [(2, 2)]
    assert await found() == ["velo", "wald"]
    await writer.put("here", indexed(document("velo", "Ein Fisch."), document("rad", "Wege für Velos.")))
    assert await writer.missing_vectors(embedder.model) == 2
    assert await writer.missing_vectors("another") == 3
    await embed_missing(writer, embedder)
    assert (await found())[0] == "rad"
    assert (await index.overview()).vectors == 3
    await writer.keep_only("here", ["wald"], [])
    assert await found() == ["wald"]
    await index.close()
    await writer.close()
