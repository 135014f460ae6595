"""Vectors of passages, where the server has pgvector."""

import logging
from collections.abc import Sequence
from typing import Any

from psycopg import AsyncConnection, sql

from tools_docs.gateways import Embedder
from tools_docs.postgres.schema import extend

log = logging.getLogger("ask.documents")

_BATCH = 64
"""Passages a request: endpoints take more, but a failure then costs more."""
_MAX_INDEXED_DIMENSIONS = 2_000
"""pgvector indexes no longer ones; without an index it compares with every passage."""


def literal(vector: Sequence[float]) -> str:
    """As pgvector reads it."""
    return f"[{','.join(f'{number:.7g}' for number in vector)}]"


async def embed_missing(db: AsyncConnection[Any], embedder: Embedder) -> None:
    """Gives every passage a vector of this model, batch by batch, so that a next run goes on.

    Raises `NoVectors`. Does nothing where the server has no pgvector.
    """
    if not await extend(db, "vector"):
        log.warning("no pgvector: documents are found by their words only")
        return
    known = dict(await (await db.execute("SELECT key, value FROM meta")).fetchall())
    is_ready = known.get("embedding_model") == embedder.model
    while True:
        condition = sql.SQL("WHERE p.embedding IS NULL") if is_ready else sql.SQL("")
        query = sql.SQL(
            "SELECT p.n, d.name, p.heading, p.text FROM passages p JOIN documents d ON d.n = p.document {}"
            " ORDER BY p.n LIMIT {}"
        ).format(condition, _BATCH)
        rows = await (await db.execute(query)).fetchall()
        if not rows:
            break
        texts = ["\n".join(filter(None, (name, heading, text))) for _, name, heading, text in rows]
        vectors = await embedder.embed(texts)
        if not is_ready:
            await _make_room(db, embedder.model, len(vectors[0]))
            is_ready = True
        async with db.transaction(), db.cursor() as cursor:
            await cursor.executemany(
                "UPDATE passages SET embedding = %s::public.vector WHERE n = %s",
                [(literal(vector), row[0]) for row, vector in zip(rows, vectors, strict=True)],
            )
    if is_ready:
        await _index(db)


async def _make_room(db: AsyncConnection[Any], model: str, dimensions: int) -> None:
    """Vectors of another model cannot be compared: they go."""
    async with db.transaction():
        await db.execute("ALTER TABLE passages DROP COLUMN IF EXISTS embedding")
        await db.execute(
            sql.SQL("ALTER TABLE passages ADD COLUMN embedding public.vector({})").format(dimensions)
        )
        await db.execute(
            "INSERT INTO meta VALUES ('embedding_model', %s), ('embedding_dimensions', %s)"
            " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (model, str(dimensions)),
        )
        await db.execute("UPDATE meta SET value = (value::bigint + 1)::text WHERE key = 'generation'")


async def _index(db: AsyncConnection[Any]) -> None:
    row = await (await db.execute("SELECT value FROM meta WHERE key = 'embedding_dimensions'")).fetchone()
    if row is not None and int(row[0]) <= _MAX_INDEXED_DIMENSIONS:
        await db.execute(
            "CREATE INDEX IF NOT EXISTS passages_by_meaning ON passages"
            " USING hnsw (embedding public.vector_cosine_ops)"
        )
