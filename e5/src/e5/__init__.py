"""Vectors of texts by multilingual-e5-small: what means nearly the same is near, in a hundred languages."""
