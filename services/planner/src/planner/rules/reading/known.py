"""What is known while a message is read: the names that the sources have, and the language spoken so far."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from contracts.vocabulary import Vocabulary
from german.fold import fold


class Known:
    """A vocabulary that what is made of it can be remembered with: equal only to itself."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.postal_codes = frozenset(vocabulary.postal_codes)
        self.parcel_forms = frozenset(vocabulary.parcel_numbers)
        self.place_names = frozenset(fold(place.name) for place in vocabulary.places)


_NOTHING = Known(Vocabulary())
_known: ContextVar[Known] = ContextVar("known", default=_NOTHING)
_last = _NOTHING


def known() -> Known:
    """Of the message that is being read; nothing where nobody has said so."""
    return _known.get()


@contextmanager
def knowing(vocabulary: Vocabulary) -> Iterator[None]:
    """Messages are read with these names. The same value as the last time costs nothing."""
    global _last
    if _last.vocabulary is not vocabulary:
        _last = Known(vocabulary)
    token = _known.set(_last)
    try:
        yield
    finally:
        _known.reset(token)


_expected: ContextVar[str] = ContextVar("expected", default="de")


def expected() -> str:
    """The language that the conversation is in."""
    return _expected.get()


@contextmanager
def expecting(language: str) -> Iterator[None]:
    """What could be in several languages, is read in this one."""
    token = _expected.set(language)
    try:
        yield
    finally:
        _expected.reset(token)
