"""Where sentences end: a dot after an abbreviation or an ordinal number ends none."""

import re
from collections.abc import Iterator

_ABBREVIATIONS = """
abs art b bst bzw ca d dr etc evtl exkl ff fr gb gbnr gst h inkl kap lit m max min mio mrd no nr parz prof
resp sog st str u ue usw vgl z ziff"""
ABBREVIATIONS = frozenset(_ABBREVIATIONS.split())
_TYPED = re.compile(r"[?!;\n]+|(?<!\.)\.++(?=\s|$)")
"""In a message a capital letter need not follow, nor a space."""
_WRITTEN = re.compile(r"(?<=[.!?])[»\"”)]*+\s++(?=[«\"„(]?[A-ZÄÖÜ0-9])")
_LAST_WORD = re.compile(r"(?<![^\W_])[^\W_]++$")
_MAX_ORDINAL_DIGITS = 2
_MAX_ABBREVIATION_CHARS = 20
"""So much of a word tells whether it is one."""


def sentences(text: str) -> Iterator[str]:
    """The sentences of a written text, with the signs at their ends."""
    begin = 0
    for end in _WRITTEN.finditer(text):
        if text[end.start() - 1] != "." or _is_end(text, end.start() - 1):
            yield text[begin : end.end()].strip()
            begin = end.end()
    if rest := text[begin:].strip():
        yield rest


def typed_ends(message: str) -> Iterator[tuple[int, int]]:
    """Where the signs stand that end a sentence of what somebody has typed: `[start, end)`."""
    for end in _TYPED.finditer(message):
        if end.group() != "." or end.end() == len(message) or _is_end(message, end.start()):
            yield end.span()


def _is_end(text: str, dot: int) -> bool:
    """Not the dots of `Art. 5`, `z. B.`, `am 31. Dezember`."""
    found = _LAST_WORD.search(text[max(0, dot - _MAX_ABBREVIATION_CHARS) : dot])
    word = found.group().casefold() if found else ""
    ordinal = word.isdigit() and len(word) <= _MAX_ORDINAL_DIGITS
    return not (ordinal or len(word) == 1 or word in ABBREVIATIONS or word.endswith("str"))
