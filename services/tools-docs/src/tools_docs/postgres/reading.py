"""Reads an index in PostgreSQL through a pool of connections."""

import asyncio
import math
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import psycopg
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from tools_docs.candidates import MAX_BY_MEANING, MAX_BY_WORDS, MAX_OF_A_WORD, by_document, in_turn
from tools_docs.corpus import DocumentFacts, Proposal
from tools_docs.errors import IndexOutdated, IndexUnavailable
from tools_docs.gateways import Candidate, Overview, Search, StoredPassage, Vocabulary
from tools_docs.postgres.schema import OPTIONS, check_version
from tools_docs.postgres.vectors import literal
from tools_docs.pruning import looked_up

_PLANS = "-c enable_seqscan=off -c jit=off"
"""Every search has its index. The planner takes reading of all passages for cheap, because it does not count
that long ones are stored elsewhere; and a search is over before code is compiled for it."""
_CONNECT_TIMEOUT_S, _WAIT_TIMEOUT_S, _STATEMENT_TIMEOUT_MS = 5, 5.0, 10_000
_MAX_BEGINNING, _MAX_SIMILAR = 40, 5_000
_IN_TITLE = 0.5
"""What a word in title or heading adds."""
_MAX_SORTED = 1_000
_BY_LENGTH = 1
"""Longer passages have to have more, by the logarithm of their length."""

_FACTS = "d.id, d.name, d.url, d.size_bytes, d.date, d.kind, d.body"
_PASSAGE = "p.position, p.text, p.heading, p.terms, p.heading_terms, p.page, p.anchor"


class PostgresIndex:
    """See `gateways.DocumentIndex`."""

    def __init__(self, url: str, connections: int) -> None:
        self._pool = AsyncConnectionPool(
            url,
            min_size=1,
            max_size=connections,
            open=False,
            timeout=_WAIT_TIMEOUT_S,
            kwargs={
                "autocommit": True,
                "connect_timeout": _CONNECT_TIMEOUT_S,
                "options": f"{OPTIONS} {_PLANS} -c statement_timeout={_STATEMENT_TIMEOUT_MS}"
                " -c default_transaction_read_only=on",
            },
            check=AsyncConnectionPool.check_connection,
        )
        self._opening = asyncio.Lock()
        self._is_checked = False
        self._overview: tuple[str, Overview] | None = None

    async def close(self) -> None:
        await self._pool.close()

    async def overview(self) -> Overview:
        async with self._connection() as db:
            meta = dict(await _rows(db, "SELECT key, value FROM meta"))
            if self._overview is None or self._overview[0] != meta["generation"]:
                self._overview = (meta["generation"], await _overview(db, meta))
        return self._overview[1]

    async def vocabulary(self, terms: Collection[str]) -> Vocabulary:
        wanted = list(terms)
        async with self._connection() as db:
            passages = await _rows(
                db,
                "SELECT term, sum(passages)::bigint FROM words WHERE term = ANY(%s) GROUP BY term",
                wanted,
            )
            rows = await _rows(
                db,
                "SELECT c.part, c.term, sum(w.passages)::bigint AS passages FROM compounds c"
                " JOIN words w ON w.term = c.term WHERE c.part = ANY(%s)"
                " GROUP BY c.part, c.term ORDER BY passages DESC, c.term",
                wanted,
            )
        return Vocabulary.of(passages, rows)

    async def beginning(self, prefix: str) -> Sequence[str]:
        async with self._connection() as db:
            rows = await _rows(
                db,
                "SELECT term FROM words WHERE term LIKE %s GROUP BY term"
                " ORDER BY sum(passages) DESC, term LIMIT %s",
                f"{prefix}%",
                _MAX_BEGINNING,
            )
        return [row[0] for row in rows]

    async def similar(self, term: str) -> Sequence[tuple[str, str]]:
        async with self._connection() as db:
            return await _rows(
                db,
                "SELECT form, term FROM words WHERE term LIKE %s AND length(term) BETWEEN %s AND %s"
                " ORDER BY passages DESC, form LIMIT %s",
                f"{term[0]}%",
                len(term) - 2,
                len(term) + 2,
                _MAX_SIMILAR,
            )

    async def search(self, search: Search) -> Sequence[Candidate]:
        async with self._connection() as db:
            words = await _by_words(db, search, self._overview[1].passages if self._overview else 1)
            compares = await _rows(db, "SELECT 1 FROM meta WHERE key = 'model' AND value = %s", search.model)
            vector = literal(search.vector) if compares and search.vector is not None else None
            near = await _by_meaning(db, search, vector) if vector else []
            return await _candidates(db, in_turn(words, near), vector)

    async def document(self, document_id: str) -> Candidate | None:
        async with self._connection() as db:
            found = await _rows(
                db, f"SELECT {_FACTS}, d.title_terms, d.n FROM documents d WHERE d.id = %s", document_id
            )
            if not found:
                return None
            passages = await _rows(
                db,
                f"SELECT {_PASSAGE} FROM passages p WHERE p.document = %s ORDER BY p.position",
                found[0][8],
            )
        return Candidate(
            DocumentFacts(*found[0][:7]), tuple(found[0][7].split()), tuple(map(_passage, passages))
        )

    async def proposals(self, document_ids: Collection[str]) -> Sequence[Proposal]:
        async with self._connection() as db:
            rows = await _rows(
                db,
                "SELECT p.identifier, p.name, p.subject, p.url, p.date, p.kind, p.body,"
                " array_agg(l.document_id ORDER BY l.document_id)"
                " FROM proposals p JOIN proposal_documents l USING (identifier)"
                " WHERE p.identifier IN"
                " (SELECT identifier FROM proposal_documents WHERE document_id = ANY(%s))"
                " GROUP BY p.identifier ORDER BY p.date DESC NULLS LAST, p.identifier",
                list(document_ids),
            )
        return [Proposal(*row[:7], document_ids=tuple(row[7])) for row in rows]  # type: ignore[misc]

    async def newest(self, limit: int) -> Sequence[DocumentFacts]:
        async with self._connection() as db:
            rows = await _rows(
                db, f"SELECT {_FACTS} FROM documents d ORDER BY d.date DESC NULLS LAST, d.id LIMIT %s", limit
            )
        return [DocumentFacts(*row) for row in rows]

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[AsyncConnection[Any]]:
        """Raises `IndexUnavailable`, `IndexOutdated`."""
        if self._pool.closed:
            async with self._opening:
                if self._pool.closed:
                    await self._pool.open()
        try:
            async with self._pool.connection() as connection:
                if not self._is_checked:
                    await check_version(connection)
                    self._is_checked = True
                yield connection
        except IndexOutdated:
            raise
        except (psycopg.Error, PoolTimeout) as error:
            raise IndexUnavailable(str(error)) from error


