"""The index in a real PostgreSQL: the same behaviour as in a file, and nearness of meaning with pgvector."""

import math
from collections.abc import AsyncIterator, Iterator
from itertools import count

import psycopg
import pytest
from documents_kit import document, indexed
from e5.wheel import weights
from index_behaviour import ANYTHING, BICYCLES, ROADS, WATER, IndexBehaviour, find, ids
from modelling_openai import API_KEY, ModellingOpenAI
from postgres_servers import MISSING, MISSING_VECTOR, has_vector, installations, running
from servicekit.llm import openai_client
from servicekit.settings import OpenAiSettings

from tools_docs.corpus import SourceDocument
from tools_docs.embedding.endpoint import EndpointEncoder
from tools_docs.embedding.local import LocalEncoder
from tools_docs.embedding.roles import RoleEmbedder
from tools_docs.errors import IndexUnavailable, NoVectors
from tools_docs.gateways import DocumentIndex, IndexWriter
from tools_docs.indexes import Library
from tools_docs.postgres.reading import PostgresIndex
from tools_docs.postgres.writing import PostgresWriter
from tools_docs.retrieval import retrieve
from tools_docs.vectors import embed_missing

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    found = installations()
    if not found:
        pytest.skip(MISSING)
    with running(found[0]) as url:
        yield url


@pytest.fixture(scope="module")
def vector_server() -> Iterator[str]:
    found = [binaries for binaries in installations() if has_vector(binaries)]
    if not found:
        pytest.skip(MISSING_VECTOR)
    with running(found[0]) as url:
        yield url


async def _database(url: str) -> str:
    """A new, empty database of a server."""
    name = f"documents_{next(_NUMBERS)}"
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(f'CREATE DATABASE "{name}"')
    return f"{url.rpartition('/')[0]}/{name}"


@pytest.fixture
async def url(server: str) -> str:
    return await _database(server)


@pytest.fixture
async def writer(url: str) -> AsyncIterator[IndexWriter]:
    opened = await PostgresWriter.open(url)
    yield opened
    await opened.close()


@pytest.fixture
async def index(url: str, writer: IndexWriter) -> AsyncIterator[DocumentIndex]:
    opened = PostgresIndex(url, connections=2)
    yield opened
    await opened.close()


class TestPostgres(IndexBehaviour):
    async def test_a_failure_in_the_middle_changes_nothing(
        self, filled: DocumentIndex, writer: IndexWriter
    ) -> None:
        before = await filled.overview()
        with pytest.raises(psycopg.Error):
            # PostgreSQL stores no zero bytes.
            await writer.put("here", indexed(document("neu", "Ein Fisch."), document("b\0", "Ein Vogel.")))
        assert await filled.overview() == before
        assert await find(filled, "Fisch") == []


async def test_an_empty_database_gets_the_sample(url: str) -> None:
    first, second = Library(url, connections=2), Library(url, connections=2)
    for library in (first, second):
        await library.open()
        assert await library.problem() is None
    assert (await find(second.index, "Was kostet der Hochwasserschutz in der Altstadt von Arvenstadt?"))[
        0
    ] == ("2016-hochwasserschutz-luerre-botschaft")
    for library in (first, second):
        await library.close()


async def test_who_may_only_read_searches_what_others_have_filled(url: str, writer: IndexWriter) -> None:
    await writer.put("here", indexed(WATER))
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute("CREATE ROLE guest LOGIN")
        await connection.execute("GRANT USAGE ON SCHEMA ask_documents TO guest")
        await connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA ask_documents TO guest")
    library = Library(url.replace("ask@", "guest@"), connections=1)
    await library.open()
    assert await find(library.index, "Grundwasserschutzzonen") == ["wasser"]
    await library.close()


async def test_a_server_that_is_away_is_an_error_of_its_own() -> None:
    library = Library("postgresql://ask@127.0.0.1:9/nowhere", connections=1)
    with pytest.raises(IndexUnavailable):
        await library.open()
    assert await library.problem() is not None
    await library.close()


# -- vectors --------------------------------------------------------------------------------------

_SENSES = {
    "velo": ("velo", "drahtesel", "fahrrad"),
    "wasser": ("wasser", "h2o", "zone"),
    "strasse": ("strasse", "tempo", "asphalt"),
}


def _meaning(text: str) -> tuple[float, ...]:
    """A small model of the world: what a text is about, of three things."""
    said = text.lower()
    raw = [0.05 + sum(said.count(word) for word in words) for words in _SENSES.values()]
    length = math.sqrt(sum(value * value for value in raw))
    return tuple(value / length for value in raw)


