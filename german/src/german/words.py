"""The words of a text, and where they stand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from german.fold import fold
from german.unicode import normalized

_WORD = re.compile(r"\d{1,3}(?:['’]\d{3})+(?!\d)|[^\W_]+(?:['’ʼ][^\W_]+)*")
_KEY_WORD = re.compile(r"[a-z0-9]+")


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


def words_in(text: str) -> Iterator[Word]:
    """The words and numbers of a text in order; hyphens separate."""
    for found in _WORD.finditer(text):
        word = Word(found.group(), found.start(), found.end())
        if word.form:
            yield word


def words(text: str) -> tuple[str, ...]:
    """The words of a text, folded; everything that is no letter or digit separates."""
    return tuple(_KEY_WORD.findall(fold(text)))
