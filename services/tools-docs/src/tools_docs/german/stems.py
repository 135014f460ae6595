"""From words to terms: what an index stores and a question is compared by."""

import re
from functools import lru_cache

import snowballstemmer

from tools_docs.german.spelling import fold, form_of, words

_STEMMER = snowballstemmer.stemmer("german")
_LOAN_PLURAL = re.compile(r"(?<=[a-z]{3}[aeiou])s$")
_DOUBLED = re.compile(r"(?<=ni|bu)ss$")
_CACHED_FORMS = 8_192
"""The words of a corpus repeat: this many cover most of a text at a megabyte."""
_MAX_TERM_CHARS = 60


@lru_cache(maxsize=_CACHED_FORMS)
def term_of(form: str) -> str:
    """The stem of one word: `Gewässern`, `gewaesser` -> `gewass`; `Velos`, `Velo` -> `velo`."""
    stem = _STEMMER.stemWord(fold(form))
    if stem.endswith("igt"):
        # bewilligt, bewilligte: the participle of what Bewilligung is the noun of.
        stem = _STEMMER.stemWord(stem[:-1])
    # Snowball keeps the plural of words that end in a vowel, and the two letters of Busse and Verhältnisse.
    return _LOAN_PLURAL.sub("", _DOUBLED.sub("s", stem))[:_MAX_TERM_CHARS]


def terms(text: str) -> list[str]:
    """The terms of a text in its order, one for each word."""
    return [term_of(form_of(word.text)) for word in words(text)]
