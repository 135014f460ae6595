"""An index in one SQLite file, with its full text search (FTS5)."""
