"""Judges of relevance: by words, or by a language model."""
