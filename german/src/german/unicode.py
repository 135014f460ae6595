"""Unicode normalisation of text that strangers write."""

import re
import unicodedata
from functools import lru_cache
from itertools import chain
from typing import Literal

MAX_MARKS = 16
"""Combining marks in a row that are kept; no script has more than a few on one letter."""
_BASIC, _RARE = range(0x300, 0x10000), range(0x10100, 0x1F000)
"""Where Unicode 16 has characters that combine with the one before."""
_BECOME_MARKS = "\u0f73\u0f75\u0f81\uff9e\uff9f"
"""Combining marks as soon as they are normalised."""
_IS_RARE = re.compile("[\U00010000-\U0010ffff]")


def normalized(form: Literal["NFC", "NFKC", "NFD", "NFKD"], text: str) -> str:
    """The text in a normal form of Unicode, in time that grows with its length alone.

    Normalisation brings the marks of a letter into order by insertion: of thousands on one letter that takes
    minutes. What is more than `MAX_MARKS` in a row is left out.
    """
    if text.isascii():
        return text
    too_many = _too_many_marks(rare=_IS_RARE.search(text) is not None)
    return unicodedata.normalize(form, too_many.sub(lambda found: found.group()[:MAX_MARKS], text))


@lru_cache(maxsize=2)
def _too_many_marks(*, rare: bool) -> re.Pattern[str]:
    """To look for marks outside of the basic plane is slower by far."""
    codes = chain(_BASIC, _RARE if rare else ())
    marks = "".join(char for char in map(chr, codes) if unicodedata.combining(char))
    mark = f"[{marks}{_BECOME_MARKS}]"
    # Written so that the search for a beginning is for a single character.
    return re.compile(f"{mark}{mark}{{{MAX_MARKS - 1}}}{mark}+")
