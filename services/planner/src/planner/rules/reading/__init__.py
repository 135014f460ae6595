"""The words of a message: tokens, their roles, and what the sources know by name."""
