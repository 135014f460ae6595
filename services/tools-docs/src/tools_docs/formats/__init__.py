"""Reads documents: bytes in, a document with sections out, or `Unreadable`."""
