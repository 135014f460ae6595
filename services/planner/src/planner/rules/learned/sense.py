"""What a text means as a whole: a vector, where the embedding model is installed."""

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from e5.wheel import QUERY, weights

if TYPE_CHECKING:
    from e5.model import E5, Floats

_MAX_CHARS = 400
"""Longer texts are told by how they begin: a sentence takes 25 ms, these 75."""
_MAX_TEXTS = 6
"""A plan looks at no more of them, so that others do not wait for a long message."""
_KEPT_TEXTS = 1_000

_looked_at: ContextVar[set[str]] = ContextVar("texts of a plan that were looked at")

log = logging.getLogger("ask.planner")


@contextmanager
def sensing() -> Iterator[None]:
    """What is asked for within belongs to one plan."""
    token = _looked_at.set(set())
    try:
        yield
    finally:
        _looked_at.reset(token)


def sense_of(text: str) -> "Floats | None":
    """A vector of length 1; none where words have to do."""
    beginning = text[:_MAX_CHARS]
    looked_at = _looked_at.get(set())
    if beginning not in looked_at and len(looked_at) >= _MAX_TEXTS:
        return None
    looked_at.add(beginning)
    return _sense_of(beginning)


@lru_cache(_KEPT_TEXTS)
def _sense_of(text: str) -> "Floats | None":
    found = senses_of([text])
    return None if found is None else found[0]


def senses_of(texts: Sequence[str]) -> "Floats | None":
    """A row for each, in their order."""
    model = embedding_model()
    return model.embed([QUERY + text[:_MAX_CHARS] for text in texts]) if model else None


@cache
def embedding_model() -> "E5 | None":
    """None where its weights are not installed, or cannot be read."""
    path = weights()
    if path is None:
        log.info("no embedding model: words have to do")
        return None
    # With one sentence at a time threads only wait for each other. NumPy reads this when it is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imported here: NumPy and the weights take 200 MB, and many a message needs neither.
    from e5.model import loaded

    try:
        return loaded(path)
    except (OSError, ValueError) as error:
        log.warning("no embedding model: words have to do", extra={"error": str(error)})
        return None
