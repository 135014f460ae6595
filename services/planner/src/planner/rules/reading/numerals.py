"""Numbers that are written in words: `hundertachtundneunzig`."""

from functools import lru_cache
from typing import Final

_ONES: Final = ["null", "ein", "zwei", "drei", "vier", "fuenf", "sechs", "sieben", "acht", "neun"]
_TEENS: Final = [
    "zehn",
    "elf",
    "zwoelf",
    *(f"{one}zehn" for one in (*_ONES[3:6], "sech", "sieb", *_ONES[8:])),
]
_TENS: Final = ["zwanzig", "dreissig", "vierzig", "fuenfzig", "sechzig", "siebzig", "achtzig", "neunzig"]
_BELOW_HUNDRED: Final = (
    {word: n for n, word in enumerate((*_ONES, *_TEENS))}
    | {"eins": 1, "zwo": 2}
    | {word: 10 * n for n, word in enumerate(_TENS, 2)}
    | {
        f"{one}und{word}": 10 * n + unit
        for n, word in enumerate(_TENS, 2)
        for unit, one in enumerate(_ONES[1:], 1)
    }
)
_SCALES: Final = (("tausend", 1000), ("hundert", 100))
_MAX_CHARS: Final = 60
_NO_NUMBERS: Final = frozenset({"ein", "eins", "null"})
"""Words that mean something else when they stand alone."""


@lru_cache(maxsize=1_024)
def number_in_words(folded: str) -> str | None:
    """`198` of `hundertachtundneunzig`, `9901` of `neunundneunzig-null-eins`; None for other words."""
    if len(folded) > _MAX_CHARS or folded in _NO_NUMBERS:
        return None
    pieces = folded.split("-")
    values = [_value(piece) for piece in pieces]
    return "".join(map(str, values)) if all(value is not None for value in values) else None


def _value(word: str) -> int | None:
    for name, scale in _SCALES:
        head, found, rest = word.partition(name)
        if found:
            many = _value(head) if head else 1
            more = _value(rest.removeprefix("und")) if rest else 0
            return None if many is None or more is None else many * scale + more
    return _BELOW_HUNDRED.get(word)