async def _rows(db: AsyncConnection[Any], query: Any, *values: object) -> list[Any]:
    return await (await db.execute(query, values)).fetchall()


async def _overview(db: AsyncConnection[Any], meta: Mapping[str, str]) -> Overview:
    counted = await _rows(db, "SELECT kind, body, count(*) FROM documents GROUP BY kind, body")
    ((passages, proposals),) = await _rows(
        db, "SELECT (SELECT count(*) FROM passages), (SELECT count(*) FROM proposals)"
    )
    return Overview(
        documents=sum(row[2] for row in counted),
        passages=passages,
        proposals=proposals,
        kinds=tuple(sorted({row[0] for row in counted if row[0]})),
        bodies=tuple(sorted({row[1] for row in counted if row[1]})),
        updated_at=datetime.fromisoformat(meta["updated_at"]) if "updated_at" in meta else None,
        sources=dict(await _rows(db, "SELECT source, count(*) FROM documents GROUP BY source")),
        model=meta.get("model"),
        vectors=(await _rows(db, "SELECT count(embedding) FROM passages"))[0][0] if "model" in meta else 0,
    )


async def _by_words(db: AsyncConnection[Any], search: Search, total: int) -> list[int]:
    """Passages by their words, the best first, and some of each of the rarest words.

    A word counts by its rarity, which PostgreSQL by itself ignores, and more in a title or heading. How often
    a passage has it is looked at for the best ones only: its index does not know, and to read all is slow.
    """
    lookup = looked_up(search.sought)
    if not lookup.sets:
        return []
    conditions, values = _conditions(search)
    joined = " JOIN documents d ON d.n = p.document" if conditions else ""
    passages = f"FROM passages p{joined} WHERE true{conditions}"
    if not lookup.is_ranked:
        needed = " & ".join(f"({_any_of(terms)})" for terms in lookup.sets)
        first = f"SELECT p.n {passages} AND p.words @@ to_tsquery('simple', %s) LIMIT {MAX_BY_WORDS}"
        return [n for (n,) in await _rows(db, first, *values, needed)]
    found: list[str] = []
    given: list[object] = []
    for number, words in enumerate(lookup.chosen):
        rarity = math.log(1 + total / (words.passages + 1))
        for column, weight in (("words", rarity), ("titles", _IN_TITLE * rarity)):
            found.append(
                f"SELECT p.n, %s::float8 AS weight, %s::int AS word {passages}"
                f" AND p.{column} @@ to_tsquery('simple', %s)"
            )
            given += [weight, number, *values, _any_of(words.terms)]
    best = [f"(SELECT * FROM hits ORDER BY score DESC, n LIMIT {_MAX_SORTED})"] + [
        f"(SELECT * FROM hits WHERE {number} = ANY(words) ORDER BY score DESC, n LIMIT {MAX_OF_A_WORD})"
        for number in range(len(lookup.rare))
    ]
    rows = await _rows(
        db,
        f"WITH found AS ({' UNION ALL '.join(found)}),"
        " hits AS (SELECT n, sum(weight) AS score, array_agg(word) AS words FROM found GROUP BY n),"
        f" best AS ({' UNION '.join(best)})"
        " SELECT b.n, b.words FROM best b JOIN passages p USING (n)"
        f" ORDER BY b.score + ts_rank(p.words, to_tsquery('simple', %s), {_BY_LENGTH}) DESC, b.n",
        *given,
        _any_of(lookup.sets[0]),
    )
    with_word = [[n for n, has in rows if number in has] for number in range(len(lookup.rare))]
    return in_turn([n for n, _ in rows[:MAX_BY_WORDS]], *(found[:MAX_OF_A_WORD] for found in with_word))


