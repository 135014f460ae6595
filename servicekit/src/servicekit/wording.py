"""What a service says to its users: one catalogue a package, in every language.

The catalogue is `texts.toml` beside the code: one table a sentence, one line a language, with the values that
are filled in between braces.

    [no_address]
    de = "Keine Adresse gefunden: «{q}»."
    fr = "Aucune adresse trouvée : «{q}»."
"""

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from importlib.resources import files
from typing import Protocol

from contracts.languages import DEFAULT_LANGUAGE

_WRITTEN = {
    "de": 'German in Swiss spelling ("ss", never "\u00df"), with the informal "du"',
    "fr": 'French as it is written in Switzerland, with the informal "tu"',
    "it": 'Italian as it is written in Switzerland, with the informal "tu"',
    "en": "English",
}

_language: ContextVar[str] = ContextVar("language", default=DEFAULT_LANGUAGE)


@contextmanager
def answering_in(language: str) -> Iterator[None]:
    """What is said inside without naming a language is said in this one; set around a tool call."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def language() -> str:
    """In which language is answered; German when nobody has said."""
    return _language.get()


def written(language: str) -> str:
    """How a language model is told in which language to write."""
    return _WRITTEN.get(language) or _WRITTEN[DEFAULT_LANGUAGE]


class Say(Protocol):
    """A catalogue in one language."""

    def __call__(self, key: str, /, **values: object) -> str: ...


class Texts:
    """The catalogue of a package; read when its first sentence is said."""

    def __init__(self, package: str) -> None:
        self._package = package

    @cached_property
    def sentences(self) -> dict[str, dict[str, str]]:
        """By key and language, as they are written."""
        source = files(self._package).joinpath("texts.toml")
        return tomllib.loads(source.read_text("utf-8"))

    def __call__(self, key: str, language: str = "", /, **values: object) -> str:
        """The sentence in a language, by default that of the answer; German when there is none.

        Raises `KeyError` for an unknown key or a missing value.
        """
        return self.written(key, language).format(**values)

    def written(self, key: str, language: str = "") -> str:
        """The sentence as the catalogue has it, before anything is filled in. Raises `KeyError`."""
        by_language = self.sentences[key]
        return by_language.get(language or _language.get()) or by_language[DEFAULT_LANGUAGE]

    def knows(self, key: str) -> bool:
        """Whether there is a sentence for a key that is made up of parts."""
        return key in self.sentences

    def speaking(self, language: str) -> Say:
        """The catalogue in one language."""

        def say(key: str, /, **values: object) -> str:
            return self(key, language, **values)

        return say
