"""Reads an index file from a few threads, each with a connection of its own."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from pathlib import Path
from typing import TypeVar

from tools_docs.corpus import DocumentFacts, Proposal
from tools_docs.errors import IndexUnavailable
from tools_docs.gateways import Candidate, Overview, Search, StoredPassage, Vocabulary
from tools_docs.pruning import looked_up
from tools_docs.sqlite.schema import open_reader

T = TypeVar("T")

_THREADS = 4
"""A search of a large index takes a while, outside of Python; more threads than cores only queue."""
_MAX_HITS = 400
_MAX_DOCUMENTS = 40
_MAX_PASSAGES_A_DOCUMENT = 5
_MAX_COMPOUNDS = 40
"""Of one word; the frequent ones are those that people ask about."""
_MAX_BEGINNING, _MAX_SIMILAR = 40, 5_000

_LAST = "\U0010ffff"
"""Behind every other character: what begins with x lies between x and this."""
_FACTS = "d.id, d.name, d.url, d.size_bytes, d.date, d.kind, d.body"
_PASSAGE = "p.position, p.text, p.heading, p.text_terms, p.heading_terms"
_WEIGHTS = "4.0, 2.0, 1.0"
"""Of title, heading and text in BM25."""


class SqliteIndex:
    """See `gateways.DocumentIndex`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="documents")
        self._local = threading.local()
        self._open: set[sqlite3.Connection] = set()
        self._overview: tuple[str, Overview] | None = None

    async def close(self) -> None:
        self._threads.shutdown()
        for connection in self._open:
            connection.close()

    async def overview(self) -> Overview:
        return await self._run(self._read_overview)

    async def vocabulary(self, terms: Collection[str]) -> Vocabulary:
        return await self._run(lambda db: _vocabulary(db, list(terms)))

    async def beginning(self, prefix: str) -> Sequence[str]:
        return await self._run(lambda db: _beginning(db, prefix))

    async def similar(self, term: str) -> Sequence[tuple[str, str]]:
        return await self._run(lambda db: _similar(db, term))

    async def search(self, search: Search) -> Sequence[Candidate]:
        return await self._run(lambda db: _search(db, search))

    async def document(self, document_id: str) -> Candidate | None:
        return await self._run(lambda db: _document(db, document_id))

    async def proposals(self, document_ids: Collection[str]) -> Sequence[Proposal]:
        return await self._run(lambda db: _proposals(db, list(document_ids)))

    async def newest(self, limit: int) -> Sequence[DocumentFacts]:
        return await self._run(
            lambda db: [
                _facts(row)
                for row in db.execute(
                    f"SELECT {_FACTS} FROM documents d ORDER BY d.date DESC LIMIT ?", (limit,)
                )
            ]
        )

    async def _run(self, read: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._read, read)

    def _read(self, read: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return read(self._connection())
        except sqlite3.Error as error:
            raise IndexUnavailable(f"{self._path}: {error}") from error

    def _connection(self) -> sqlite3.Connection:
        """This thread's connection; a new one when another file has taken the place of the one it has."""
        try:
            status = self._path.stat()
        except OSError as error:
            raise IndexUnavailable(f"{self._path}: {error.strerror}") from None
        file = (status.st_dev, status.st_ino)
        if getattr(self._local, "file", None) != file:
            connection = open_reader(self._path)
            self._open.add(connection)
            if (old := getattr(self._local, "connection", None)) is not None:
                self._open.discard(old)
                old.close()
            self._local.connection, self._local.file = connection, file
        found: sqlite3.Connection = self._local.connection
        return found

    def _read_overview(self, db: sqlite3.Connection) -> Overview:
        meta = dict(db.execute("SELECT key, value FROM meta").fetchall())
        if self._overview is None or self._overview[0] != meta["generation"]:
            self._overview = (meta["generation"], _overview(db, meta))
        return self._overview[1]


def _overview(db: sqlite3.Connection, meta: Mapping[str, str]) -> Overview:
    counted = db.execute("SELECT kind, body, count(*) FROM documents GROUP BY kind, body").fetchall()
    return Overview(
        documents=sum(row[2] for row in counted),
        passages=int(meta["passages"]),
        proposals=db.execute("SELECT count(*) FROM proposals").fetchone()[0],
        kinds=tuple(sorted({row[0] for row in counted if row[0]})),
        bodies=tuple(sorted({row[1] for row in counted if row[1]})),
        updated_at=datetime.fromisoformat(meta["updated_at"]) if "updated_at" in meta else None,
        sources=dict(db.execute("SELECT source, count(*) FROM documents GROUP BY source").fetchall()),
    )


def _vocabulary(db: sqlite3.Connection, terms: list[str]) -> Vocabulary:
    holders = _placeholders(terms)
    passages = db.execute(
        f"SELECT term, sum(passages) FROM words WHERE term IN ({holders}) GROUP BY term", terms
    ).fetchall()
    compounds: dict[str, dict[str, int]] = {}
    rows = db.execute(
        "SELECT c.part, c.term, sum(w.passages) AS passages FROM compounds c JOIN words w ON w.term = c.term"
        f" WHERE c.part IN ({holders}) GROUP BY c.part, c.term ORDER BY passages DESC, c.term",
        terms,
    )
    for part, term, count in rows:
        found = compounds.setdefault(part, {})
        if len(found) < _MAX_COMPOUNDS:
            found[term] = count
    return Vocabulary(dict(passages), compounds)


def _beginning(db: sqlite3.Connection, prefix: str) -> list[str]:
    rows = db.execute(
        "SELECT term FROM words WHERE term >= ? AND term < ? GROUP BY term"
        " ORDER BY sum(passages) DESC, term LIMIT ?",
        (prefix, prefix + _LAST, _MAX_BEGINNING),
    )
    return [term for (term,) in rows]


def _similar(db: sqlite3.Connection, term: str) -> list[tuple[str, str]]:
    return db.execute(
        "SELECT form, term FROM words WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?"
        " ORDER BY passages DESC LIMIT ?",
        (term[0], term[0] + _LAST, len(term) - 2, len(term) + 2, _MAX_SIMILAR),
    ).fetchall()


def _search(db: sqlite3.Connection, search: Search) -> list[Candidate]:
    lookup = looked_up(search.sought)
    if not lookup.sets:
        return []
    match = _match(lookup.sets)
    conditions, values = _conditions(search)
    # Without conditions FTS5 keeps the best hits by itself and reads nothing else of all the others.
    joined = " JOIN passages p ON p.n = h.rowid JOIN documents d ON d.n = p.document" if conditions else ""
    found = f"SELECT h.rowid FROM passage_terms h{joined} WHERE passage_terms MATCH ?"
    limit = f"LIMIT {_MAX_HITS}"
    if lookup.is_ranked:
        by_rank = f" AND h.rank MATCH 'bm25({_WEIGHTS})'{conditions} ORDER BY h.rank {limit}"
        hits = [n for (n,) in db.execute(found + by_rank, (match, *values))]
    else:
        # Without an order it stops after the first ones. Those with it in their title are the better ones.
        hits = [
            n
            for expression in (f"{{title_terms heading_terms}} : ({match})", match)
            for (n,) in db.execute(f"{found}{conditions} {limit}", (expression, *values))
        ]
    return _candidates(db, list(dict.fromkeys(hits)))


def _match(sets: Iterable[Iterable[str]]) -> str:
    """The expression for FTS5. Terms are letters and digits; quoted, none of them is an operator."""
    return " AND ".join("(" + " OR ".join(f'"{term}"' for term in terms) + ")" for terms in sets)


def _placeholders(values: Collection[object]) -> str:
    return ",".join("?" * len(values))


def _conditions(search: Search) -> tuple[str, list[object]]:
    conditions: list[str] = []
    values: list[object] = []
    if search.since is not None:
        conditions.append("d.date >= ?")
        values.append(search.since.isoformat())
    if search.until is not None:
        conditions.append("d.date <= ?")
        values.append(search.until.isoformat())
    for column, allowed in (("kind", search.kinds), ("body", search.bodies)):
        if allowed is not None:
            conditions.append(f"d.{column} IN ({_placeholders(allowed)})")
            values += allowed
    return "".join(f" AND {condition}" for condition in conditions), values


def _candidates(db: sqlite3.Connection, hits: Sequence[int]) -> list[Candidate]:
    """The documents of the passages, which come best first."""
    order = {n: rank for rank, n in enumerate(hits)}
    rows = db.execute(f"SELECT n, document FROM passages WHERE n IN ({_placeholders(hits)})", hits).fetchall()
    chosen: dict[int, list[int]] = {}
    for n, document in sorted(rows, key=lambda row: order[row[0]]):
        if document in chosen or len(chosen) < _MAX_DOCUMENTS:
            passages = chosen.setdefault(document, [])
            if len(passages) < _MAX_PASSAGES_A_DOCUMENT:
                passages.append(n)
    documents = db.execute(
        f"SELECT {_FACTS}, d.title_terms, d.n FROM documents d WHERE d.n IN ({_placeholders(chosen)})",
        list(chosen),
    )
    wanted = [n for passages in chosen.values() for n in passages]
    texts: dict[int, list[StoredPassage]] = {}
    for row in db.execute(
        f"SELECT {_PASSAGE}, p.document FROM passages p WHERE p.n IN ({_placeholders(wanted)})", wanted
    ):
        texts.setdefault(row[5], []).append(_passage(row))
    return [Candidate(_facts(row), tuple(row[7].split()), tuple(texts[row[8]])) for row in documents]


def _document(db: sqlite3.Connection, document_id: str) -> Candidate | None:
    row = db.execute(f"SELECT {_FACTS}, d.title_terms, d.n FROM documents d WHERE d.id = ?", (document_id,))
    if (found := row.fetchone()) is None:
        return None
    passages = db.execute(
        f"SELECT {_PASSAGE} FROM passages p WHERE p.document = ? ORDER BY p.position", (found[8],)
    )
    return Candidate(_facts(found), tuple(found[7].split()), tuple(map(_passage, passages)))


def _proposals(db: sqlite3.Connection, document_ids: list[str]) -> list[Proposal]:
    rows = db.execute(
        "SELECT identifier, name, subject, url, date, kind, body FROM proposals WHERE identifier IN"
        f" (SELECT identifier FROM proposal_documents WHERE document_id IN ({_placeholders(document_ids)}))"
        " ORDER BY date DESC, identifier",
        document_ids,
    ).fetchall()
    linked: dict[str, list[str]] = {row[0]: [] for row in rows}
    for document_id, identifier in db.execute(
        "SELECT document_id, identifier FROM proposal_documents WHERE identifier IN"
        f" ({_placeholders(linked)}) ORDER BY document_id",
        list(linked),
    ):
        linked[identifier].append(document_id)
    return [
        Proposal(key, name, subject, url, _date(day), kind, body, tuple(linked[key]))
        for key, name, subject, url, day, kind, body in rows
    ]


def _facts(row: Sequence[object]) -> DocumentFacts:
    identity, name, url, size, day, kind, body, *_ = row
    return DocumentFacts(identity, name, url, size, _date(day), kind, body)  # type: ignore[arg-type]


def _date(day: object) -> date | None:
    return date.fromisoformat(day) if isinstance(day, str) else None


def _passage(row: Sequence[str]) -> StoredPassage:
    position, text, heading, terms, heading_terms, *_ = row
    return StoredPassage(int(position), text, heading, tuple(terms.split()), tuple(heading_terms.split()))
