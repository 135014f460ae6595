"""Which passages are compared with a question, of those that an index finds by words and by meaning. Pure."""

from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest

MAX_BY_WORDS, MAX_OF_A_WORD, MAX_BY_MEANING = 200, 30, 200
"""Passages of all words together, of each of the rarest words, and of the nearest vectors."""
RARE_WORDS = 4
MAX_PASSAGES_A_DOCUMENT = 5


def in_turn(*rankings: Sequence[int]) -> list[int]:
    """The first of each, then the second of each: no ranking pushes out another one."""
    return [n for n in dict.fromkeys(chain.from_iterable(zip_longest(*rankings))) if n is not None]


def by_document(passages: Sequence[int], documents: Mapping[int, int]) -> dict[int, list[int]]:
    """The best passages of each document. `passages` come best first, `documents` is what each belongs to."""
    chosen: dict[int, list[int]] = {}
    for n in passages:
        if (document := documents.get(n)) is not None:
            best = chosen.setdefault(document, [])
            if len(best) < MAX_PASSAGES_A_DOCUMENT:
                best.append(n)
    return chosen
