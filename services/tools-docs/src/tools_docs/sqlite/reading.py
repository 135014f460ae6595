"""Reads an index file from a few threads, each with a connection of its own."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tools_docs.candidates import MAX_BY_MEANING, MAX_BY_WORDS, MAX_OF_A_WORD, by_document, in_turn
from tools_docs.corpus import DocumentFacts, Proposal
from tools_docs.errors import IndexUnavailable
from tools_docs.gateways import Candidate, Overview, Search, StoredPassage, Vocabulary
from tools_docs.pruning import looked_up
from tools_docs.sqlite.schema import open_reader

if TYPE_CHECKING:
    from tools_docs.sqlite.vectors import Vectors

T = TypeVar("T")

_THREADS = 4
"""A search of a large index takes a while, outside of Python; more threads than cores only queue."""
_MAX_BEGINNING, _MAX_SIMILAR = 40, 5_000

_LAST = "\U0010ffff"
"""Behind every other character: what begins with x lies between x and this."""
_FACTS = "d.id, d.name, d.url, d.size_bytes, d.date, d.kind, d.body"
_PASSAGE = "p.position, p.text, p.heading, p.text_terms, p.heading_terms, p.page, p.anchor"
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
        self._vectors: Vectors | None = None

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
        return await self._run(lambda db: self._search(db, search))

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

    def _search(self, db: sqlite3.Connection, search: Search) -> Sequence[Candidate]:
        near, nearness = self._by_meaning(db, search)
        passages = in_turn(_by_words(db, search), near)
        return _candidates(db, passages, nearness(passages))

    def _by_meaning(
        self, db: sqlite3.Connection, search: Search
    ) -> tuple[Sequence[int], Callable[[Sequence[int]], Mapping[int, float]]]:
        """The nearest passages, and what tells how near any others are."""
        meta = dict(db.execute("SELECT key, value FROM meta"))
        if search.vector is None or meta.get("model") != search.model:
            return (), lambda _: {}
        # Imported here: who has no vectors does not pay for NumPy.
        from tools_docs.sqlite.vectors import Vectors

        if self._vectors is None:
            self._vectors = Vectors()
        near = self._vectors.near(db, meta["vectors_removed"], search.vector)
        return near.best(MAX_BY_MEANING, _allowed(db, search)), near.of

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
        model=meta.get("model"),
        vectors=db.execute("SELECT count(*) FROM vectors").fetchone()[0],
    )


def _vocabulary(db: sqlite3.Connection, terms: list[str]) -> Vocabulary:
    holders = _placeholders(terms)
    passages = db.execute(
        f"SELECT term, sum(passages) FROM words WHERE term IN ({holders}) GROUP BY term", terms
    ).fetchall()
    rows = db.execute(
        "SELECT c.part, c.term, sum(w.passages) AS passages FROM compounds c JOIN words w ON w.term = c.term"
        f" WHERE c.part IN ({holders}) GROUP BY c.part, c.term ORDER BY passages DESC, c.term",
        terms,
    )
    return Vocabulary.of(passages, rows)


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


def _by_words(db: sqlite3.Connection, search: Search) -> list[int]:
    lookup = looked_up(search.sought)
    if not lookup.sets:
        return []
    match = _match(lookup.sets)
    conditions, values = _conditions(search)
    # Without conditions FTS5 keeps the best hits by itself and reads nothing else of all the others.
    joined = " JOIN passages p ON p.n = h.rowid JOIN documents d ON d.n = p.document" if conditions else ""
    found = f"SELECT h.rowid FROM passage_terms h{joined} WHERE passage_terms MATCH ?"

    def hits(expression: str, limit: int) -> list[int]:
        by_rank = f" AND h.rank MATCH 'bm25({_WEIGHTS})'{conditions} ORDER BY h.rank LIMIT {limit}"
        return [n for (n,) in db.execute(found + by_rank, (expression, *values))]

    if lookup.is_ranked:
        rare = [f"{_match([sought.terms])} AND {match}" for sought in lookup.rare]
        return in_turn(hits(match, MAX_BY_WORDS), *(hits(each, MAX_OF_A_WORD) for each in rare))
    # Without an order it stops after the first ones. Those with it in their title are the better ones.
    return [
        n
        for expression in (f"{{title_terms heading_terms}} : ({match})", match)
        for (n,) in db.execute(f"{found}{conditions} LIMIT {MAX_BY_WORDS}", (expression, *values))
    ]


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


def _allowed(db: sqlite3.Connection, search: Search) -> list[int] | None:
    """The passages that fulfil the conditions; None where there is no condition."""
    conditions, values = _conditions(search)
    if not conditions:
        return None
    found = f"SELECT p.n FROM passages p JOIN documents d ON d.n = p.document WHERE 1{conditions}"
    return [n for (n,) in db.execute(found, values)]


def _candidates(
    db: sqlite3.Connection, passages: Sequence[int], nearness: Mapping[int, float]
) -> list[Candidate]:
    """The documents of the passages, which come best first."""
    documents = dict(
        db.execute(f"SELECT n, document FROM passages WHERE n IN ({_placeholders(passages)})", passages)
    )
    chosen = by_document(passages, documents)
    wanted = [n for best in chosen.values() for n in best]
    texts: dict[int, list[StoredPassage]] = {}
    for *row, document, n in db.execute(
        f"SELECT {_PASSAGE}, p.document, p.n FROM passages p WHERE p.n IN ({_placeholders(wanted)})", wanted
    ):
        texts.setdefault(document, []).append(_passage(row, nearness.get(n)))
    rows = db.execute(
        f"SELECT {_FACTS}, d.title_terms, d.n FROM documents d WHERE d.n IN ({_placeholders(chosen)})",
        list(chosen),
    )
    return [Candidate(_facts(row), tuple(row[7].split()), tuple(texts[row[8]])) for row in rows]


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


def _passage(row: Sequence[Any], nearness: float | None = None) -> StoredPassage:
    position, text, heading, terms, heading_terms, page, anchor = row
    return StoredPassage(
        position, text, heading, tuple(terms.split()), tuple(heading_terms.split()), page, anchor, nearness
    )
