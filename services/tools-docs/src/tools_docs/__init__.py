"""Tools that find documents with their proposals, and judge whether a document answers a question."""