@pytest.fixture
def openai() -> Iterator[ModellingOpenAI]:
    server = ModellingOpenAI()
    server.vectors = _meaning
    yield server
    server.stop()


@pytest.fixture
async def embedder(openai: ModellingOpenAI) -> AsyncIterator[RoleEmbedder]:
    bounds = OpenAiSettings(openai_timeout_s=5, openai_max_retries=0, openai_max_retry_pause_s=0)
    client = openai_client(bounds, API_KEY, openai.base_url)
    made = RoleEmbedder(EndpointEncoder(client, "small-model", timeout_s=5), None, None)
    yield made
    await made.close()


async def _filled(server: str, embedder: RoleEmbedder, *documents: SourceDocument) -> str:
    """The URL of a new index with these documents and their vectors."""
    url = await _database(server)
    writer = await PostgresWriter.open(url)
    await writer.put("here", indexed(*documents))
    await embed_missing(writer, embedder)
    await writer.close()
    return url


async def test_documents_are_found_by_meaning(vector_server: str, embedder: RoleEmbedder) -> None:
    url = await _filled(vector_server, embedder, WATER, BICYCLES, ROADS)
    index = PostgresIndex(url, 2)
    assert ids(await retrieve(index, "Drahtesel", ANYTHING, 1, embedder)) == ["velo"]
    both = ids(await retrieve(index, "Asphalt und Grundwasserschutzzonen", ANYTHING, 10, embedder))
    assert both[0] == "wasser"
    assert "strasse" in both
    assert await retrieve(index, "Drahtesel", ANYTHING, 1) == ()
    await index.close()


async def test_the_model_of_the_package_and_postgres_go_together(vector_server: str) -> None:
    if (path := weights()) is None:
        pytest.skip("there is no model for this machine")
    embedder = RoleEmbedder(LocalEncoder(path), None, None)
    url = await _filled(vector_server, embedder, WATER, BICYCLES, ROADS)
    index = PostgresIndex(url, 2)
    assert ids(await retrieve(index, "Routen für das Fahrrad", ANYTHING, 1, embedder)) == ["velo"]
    await index.close()
    await embedder.close()


async def test_vectors_that_are_missing_are_made_by_the_next_run(
    vector_server: str, embedder: RoleEmbedder, openai: ModellingOpenAI
) -> None:
    url = await _database(vector_server)
    writer = await PostgresWriter.open(url)
    await writer.put("here", indexed(WATER))
    await embed_missing(writer, embedder)
    assert len(openai.embedded) == 1
    await writer.put("here", indexed(BICYCLES))
    openai.vectors = None
    with pytest.raises(NoVectors):
        await embed_missing(writer, embedder)
    index = PostgresIndex(url, 2)
    assert ids(await retrieve(index, "Velorouten", ANYTHING, 1, embedder)) == ["velo"]
    openai.vectors = _meaning
    await embed_missing(writer, embedder)
    await writer.close()
    assert len(openai.embedded) == 2
    assert ids(await retrieve(index, "Drahtesel", ANYTHING, 1, embedder)) == ["velo"]
    await index.close()


async def test_another_model_makes_all_vectors_anew_and_old_ones_are_never_compared(
    vector_server: str, embedder: RoleEmbedder, openai: ModellingOpenAI
) -> None:
    url = await _database(vector_server)
    writer = await PostgresWriter.open(url)
    await writer.put("here", indexed(WATER, BICYCLES))
    told: list[tuple[int, int]] = []
    await embed_missing(writer, embedder, lambda done, total: told.append((done, total)))
    assert told == [(2, 2)]
    assert await writer.missing_vectors(embedder.model) == 0
    await writer.close()
    openai.vectors = lambda text: (*_meaning(text), 0.0, 0.0)
    embedder.model = "larger-model"
    index = PostgresIndex(url, 2)
    assert await retrieve(index, "Drahtesel", ANYTHING, 1, embedder) == ()
    writer = await PostgresWriter.open(url)
    await embed_missing(writer, embedder)
    await writer.close()
    assert ids(await retrieve(index, "Drahtesel", ANYTHING, 1, embedder)) == ["velo"]
    await index.close()


async def test_a_server_without_pgvector_finds_by_words(server: str, embedder: RoleEmbedder) -> None:
    if any(has_vector(binaries) for binaries in installations()[:1]):
        pytest.skip("this PostgreSQL has pgvector")
    url = await _filled(server, embedder, WATER, BICYCLES)
    index = PostgresIndex(url, 2)
    assert ids(await retrieve(index, "Velorouten", ANYTHING, 1, embedder)) == ["velo"]
    await index.close()
