"""What strangers say, as plain text."""

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""Also what hides or reorders text."""
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\([^)\n]*\)")
_LINK = re.compile(r"\[([^\]\n]*)\]\(\s*([^)\s]*)[^)\n]*\)")
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*>")


def plain(said: str) -> str:
    """Without control characters, tags and pictures; of a link, where it leads can be seen."""
    read = _CONTROL.sub("", said.replace("\r\n", "\n").replace("\u2028", "\n"))
    while (stripped := _TAG.sub("", read)) != read:
        read = stripped
    return _LINK.sub(r"\1 (\2)", _IMAGE.sub(r"\1", read)).strip()


def line(said: str, max_chars: int) -> str:
    """The same on one line, cut at a word."""
    words = " ".join(plain(said).split())
    if len(words) <= max_chars:
        return words
    return words[: max_chars - 1].rpartition(" ")[0][: max_chars - 1] + "…"
