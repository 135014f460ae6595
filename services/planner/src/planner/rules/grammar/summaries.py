"""`Fasse zusammen, was du gefunden hast`: the wish, at the end of others, to be told what came of them."""

import re
from typing import Final

from planner.rules.reading.tables import table
from planner.rules.reading.tokens import clean

_WORDS: Final = table("documents.toml")["summaries"]
_MAX_CHARS = 160
"""Nobody needs more to say it."""
_GAP, _BLANK = r"\s{0,3}", r"\s{1,3}"
_JOINTS = rf"(?:{_GAP}[,.;!?]{_GAP}|{_BLANK})(?:(?:{'|'.join(_WORDS['joints'].split())}){_BLANK})*"


def _any_of(words: str) -> str:
    return rf"\b(?:{'|'.join(words.split())})\b"


_DONE = rf"was{_BLANK}du\b[^.?!;]{{0,40}}?{_any_of(_WORDS['done'])}(?:{_BLANK}hast)?"
_RESULTS = rf"[^.?!;,]{{0,30}}?{_any_of(_WORDS['results'])}"
_AT_END = re.compile(
    rf"{_JOINTS}(?:"
    rf"{_any_of(_WORDS['sum'])}(?:{_BLANK}\w+){{0,3}}?{_GAP}(?:,{_GAP})?"
    rf"(?:zusammen{_GAP},?{_GAP}{_DONE}|{_DONE}{_GAP}zusammen"
    rf"|{_RESULTS}{_BLANK}zusammen|zusammen)"
    rf"|{_any_of(_WORDS['give'])}(?:{_BLANK}\w+){{0,3}}?{_BLANK}{_any_of(_WORDS['summary'])}"
    rf"|{_any_of(_WORDS['tell'])}(?:{_BLANK}\w+){{0,4}}?{_GAP}(?:,{_GAP}{_DONE}|{_RESULTS})"
    r")[.!?\s]*+$",
    re.IGNORECASE,
)


def without_summary(message: str) -> str | None:
    """The message without such a wish at its end; None if it has none, or nothing before it."""
    cleaned = clean(message)
    found = _AT_END.search(cleaned, max(0, len(cleaned) - _MAX_CHARS))
    if found is None or not any(c.isalnum() for c in cleaned[: found.start()]):
        return None
    return cleaned[: found.start()]
