"""An index in PostgreSQL: its German full text search and, with pgvector, nearness of meaning."""
