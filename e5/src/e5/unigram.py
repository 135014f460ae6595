"""Texts to the pieces that a model knows, by the unigram model of SentencePiece. Pure."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

_SPACE = "\u2581"
"""Stands for a space, at the beginning of a word."""
_UNKNOWN_PENALTY = 10.0
"""What a character without a piece costs, below the rarest piece."""
_KEPT_WORDS = 20_000
_MAX_WORD_CHARS = 200
"""Nobody writes longer ones; cut, a made-up one costs no more than a sentence."""
_WORDS = re.compile(rf"[^ ]{{1,{_MAX_WORD_CHARS}}}")


class Unigram:
    """The most probable pieces of a text. Pieces never cross a space, so each word is cut by itself, once."""

    def __init__(
        self, pieces: Sequence[str], scores: Sequence[float], unknown: int, replaced: Mapping[int, str]
    ) -> None:
        """`replaced`: what the model's normaliser makes of a character, by code point."""
        self._numbers = {piece: n for n, piece in enumerate(pieces) if n != unknown}
        self._scores = scores
        self._unknown = unknown
        self._unknown_score = min(scores) - _UNKNOWN_PENALTY
        self._longest = max(map(len, pieces))
        self._replaced = replaced
        self._cut = lru_cache(_KEPT_WORDS)(self._best)

    def pieces(self, text: str, limit: int) -> list[int]:
        """The numbers of the first pieces."""
        found: list[int] = []
        for word in _WORDS.finditer(text.translate(self._replaced)):
            found += self._cut(_SPACE + word[0])
            if len(found) >= limit:
                break
        return found[:limit]

    def _best(self, word: str) -> tuple[int, ...]:
        """Viterbi: for each end the best last piece, from the beginning of the word."""
        best: list[tuple[float, int, int]] = [(0.0, 0, 0)]
        """(score, where the last piece begins, its number)"""
        for end in range(1, len(word) + 1):
            found = (best[end - 1][0] + self._unknown_score, end - 1, self._unknown)
            for begin in range(max(0, end - self._longest), end):
                if (piece := self._numbers.get(word[begin:end])) is not None:
                    score = best[begin][0] + self._scores[piece]
                    if score > found[0]:
                        found = (score, begin, piece)
            best.append(found)
        pieces, end = [], len(word)
        while end:
            _, end, piece = best[end]
            pieces.append(piece)
        return tuple(reversed(pieces))
