"""The tables, and how a file is opened. Readers and a writer work on one file at the same time (WAL)."""

import os
import sqlite3
import time
from pathlib import Path
from urllib.parse import quote

from tools_docs.corpus import SAMPLE
from tools_docs.errors import IndexOutdated, IndexUnavailable

VERSION = 3
"""Of the tables and of how terms are made; an index of another version is not read."""
_BUSY_TIMEOUT_S = 30.0
"""A writer waits for another one; readers never wait."""
_READER_CACHE_KIB = 4_096
_WRITER_CACHE_KIB = 65_536

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE documents (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    size_bytes INTEGER,
    date TEXT,
    kind TEXT,
    body TEXT,
    title_terms TEXT NOT NULL
);
CREATE INDEX documents_by_source ON documents (source);
CREATE INDEX documents_by_date ON documents (date);
CREATE INDEX documents_by_kind ON documents (kind, body);

CREATE TABLE passages (
    n INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (n),
    position INTEGER NOT NULL,
    heading TEXT,
    text TEXT NOT NULL,
    title_terms TEXT NOT NULL,
    heading_terms TEXT NOT NULL,
    text_terms TEXT NOT NULL,
    page INTEGER,
    anchor TEXT
);
CREATE INDEX passages_by_document ON passages (document, position);

-- Terms are made before they come here: the tokenizer only has to separate them.
CREATE VIRTUAL TABLE passage_terms USING fts5 (
    title_terms, heading_terms, text_terms,
    content = 'passages', content_rowid = 'n', tokenize = 'unicode61 remove_diacritics 0'
);

-- See vectors.py. Of the model in `meta`.
CREATE TABLE vectors (passage INTEGER PRIMARY KEY REFERENCES passages (n), vector BLOB NOT NULL);

CREATE TABLE words (
    form TEXT NOT NULL,
    term TEXT NOT NULL,
    passages INTEGER NOT NULL,
    is_split INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (form, term)
) WITHOUT ROWID;
CREATE INDEX words_by_term ON words (term, passages);
CREATE INDEX words_unsplit ON words (is_split) WHERE is_split = 0;

CREATE TABLE compounds (part TEXT NOT NULL, term TEXT NOT NULL, PRIMARY KEY (part, term)) WITHOUT ROWID;
CREATE INDEX compounds_by_term ON compounds (term);

CREATE TABLE proposals (
    identifier TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    subject TEXT NOT NULL,
    url TEXT NOT NULL,
    date TEXT,
    kind TEXT,
    body TEXT
) WITHOUT ROWID;
CREATE TABLE proposal_documents (
    document_id TEXT NOT NULL,
    identifier TEXT NOT NULL REFERENCES proposals (identifier),
    PRIMARY KEY (document_id, identifier)
) WITHOUT ROWID;
CREATE INDEX documents_of_proposal ON proposal_documents (identifier);
"""


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. Raises `IndexUnavailable`, `IndexOutdated`."""
    # Even a reader writes to the files beside the index, unless nobody can change it anyway.
    mode = "mode=rw" if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) else "immutable=1"
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(path.absolute()))}?{mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error as error:
        raise IndexUnavailable(f"{path}: {error}") from None
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute(f"PRAGMA cache_size = -{_READER_CACHE_KIB}")
        connection.execute(f"PRAGMA busy_timeout = {int(_BUSY_TIMEOUT_S * 1_000)}")
        _check_version(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise IndexUnavailable(f"{path}: {error}") from None
    except IndexOutdated:
        connection.close()
        raise
    return connection


def open_writer(path: Path) -> sqlite3.Connection:
    """A connection in autocommit mode; makes the file and its tables when there are none.

    Raises `IndexUnavailable`, `IndexOutdated`.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
    except (OSError, sqlite3.Error) as error:
        raise IndexUnavailable(f"{path}: {error}") from None
    try:
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIB}")
        _create(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise IndexUnavailable(f"{path}: {error}") from None
    except IndexOutdated:
        connection.close()
        raise
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Several processes may make the same file at once, and this one statement does not wait by itself."""
    until = time.monotonic() + _BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(0.01)


def _create(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, VERSION) and not _has_own(connection):
            # Only the sample: it is put in again.
            _drop(connection)
            version = 0
        if version == 0:
            for statement in _SCHEMA.split(";\n"):
                connection.execute(statement)
            connection.execute(
                "INSERT INTO meta VALUES ('generation', '0'), ('passages', '0'), ('vectors_removed', '0')"
            )
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    _check_version(connection, path)


def _has_own(connection: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM documents WHERE source != ?1 UNION ALL SELECT 1 FROM proposals WHERE source != ?1"
    return connection.execute(query, (SAMPLE,)).fetchone() is not None


def _drop(connection: sqlite3.Connection) -> None:
    # What FTS5 keeps for itself goes with its table.
    query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'passage_terms_%'"
    for (name,) in connection.execute(query).fetchall():
        connection.execute(f'DROP TABLE "{name}"')


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found != VERSION:
        raise IndexOutdated(f"{path}: {IndexOutdated.__doc__}")