def _any_of(terms: Collection[str]) -> str:
    # Terms are letters and digits; quoted they are one word each, whatever PostgreSQL makes of it.
    return " | ".join(f"'{term}'" for term in terms)


async def _by_meaning(db: AsyncConnection[Any], search: Search, vector: str) -> list[int]:
    conditions, values = _conditions(search)
    # As many as are asked for have to be looked at, and of those that fulfil the conditions.
    await db.execute(f"SET hnsw.ef_search = {MAX_BY_MEANING}")
    rows = await _rows(
        db,
        "SELECT p.n FROM passages p JOIN documents d ON d.n = p.document"
        f" WHERE p.embedding IS NOT NULL{conditions}"
        f" ORDER BY p.embedding <=> %s::public.vector LIMIT {MAX_BY_MEANING}",
        *values,
        vector,
    )
    return [row[0] for row in rows]


def _conditions(search: Search) -> tuple[str, list[object]]:
    conditions: list[str] = []
    values: list[object] = []
    for condition, value in (
        ("d.date >= %s", search.since),
        ("d.date <= %s", search.until),
        ("d.kind = ANY(%s)", None if search.kinds is None else list(search.kinds)),
        ("d.body = ANY(%s)", None if search.bodies is None else list(search.bodies)),
    ):
        if value is not None:
            conditions.append(f" AND {condition}")
            values.append(value)
    return "".join(conditions), values


async def _candidates(
    db: AsyncConnection[Any], passages: Sequence[int], vector: str | None
) -> list[Candidate]:
    """The documents of the passages, which come best first."""
    documents = dict(await _rows(db, "SELECT n, document FROM passages WHERE n = ANY(%s)", list(passages)))
    chosen = by_document(passages, documents)
    wanted = [n for best in chosen.values() for n in best]
    texts: dict[int, list[StoredPassage]] = {}
    near, values = "NULL::float8", list[str]()
    if vector is not None:
        near, values = "1 - (p.embedding <=> %s::public.vector)", [vector]
    for *row, nearness, document in await _rows(
        db, f"SELECT {_PASSAGE}, {near}, p.document FROM passages p WHERE p.n = ANY(%s)", *values, wanted
    ):
        texts.setdefault(document, []).append(_passage(row, nearness))
    found = await _rows(
        db, f"SELECT {_FACTS}, d.title_terms, d.n FROM documents d WHERE d.n = ANY(%s)", list(chosen)
    )
    return [Candidate(DocumentFacts(*row[:7]), tuple(row[7].split()), tuple(texts[row[8]])) for row in found]


def _passage(row: Sequence[Any], nearness: float | None = None) -> StoredPassage:
    position, text, heading, terms, heading_terms, page, anchor = row
    return StoredPassage(
        position, text, heading, tuple(terms.split()), tuple(heading_terms.split()), page, anchor, nearness
    )
