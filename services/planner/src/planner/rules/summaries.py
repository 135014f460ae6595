"""`Fasse zusammen, was du gefunden hast`: the wish, at the end of others, to be told what came of them."""

import re
from typing import Final

from planner.rules.normalise import clean
from planner.rules.tables import table

_WORDS: Final = table("documents.toml")["summaries"]
_MAX_CHARS = 160
"""Nobody needs more to say it."""
_JOINTS = rf"(?:\s{{0,3}}[,.;!?]\s{{0,3}}|\s{{1,3}})(?:(?:{'|'.join(_WORDS['joints'].split())})\s{{1,3}})*"


def _any_of(words: str) -> str:
    return rf"\b(?:{'|'.join(words.split())})\b"


_DONE = rf"was\s{{1,3}}du\b[^.?!;]{{0,40}}?{_any_of(_WORDS['done'])}(?:\s{{1,3}}hast)?"
_RESULTS = rf"[^.?!;,]{{0,30}}?{_any_of(_WORDS['results'])}"
_AT_END = re.compile(
    rf"{_JOINTS}(?:"
    rf"{_any_of(_WORDS['sum'])}(?:\s{{1,3}}\w+){{0,3}}?\s{{0,3}}(?:,\s{{0,3}})?(?:zusammen\s{{0,3}},?\s{{0,3}}{_DONE}|{_DONE}\s{{0,3}}zusammen"
    rf"|{_RESULTS}\s{{1,3}}zusammen|zusammen)"
    rf"|{_any_of(_WORDS['give'])}(?:\s{{1,3}}\w+){{0,3}}?\s{{1,3}}{_any_of(_WORDS['summary'])}"
    rf"|{_any_of(_WORDS['tell'])}(?:\s{{1,3}}\w+){{0,4}}?\s{{0,3}}(?:,\s{{0,3}}{_DONE}|{_RESULTS})"
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
