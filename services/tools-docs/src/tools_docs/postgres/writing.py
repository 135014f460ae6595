"""Fills an index in PostgreSQL. Every call is one transaction; one process at a time writes."""

from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Self

import psycopg
from psycopg import AsyncConnection

from tools_docs.compounds import FEW_PASSAGES, CorpusWord, compounds
from tools_docs.corpus import REMEMBERED, SAMPLE, Chunk, Proposal
from tools_docs.errors import IndexUnavailable
from tools_docs.postgres.schema import OPTIONS, WRITING, create
from tools_docs.postgres.vectors import missing_vectors, put_vectors, without_vectors
from tools_docs.preparing import Form, Prepared, forms_of

_CONNECT_TIMEOUT_S = 10


class PostgresWriter:
    """See `gateways.IndexWriter`."""

    def __init__(self, connection: AsyncConnection[Any]) -> None:
        self._db = connection

    @classmethod
    async def open(cls, url: str) -> Self:
        """Raises `IndexUnavailable`, `IndexOutdated`."""
        try:
            connection = await AsyncConnection.connect(
                url, autocommit=True, options=OPTIONS, connect_timeout=_CONNECT_TIMEOUT_S
            )
        except psycopg.Error as error:
            raise IndexUnavailable(str(error)) from None
        try:
            await create(connection)
        except psycopg.Error as error:
            await connection.close()
            raise IndexUnavailable(str(error)) from None
        except BaseException:
            await connection.close()
            raise
        return cls(connection)

    async def close(self) -> None:
        await self._db.close()

    async def has_own(self) -> bool:
        found = await self._rows(
            "SELECT 1 FROM documents WHERE source <> %s"
            " UNION ALL SELECT 1 FROM proposals WHERE source <> %s LIMIT 1",
            SAMPLE,
            SAMPLE,
        )
        return bool(found)

    async def fingerprints(self, source: str) -> Mapping[str, str]:
        return dict(await self._rows("SELECT id, fingerprint FROM documents WHERE source = %s", source))

    async def remembered(self, source: str) -> str | None:
        rows = await self._rows("SELECT value FROM meta WHERE key = %s", REMEMBERED + source)
        return rows[0][0] if rows else None

    async def remember(self, source: str, what: str) -> None:
        await self._db.execute(
            "INSERT INTO meta VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (REMEMBERED + source, what),
        )

    async def put(self, source: str, documents: Sequence[Prepared]) -> None:
        async with self._transaction():
            if not await self._may_write(source):
                return
            await self._remove([document.facts.id for document in documents])
            counts: Counter[Form] = Counter()
            for document in documents:
                await self._insert(source, document)
                counts.update(document.forms)
            await self._count(counts)

    async def put_proposals(self, source: str, proposals: Sequence[Proposal]) -> None:
        async with self._transaction():
            if not await self._may_write(source):
                return
            await self._remove_proposals([proposal.identifier for proposal in proposals])
            await self._many(
                "INSERT INTO proposals VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
                [(p.identifier, source, p.name, p.subject, p.url, p.date, p.kind, p.body) for p in proposals],
            )
            await self._many(
                "INSERT INTO proposal_documents VALUES (%s, %s) ON CONFLICT DO NOTHING",
                [(document, p.identifier) for p in proposals for document in p.document_ids],
            )

    async def keep_only(self, source: str, ids: Collection[str], identifiers: Collection[str]) -> int:
        async with self._transaction():
            known = await self._ids("SELECT id FROM documents WHERE source = %s", source)
            gone = known.difference(ids)
            await self._remove(gone)
            theirs = await self._ids("SELECT identifier FROM proposals WHERE source = %s", source)
            await self._remove_proposals(theirs.difference(identifiers))
        return len(gone)

    async def without_vectors(self, model: str, after: int, limit: int) -> Sequence[tuple[int, str]]:
        return await without_vectors(self._db, model, after, limit)

    async def missing_vectors(self, model: str) -> int:
        return await missing_vectors(self._db, model)

    async def put_vectors(self, model: str, vectors: Mapping[int, Sequence[float]]) -> None:
        async with self._transaction():
            await put_vectors(self._db, model, vectors)

    async def finish(self) -> None:
        async with self._transaction():
            await self._take_compounds_apart()
        await self._db.execute("ANALYZE passages, words, documents")

    # -- within a transaction ----------------------------------------------------------------------

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[None]:
        try:
            async with self._db.transaction():
                await self._db.execute("SELECT pg_advisory_xact_lock(%s)", (WRITING,))
                yield
                await self._db.execute(
                    "UPDATE meta SET value = (value::bigint + 1)::text WHERE key = 'generation'"
                )
                await self._db.execute(
                    "INSERT INTO meta VALUES ('updated_at', %s)"
                    " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                    (datetime.now(UTC).isoformat(timespec="seconds"),),
                )
        except (psycopg.OperationalError, psycopg.errors.InsufficientPrivilege) as error:
            raise IndexUnavailable(str(error)) from error

    async def _rows(self, query: Any, *values: object) -> list[Any]:
        return await (await self._db.execute(query, values)).fetchall()

    async def _ids(self, query: Any, *values: object) -> set[str]:
        return {row[0] for row in await self._rows(query, *values)}

    async def _many(self, query: Any, rows: Iterable[Sequence[object]]) -> None:
        async with self._db.cursor() as cursor:
            await cursor.executemany(query, list(rows))

    async def _may_write(self, source: str) -> bool:
        """The sample gives way to the first document of one's own, and does not come back beside it."""
        if source == SAMPLE:
            return not await self.has_own()
        await self._remove(await self._ids("SELECT id FROM documents WHERE source = %s", SAMPLE))
        await self._remove_proposals(
            await self._ids("SELECT identifier FROM proposals WHERE source = %s", SAMPLE)
        )
        return True

    async def _insert(self, source: str, document: Prepared) -> None:
        facts = document.facts
        ((n,),) = await self._rows(
            "INSERT INTO documents"
            " (id, source, fingerprint, name, url, size_bytes, date, kind, body, title_terms)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING n",
            facts.id,
            source,
            document.fingerprint,
            facts.name,
            facts.url,
            facts.size_bytes,
            facts.date,
            facts.kind,
            facts.body,
            document.title_terms,
        )
        await self._many(
            "INSERT INTO passages"
            " (document, position, heading, text, terms, heading_terms, page, anchor, words, titles) VALUES"
            " (%s, %s, %s, %s, %s, %s, %s, %s, to_tsvector('simple', %s), to_tsvector('simple', %s))",
            [
                (
                    n,
                    position,
                    p.heading,
                    p.text,
                    p.terms,
                    p.heading_terms,
                    p.page,
                    p.anchor,
                    f"{document.title_terms} {p.heading_terms} {p.terms}",
                    f"{document.title_terms} {p.heading_terms}",
                )
                for position, p in enumerate(document.passages)
            ],
        )

    async def _remove(self, ids: Collection[str]) -> None:
        wanted = list(ids)
        rows = await self._rows(
            "SELECT d.n, d.name, p.text, p.heading FROM documents d LEFT JOIN passages p ON p.document = d.n"
            " WHERE d.id = ANY(%s)",
            wanted,
        )
        if not rows:
            return
        texts: dict[tuple[int, str], list[Chunk]] = {}
        for n, name, passage, heading in rows:
            chunks = texts.setdefault((n, name), [])
            if passage is not None:
                chunks.append(Chunk(passage, heading))
        counts: Counter[Form] = Counter()
        for (_, name), chunks in texts.items():
            counts.update(forms_of(name, chunks))
        await self._db.execute("DELETE FROM documents WHERE id = ANY(%s)", (wanted,))
        await self._count(Counter({form: -count for form, count in counts.items()}))
        await self._db.execute(
            "DELETE FROM words WHERE form = ANY(%s) AND passages <= 0", ([form for form, _ in counts],)
        )

    async def _remove_proposals(self, identifiers: Iterable[str]) -> None:
        await self._db.execute("DELETE FROM proposals WHERE identifier = ANY(%s)", (list(identifiers),))

    async def _count(self, counts: Counter[Form]) -> None:
        if not counts:
            return
        rows = sorted((*form, count) for form, count in counts.items())
        await self._db.execute(
            "INSERT INTO words (form, term, passages)"
            " SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[])"
            " ON CONFLICT (form, term) DO UPDATE SET passages = words.passages + excluded.passages,"
            " is_split = words.is_split"
            " AND NOT (words.passages < %s AND words.passages + excluded.passages >= %s)",
            (*map(list, zip(*rows, strict=True)), FEW_PASSAGES, FEW_PASSAGES),
        )

    async def _take_compounds_apart(self) -> None:
        if not await self._rows("SELECT 1 FROM words WHERE NOT is_split LIMIT 1"):
            return
        rows = await self._rows("SELECT form, term, passages, NOT is_split FROM words")
        found = compounds([CorpusWord(*row) for row in rows])
        await self._db.execute("DELETE FROM compounds WHERE term = ANY(%s)", (list(found.terms),))
        parts, terms = [part for part, _ in found.parts], [term for _, term in found.parts]
        await self._db.execute(
            "INSERT INTO compounds SELECT * FROM unnest(%s::text[], %s::text[]) ON CONFLICT DO NOTHING",
            (parts, terms),
        )
        await self._db.execute("UPDATE words SET is_split = true WHERE NOT is_split")
