"""The tables, in a schema of their own, and what the server can do besides."""

import logging
from typing import Any, LiteralString

import psycopg
from psycopg import AsyncConnection, sql

from tools_docs.errors import IndexOutdated

log = logging.getLogger("ask.documents")

SCHEMA = "ask_documents"
VERSION = 3
"""Of the tables and of how terms are made; an index of another version is not read."""
WRITING = 7_216_001
"""Key of the advisory lock that lets one process at a time write."""
OPTIONS = f"-c search_path={SCHEMA},public -c client_min_messages=warning"

_TABLES: LiteralString = """
CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE documents (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    source text NOT NULL,
    fingerprint text NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    size_bytes bigint,
    date date,
    kind text,
    body text,
    title_terms text NOT NULL
);
CREATE INDEX ON documents (source);
CREATE INDEX ON documents (date);
CREATE INDEX ON documents (kind, body);
CREATE TABLE passages (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document bigint NOT NULL REFERENCES documents (n) ON DELETE CASCADE,
    position integer NOT NULL,
    heading text,
    text text NOT NULL,
    terms text NOT NULL,
    heading_terms text NOT NULL,
    page integer,
    anchor text,
    words tsvector NOT NULL,
    titles tsvector NOT NULL
);
CREATE INDEX ON passages (document, position);
CREATE INDEX ON passages USING gin (words);
CREATE INDEX ON passages USING gin (titles);
CREATE TABLE words (
    form text NOT NULL,
    term text NOT NULL,
    passages bigint NOT NULL,
    is_split boolean NOT NULL DEFAULT false,
    PRIMARY KEY (form, term)
);
CREATE INDEX ON words (term text_pattern_ops, passages);
CREATE INDEX ON words (form) WHERE NOT is_split;
CREATE TABLE compounds (part text NOT NULL, term text NOT NULL, PRIMARY KEY (part, term));
CREATE INDEX ON compounds (term);
CREATE TABLE proposals (
    identifier text PRIMARY KEY,
    source text NOT NULL,
    name text NOT NULL,
    subject text NOT NULL,
    url text NOT NULL,
    date date,
    kind text,
    body text
);
CREATE TABLE proposal_documents (
    document_id text NOT NULL,
    identifier text NOT NULL REFERENCES proposals (identifier) ON DELETE CASCADE,
    PRIMARY KEY (document_id, identifier)
);
CREATE INDEX ON proposal_documents (identifier);
"""


async def create(connection: AsyncConnection[Any]) -> None:
    """Makes what is not there yet. Several processes may do so at once. Raises `IndexOutdated`."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (WRITING,))
        found = await connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.meta",))
        if (await found.fetchone() or [None])[0] is None:
            await connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(SCHEMA)))
            await connection.execute(_TABLES)
            await connection.execute(
                "INSERT INTO meta VALUES ('version', %s), ('generation', '0')", (str(VERSION),)
            )
    await check_version(connection)


async def check_version(connection: AsyncConnection[Any]) -> None:
    found = await connection.execute("SELECT value FROM meta WHERE key = 'version'")
    row = await found.fetchone()
    if row is None or row[0] != str(VERSION):
        raise IndexOutdated


async def extend(connection: AsyncConnection[Any], extension: LiteralString) -> bool:
    """Whether the server has an extension, made available if this role may do that."""
    try:
        async with connection.transaction():
            await connection.execute(
                sql.SQL("CREATE EXTENSION IF NOT EXISTS {} SCHEMA public").format(sql.Identifier(extension))
            )
    except psycopg.Error as error:
        log.info("extension is missing", extra={"extension": extension, "reason": error.diag.message_primary})
        return False
    return True
