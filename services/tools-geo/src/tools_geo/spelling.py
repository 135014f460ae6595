"""Keys that names of places and streets are compared by, and how many typos a street may have."""

import re
from collections.abc import Sequence

from german.spelling import forgiven_edits
from german.words import words

_SHORT_STREET = re.compile(r"(?<=[a-z])str$")
_MISTYPED_STREET = re.compile(r"(?<=[a-z])str+a*s{0,3}e{0,2}$")
_STREET_ENDINGS = ("strasse", "gasse", "platz", "weg")


def compact(parts: Sequence[str]) -> str:
    """Words as one key, so that `Jagd - Reviere` and `Jagdreviere` are equal."""
    return "".join(parts)


def place_words(text: str) -> tuple[str, ...]:
    """The words of a place name with its usual abbreviations written out and without the canton."""
    written_out = {"b": "bei", "sankt": "st"}
    parts = [written_out.get(word, word) for word in words(text)]
    if len(parts) > 1 and parts[-1] == "so":
        parts.pop()
    return tuple(parts)


def place_key(text: str) -> str:
    """`Balm b. Messen` and `balm bei messen`, `Büren SO` and `Bueren (SO)` have the same key."""
    return compact(place_words(text))


def street_key(parts: Sequence[str]) -> str:
    """`Röti Str.`, `Rötistr.` and `Röti-Strasse` have the key of `Rötistrasse`."""
    return _SHORT_STREET.sub("strasse", compact(parts))


def mended_street_key(key: str) -> str:
    """`roetistrase` -> `roetistrasse`: the most frequent typo must not use up what is forgiven."""
    return _MISTYPED_STREET.sub("strasse", key)


def street_forgiven_edits(key: str) -> int:
    """As `forgiven_edits`, but the ending that most streets share does not count as length."""
    for ending in _STREET_ENDINGS:
        if key.endswith(ending) and len(key) > len(ending):
            return max(1, forgiven_edits(len(key) - len(ending)))
    return forgiven_edits(len(key))
