"""Fills an index file. Every call is one transaction."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from tools_docs.compounds import FEW_PASSAGES, CorpusWord, compounds
from tools_docs.corpus import REMEMBERED, SAMPLE, Chunk, Proposal
from tools_docs.packing import packed
from tools_docs.preparing import Form, Prepared, forms_of, to_embed
from tools_docs.sqlite.schema import open_writer

_EMPTY_SHARE = 0.25
"""A file with more empty pages is written anew: that takes as long as copying what is left."""


class SqliteWriter:
    """See `gateways.IndexWriter`. Works in the caller's thread: filling an index is a job of its own."""

    def __init__(self, path: Path) -> None:
        """Raises `IndexUnavailable`, `IndexOutdated`."""
        self._db = open_writer(path)

    async def close(self) -> None:
        self._db.close()

    async def has_own(self) -> bool:
        found = self._db.execute(
            "SELECT 1 FROM documents WHERE source != ?1 UNION ALL SELECT 1 FROM proposals WHERE source != ?1",
            (SAMPLE,),
        )
        return found.fetchone() is not None

    async def fingerprints(self, source: str) -> Mapping[str, str]:
        rows = self._db.execute("SELECT id, fingerprint FROM documents WHERE source = ?", (source,))
        return dict(rows.fetchall())

    async def remembered(self, source: str) -> str | None:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (REMEMBERED + source,)).fetchone()
        return row[0] if row else None

    async def remember(self, source: str, what: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (REMEMBERED + source, what))

    async def put(self, source: str, documents: Sequence[Prepared]) -> None:
        with self._transaction():
            if not await self._may_write(source):
                return
            self._remove([document.facts.id for document in documents])
            counts: Counter[Form] = Counter()
            for document in documents:
                self._insert(source, document)
                counts.update(document.forms)
            self._count(counts)

    async def put_proposals(self, source: str, proposals: Sequence[Proposal]) -> None:
        with self._transaction():
            if not await self._may_write(source):
                return
            self._remove_proposals([proposal.identifier for proposal in proposals])
            self._db.executemany(
                "INSERT INTO proposals VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (p.identifier, source, p.name, p.subject, p.url, _day(p), p.kind, p.body)
                    for p in proposals
                ],
            )
            self._db.executemany(
                "INSERT OR IGNORE INTO proposal_documents VALUES (?, ?)",
                [(document, p.identifier) for p in proposals for document in p.document_ids],
            )

    async def keep_only(self, source: str, ids: Collection[str], identifiers: Collection[str]) -> int:
        with self._transaction():
            known = self._ids("SELECT id FROM documents WHERE source = ?", source)
            gone = known.difference(ids)
            self._remove(gone)
            theirs = self._ids("SELECT identifier FROM proposals WHERE source = ?", source)
            self._remove_proposals(theirs.difference(identifiers))
        return len(gone)

    async def without_vectors(self, model: str, after: int, limit: int) -> Sequence[tuple[int, str]]:
        rows = self._db.execute(
            "SELECT p.n, d.name, d.body, p.heading, p.text FROM passages p"
            " JOIN documents d ON d.n = p.document LEFT JOIN vectors v ON v.passage = p.n"
            " WHERE p.n > ? AND (v.passage IS NULL OR ?) ORDER BY p.n LIMIT ?",
            (after, self._meta("model") != model, limit),
        )
        return [(n, to_embed(*said)) for n, *said in rows]

    async def missing_vectors(self, model: str) -> int:
        there = "(SELECT count(*) FROM vectors)" if self._meta("model") == model else "0"
        (missing,) = self._db.execute(f"SELECT count(*) - {there} FROM passages").fetchone()
        return int(missing)

    async def put_vectors(self, model: str, vectors: Mapping[int, Sequence[float]]) -> None:
        with self._transaction():
            if self._meta("model") != model:
                self._db.execute("DELETE FROM vectors")
                self._db.execute("INSERT OR REPLACE INTO meta VALUES ('model', ?)", (model,))
                self._more("vectors_removed", 1)
            self._db.executemany(
                "INSERT OR REPLACE INTO vectors SELECT ?1, ?2 WHERE ?1 IN (SELECT n FROM passages)",
                [(n, packed(vector)) for n, vector in vectors.items()],
            )

    async def finish(self) -> None:
        with self._transaction():
            self._take_compounds_apart()
        self._give_space_back()
        self._db.execute("INSERT INTO passage_terms (passage_terms, rank) VALUES ('merge', 500)")
        self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")
        # Good to have, and not worth waiting for: another writer may just be at work.
        with suppress(sqlite3.OperationalError):
            self._db.execute("PRAGMA optimize")

    def _give_space_back(self) -> None:
        """Writes the file anew when much of it is empty. Readers go on with what they had."""
        (free,) = self._db.execute("PRAGMA freelist_count").fetchone()
        (pages,) = self._db.execute("PRAGMA page_count").fetchone()
        if free < _EMPTY_SHARE * pages:
            return
        # A full disk or another writer is no reason to fail: the space is used by what comes next.
        with suppress(sqlite3.OperationalError):
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # -- within a transaction ----------------------------------------------------------------------

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            now = datetime.now(UTC).isoformat(timespec="seconds")
            self._db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('updated_at', ?)", (now,))
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    def _ids(self, query: str, *values: object) -> set[str]:
        return {row[0] for row in self._db.execute(query, values)}

    async def _may_write(self, source: str) -> bool:
        """The sample gives way to the first document of one's own, and does not come back beside it."""
        if source == SAMPLE:
            return not await self.has_own()
        self._remove(self._ids("SELECT id FROM documents WHERE source = ?", SAMPLE))
        self._remove_proposals(self._ids("SELECT identifier FROM proposals WHERE source = ?", SAMPLE))
        return True

    def _insert(self, source: str, document: Prepared) -> None:
        facts = document.facts
        row = (facts.id, source, document.fingerprint, facts.name, facts.url, facts.size_bytes)
        n = self._db.execute(
            "INSERT INTO documents"
            " (id, source, fingerprint, name, url, size_bytes, date, kind, body, title_terms)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, facts.date and facts.date.isoformat(), facts.kind, facts.body, document.title_terms),
        ).lastrowid
        for position, passage in enumerate(document.passages):
            terms = (document.title_terms, passage.heading_terms, passage.terms)
            passage_n = self._db.execute(
                "INSERT INTO passages"
                " (document, position, heading, text, title_terms, heading_terms, text_terms, page, anchor)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (n, position, passage.heading, passage.text, *terms, passage.page, passage.anchor),
            ).lastrowid
            self._db.execute(
                "INSERT INTO passage_terms (rowid, title_terms, heading_terms, text_terms)"
                " VALUES (?, ?, ?, ?)",
                (passage_n, *terms),
            )
        self._more("passages", len(document.passages))

    def _remove(self, ids: Iterable[str]) -> None:
        counts: Counter[Form] = Counter()
        for document_id in ids:
            found = self._db.execute("SELECT n, name FROM documents WHERE id = ?", (document_id,)).fetchone()
            if found is None:
                continue
            n, name = found
            rows = self._db.execute(
                "SELECT n, heading, text, title_terms, heading_terms, text_terms FROM passages"
                " WHERE document = ?",
                (n,),
            ).fetchall()
            counts.update(forms_of(name, [Chunk(row[2], row[1]) for row in rows]))
            # FTS5 finds what it has to forget by the very terms that it was given.
            self._db.executemany(
                "INSERT INTO passage_terms (passage_terms, rowid, title_terms, heading_terms, text_terms)"
                " VALUES ('delete', ?, ?, ?, ?)",
                [(row[0], *row[3:]) for row in rows],
            )
            self._db.executemany("DELETE FROM vectors WHERE passage = ?", [row[:1] for row in rows])
            self._db.execute("DELETE FROM passages WHERE document = ?", (n,))
            self._db.execute("DELETE FROM documents WHERE n = ?", (n,))
            self._more("passages", -len(rows))
            self._more("vectors_removed", 1)
        if counts:
            self._count(Counter({form: -count for form, count in counts.items()}))
            self._db.executemany("DELETE FROM words WHERE form = ? AND term = ? AND passages <= 0", counts)

    def _remove_proposals(self, identifiers: Iterable[str]) -> None:
        rows = [(identifier,) for identifier in identifiers]
        self._db.executemany("DELETE FROM proposal_documents WHERE identifier = ?", rows)
        self._db.executemany("DELETE FROM proposals WHERE identifier = ?", rows)

    def _more(self, key: str, number: int) -> None:
        self._db.execute("UPDATE meta SET value = value + ? WHERE key = ?", (number, key))

    def _meta(self, key: str) -> str | None:
        found = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return found[0] if found else None

    def _count(self, counts: Counter[Form]) -> None:
        self._db.executemany(
            "INSERT INTO words (form, term, passages) VALUES (?, ?, ?)"
            " ON CONFLICT (form, term) DO UPDATE SET passages = passages + excluded.passages,"
            " is_split = is_split AND NOT"
            f" (passages < {FEW_PASSAGES} AND passages + excluded.passages >= {FEW_PASSAGES})",
            [(*form, count) for form, count in sorted(counts.items())],
        )

    def _take_compounds_apart(self) -> None:
        if self._db.execute("SELECT 1 FROM words WHERE is_split = 0 LIMIT 1").fetchone() is None:
            return
        rows = self._db.execute("SELECT form, term, passages, NOT is_split FROM words")
        found = compounds([CorpusWord(form, term, n, bool(is_new)) for form, term, n, is_new in rows])
        self._db.executemany("DELETE FROM compounds WHERE term = ?", [(term,) for term in found.terms])
        self._db.executemany("INSERT OR IGNORE INTO compounds (part, term) VALUES (?, ?)", found.parts)
        self._db.execute("UPDATE words SET is_split = 1 WHERE is_split = 0")


def _day(proposal: Proposal) -> str | None:
    return proposal.date.isoformat() if proposal.date else None
