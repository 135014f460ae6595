"""What a text means as a whole: a vector, where the embedding model is installed."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from e5.wheel import QUERY, weights

if TYPE_CHECKING:
    from e5.model import E5, Floats

_MAX_CHARS = 400
"""Longer texts are told by how they begin; a sentence takes 20 to 50 ms, and time grows with length."""
_KEPT_TEXTS = 1_000


@lru_cache(_KEPT_TEXTS)
def sense_of(text: str) -> "Floats | None":
    """A vector of length 1; none where words have to do."""
    found = senses_of([text])
    return None if found is None else found[0]


def senses_of(texts: Sequence[str]) -> "Floats | None":
    """One after the other."""
    model = _model()
    return model.embed([QUERY + text[:_MAX_CHARS] for text in texts]) if model else None


@cache
def _model() -> "E5 | None":
    path = weights()
    if path is None:
        return None
    # Imported here: NumPy and the weights take 200 MB, and not every planner is asked for layers.
    from e5.model import E5

    return E5(path)
