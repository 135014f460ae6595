"""The languages of documents and questions: what their words are, how they are stemmed, which say nothing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

from german import stems as german_stems
from german.fold import bare
from german.stop_words import light_verbs, listed, stop_words
from german.words import Word, words_in
from Stemmer import Stemmer

_APOSTROPHE = re.compile("['’ʼ]")
_ELIDED = re.compile("^.*['’ʼ](?=[^'’ʼ])")
"""`l'eau`, `dell'acqua`: what stands before the apostrophe is a word of its own."""
_TELLING_WORDS = 200
_CACHED_FORMS, _MAX_STEM_CHARS = 8_192, 60


@dataclass(frozen=True)
class Language:
    code: str
    stemmer: str | None = None
    """Of Snowball; None for German, which has its own (`german.stems`)."""

    @property
    def is_german(self) -> bool:
        """The language whose nouns have capitals, and in which nearness was measured."""
        return self.stemmer is None

    @cached_property
    def silent(self) -> frozenset[str]:
        """Words that say nothing, or little, about what is asked for; as `bare` spells them."""
        if self.stemmer is None:
            return stop_words() | light_verbs()
        return listed("tools_docs", f"stop_words_{self.code}.txt")

    def words(self, text: str) -> Iterator[Word]:
        for word in words_in(text):
            elided = None if self.is_german else _ELIDED.match(word.text)
            yield Word(word.text[elided.end() :], word.start + elided.end(), word.end) if elided else word

    def stem(self, form: str) -> str:
        """A key that the forms of a word share, with and without accents. `form`: see `Word.form`."""
        return german_stems.stem(form) if self.stemmer is None else _stem(self.stemmer, form)

    def stems(self, text: str) -> list[str]:
        """In the order of the text, one for each word."""
        return [self.stem(word.form) for word in self.words(text)]


GERMAN = Language("de")
LANGUAGES = (GERMAN, Language("fr", "french"), Language("it", "italian"))


def language_of(text: str) -> Language:
    """By the small words that every sentence has; German where they do not tell."""
    spoken = islice(words_in(text), _TELLING_WORDS)
    said = [bare(part) for word in spoken for part in _APOSTROPHE.split(word.text)]
    return max(LANGUAGES, key=lambda language: sum(word in language.silent for word in said))


@lru_cache(maxsize=_CACHED_FORMS)
def _stem(stemmer: str, form: str) -> str:
    found: str = _stemmer(stemmer).stemWord(form)
    return bare(found)[:_MAX_STEM_CHARS]


@lru_cache
def _stemmer(name: str) -> Stemmer:
    return Stemmer(name)
