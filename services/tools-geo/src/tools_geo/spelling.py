"""How names are compared: one spelling for all ways to write a word, and how many typos are forgiven."""

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA
from servicekit.unicode import normalized

_TRANSCRIPTIONS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "æ": "ae", "œ": "oe", "ø": "oe"})
_WORD = re.compile(r"[a-z0-9]+")
_SHORT_STREET = re.compile(r"(?<=[a-z])str$")
_MISTYPED_STREET = re.compile(r"(?<=[a-z])str+a*s{0,3}e{0,2}$")
_STREET_ENDINGS = ("strasse", "gasse", "platz", "weg")


def fold(text: str) -> str:
    """Lower case without umlauts, accents and sharp s: `Rötistraße` and `ROETISTRASSE` become one."""
    # casefold turns a sharp s into "ss"; composing first keeps "u" + combining dots an umlaut.
    plain = normalized("NFC", text).casefold().translate(_TRANSCRIPTIONS)
    return "".join(c for c in normalized("NFKD", plain) if not unicodedata.combining(c))


def words(text: str) -> tuple[str, ...]:
    """The folded words of a text; everything that is no letter or digit separates."""
    return tuple(_WORD.findall(fold(text)))


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


def forgiven_edits(length: int) -> int:
    """Typos that a name of this length may have: short names differ too easily from one another."""
    if length <= 3:
        return 0
    if length <= 7:
        return 1
    return 2 if length <= 13 else 3


def street_forgiven_edits(key: str) -> int:
    """As `forgiven_edits`, but the ending that most streets share does not count as length."""
    for ending in _STREET_ENDINGS:
        if key.endswith(ending) and len(key) > len(ending):
            return max(1, forgiven_edits(len(key) - len(ending)))
    return forgiven_edits(len(key))


def closest(
    key: str, vocabulary: Sequence[str], *, forgiven: Sequence[int] | None = None
) -> tuple[tuple[str, int], ...]:
    """The entries of a vocabulary with the fewest edits (swapped letters count as one), and that number.

    `forgiven` holds the limit for each entry; without it the length of the shorter word decides.
    Empty when nothing is close enough.
    """
    found = process.extract(key, vocabulary, scorer=OSA.distance, score_cutoff=3, limit=12)
    allowed = []
    for entry, edits, position in found:
        own = forgiven[position] if forgiven else forgiven_edits(len(entry))
        if edits <= min(own, forgiven_edits(len(key))):
            allowed.append((entry, int(edits)))
    fewest = min((edits for _, edits in allowed), default=0)
    return tuple((entry, edits) for entry, edits in allowed if edits == fewest)
