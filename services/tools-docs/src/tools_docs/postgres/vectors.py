"""Vectors of passages, where the server has pgvector."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from psycopg import AsyncConnection, sql

from tools_docs.postgres.schema import extend
from tools_docs.preparing import to_embed

log = logging.getLogger("ask.documents")

_MAX_INDEXED_DIMENSIONS = 2_000
"""pgvector indexes no longer ones; without an index it compares with every passage."""


def literal(vector: Sequence[float]) -> str:
    """As pgvector reads it."""
    return f"[{','.join(f'{number:.7g}' for number in vector)}]"


async def without_vectors(
    db: AsyncConnection[Any], model: str, after: int, limit: int
) -> Sequence[tuple[int, str]]:
    """See `gateways.IndexWriter`. None where the server has no pgvector."""
    if not await extend(db, "vector"):
        log.warning("no pgvector: documents are found by their words only")
        return []
    is_ready = await _model(db) == model
    query = sql.SQL(
        "SELECT p.n, d.name, d.body, p.heading, p.text FROM passages p JOIN documents d ON d.n = p.document"
        " WHERE p.n > %s {} ORDER BY p.n LIMIT %s"
    ).format(sql.SQL("AND p.embedding IS NULL" if is_ready else ""))
    rows = await (await db.execute(query, (after, limit))).fetchall()
    return [(n, to_embed(*said)) for n, *said in rows]


async def missing_vectors(db: AsyncConnection[Any], model: str) -> int:
    there = "count(embedding)" if await _model(db) == model else "0"
    row = await (await db.execute(f"SELECT count(*) - {there} FROM passages")).fetchone()
    return int(row[0]) if row else 0


async def put_vectors(db: AsyncConnection[Any], model: str, vectors: Mapping[int, Sequence[float]]) -> None:
    """Within a transaction."""
    if await _model(db) != model:
        await _make_room(db, model, len(next(iter(vectors.values()))))
    async with db.cursor() as cursor:
        await cursor.executemany(
            "UPDATE passages SET embedding = %s::public.vector WHERE n = %s",
            [(literal(vector), n) for n, vector in vectors.items()],
        )


async def _model(db: AsyncConnection[Any]) -> str | None:
    row = await (await db.execute("SELECT value FROM meta WHERE key = 'model'")).fetchone()
    return row[0] if row else None


async def _make_room(db: AsyncConnection[Any], model: str, dimensions: int) -> None:
    """Vectors of another model cannot be compared: they go."""
    await db.execute("ALTER TABLE passages DROP COLUMN IF EXISTS embedding")
    await db.execute(
        sql.SQL("ALTER TABLE passages ADD COLUMN embedding public.vector({})").format(dimensions)
    )
    if dimensions <= _MAX_INDEXED_DIMENSIONS:
        await db.execute(
            "CREATE INDEX passages_by_meaning ON passages USING hnsw (embedding public.vector_cosine_ops)"
        )
    await db.execute(
        "INSERT INTO meta VALUES ('model', %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (model,),
    )
