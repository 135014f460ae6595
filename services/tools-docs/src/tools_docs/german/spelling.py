"""One spelling for all ways to write a word, and the words of a text."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from servicekit.unicode import normalized

_VOWELS = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "æ": "ae", "œ": "oe", "ø": "o"})
# "ue" in Neuenburg, Bauer and Quelle is no umlaut. Elsewhere (aktuell) it is folded too, always alike.
_WRITTEN_OUT = re.compile(r"([ao])e|(?<![aeq])(u)e")
_WORD = re.compile(r"\d{1,3}(?:['’]\d{3})+(?!\d)|[^\W_]+(?:['’ʼ][^\W_]+)*")


def fold(text: str) -> str:
    """Lower case without umlauts, accents and sharp s; `ae`, `oe` and `ue` count as umlauts.

    `Zürich`, `ZÜRICH` and `Zuerich` become one.
    """
    plain = normalized("NFKC", text).casefold().translate(_VOWELS)
    if not plain.isascii():
        plain = "".join(c for c in normalized("NFKD", plain) if not unicodedata.combining(c))
    return _WRITTEN_OUT.sub(lambda found: found.group(1) or found.group(2), plain)


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it stands at `start:end` of a text."""

    text: str
    start: int
    end: int

    @property
    def form(self) -> str:
        """In lower case, with its umlauts; what an index remembers as a way to write a term."""
        return form_of(self.text)

    @property
    def is_number(self) -> bool:
        return self.text[0].isdigit()


def form_of(word: str) -> str:
    """A word in lower case, its letters and digits only: `1'264` is `1264`."""
    plain = normalized("NFKC", word).lower()
    return plain if plain.isalnum() else "".join(filter(str.isalnum, plain))


def words(text: str) -> Iterator[Word]:
    """The words and numbers of a text in order; hyphens separate."""
    for found in _WORD.finditer(text):
        word = Word(found.group(), found.start(), found.end())
        if word.form:
            yield word
