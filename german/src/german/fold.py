"""One spelling for all ways to write a word."""

import re
import unicodedata

from german.unicode import normalized

_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "æ": "ae", "œ": "oe", "ø": "oe"})
_VOWELS = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "æ": "ae", "œ": "oe", "ø": "o"})
# "ue" in Neuenburg, Bauer and Quelle is no umlaut. Elsewhere (aktuell) it is taken for one too, always alike.
_WRITTEN_OUT = re.compile(r"([ao])e|(?<![aeq])(u)e")

_UMLAUTS = {"ae": "ä", "oe": "ö", "ue": "ü"}


def fold(text: str) -> str:
    """Lower case, umlauts as ae/oe/ue, ß as ss, no other accents: `Rötistraße` is `roetistrasse`."""
    if text.isascii():
        return text.lower()
    # Composing first keeps "u" + combining dots an umlaut.
    return _unaccented(normalized("NFC", text).casefold().translate(_SPELLED_OUT))


def bare(text: str) -> str:
    """Lower case without umlauts, accents and sharp s; `ae`, `oe` and `ue` count as umlauts.

    `Zürich`, `ZÜRICH` and `Zuerich` become one: `zurich`.
    """
    plain = _unaccented(normalized("NFKC", text).casefold().translate(_VOWELS))
    return _WRITTEN_OUT.sub(lambda found: found.group(1) or found.group(2), plain)


def umlauted(text: str) -> str:
    """Lower case with umlauts, no other accents: `Zuerich` and `ZÜRICH` become `zürich`.

    It makes one where there is none, too (`michäl`), but always alike.
    """
    return _WRITTEN_OUT.sub(lambda found: _UMLAUTS[found.group()], fold(text))


def _unaccented(text: str) -> str:
    if text.isascii():
        return text
    return "".join(c for c in normalized("NFKD", text) if not unicodedata.combining(c))
