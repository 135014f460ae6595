"""From words to stems: what an index stores and a question is compared by."""

import re
from functools import lru_cache

from german.fold import bare
from german.words import form_of, words_in
from Stemmer import Stemmer

_STEMMER = Stemmer("german")
_LOAN_PLURAL = re.compile(r"(?<=[a-z]{3}[aeiou])s$")
_DOUBLED = re.compile(r"(?<=ni|bu)ss$")
_CACHED_FORMS = 16_384
"""The words of a corpus repeat: this many cover most of a text at two megabytes."""
_MAX_STEM_CHARS = 60


@lru_cache(maxsize=_CACHED_FORMS)
def stem(form: str) -> str:
    """The stem of one word: `Gewässern`, `gewaesser` -> `gewass`; `Velos`, `Velo` -> `velo`.

    It is a key, not always a word; all spellings of an umlaut have the same one.
    """
    found: str = _STEMMER.stemWord(bare(form))
    if found.endswith("igt"):
        # bewilligt, bewilligte: the participle of what Bewilligung is the noun of.
        found = _STEMMER.stemWord(found[:-1])
    # Snowball keeps the plural of words that end in a vowel, and the two letters of Busse and Verhältnisse.
    return _LOAN_PLURAL.sub("", _DOUBLED.sub("s", found))[:_MAX_STEM_CHARS]


def stems(text: str) -> list[str]:
    """The stems of a text in its order, one for each word."""
    return [stem(form_of(word.text)) for word in words_in(text)]
