"""A message as words that know where they stand."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from contracts.vocabulary import form_of
from german.fold import fold
from german.unicode import normalized

from planner.rules.reading.known import known

MAX_CHARS = 4_000
"""What is read of a message; the edge accepts no more."""
MAX_TOKENS = 1_000
"""So many words and signs of it; what people write in `MAX_CHARS` has 700 to 900."""

_SAME_WIDTH = str.maketrans(
    dict.fromkeys("’‘ʼ´`′", "'")
    | dict.fromkeys("“”„«»″‹›", '"')
    | dict.fromkeys("‐‑‒–—−", "-")
    | {"º": "°", "\0": " "}
    | dict.fromkeys("\xa0\u2007\u2009\u202f\t\r", " ")
)
_LAYER_ID = r"\b[cC][hH](?:\.[a-zA-Z][\w-]*){2,}"
_TOKEN = re.compile(rf"{_LAYER_ID}|[^\W_]+(?:['-][^\W_]+)*-?|\n|\S")


def clean(message: str) -> str:
    """The message in one spelling of quotes, dashes and spaces, at most `MAX_CHARS` and `MAX_TOKENS` long."""
    encodable = message[: 2 * MAX_CHARS].encode("utf-8", "ignore").decode()
    composed = normalized("NFKC", encodable.translate(_SAME_WIDTH))
    cleaned = composed.translate(_SAME_WIDTH).strip()[:MAX_CHARS].rstrip()
    beyond = islice(_TOKEN.finditer(cleaned), MAX_TOKENS, None) if len(cleaned) > MAX_TOKENS else iter(())
    first = next(beyond, None)
    return cleaned[: first.start()].rstrip() if first else cleaned


class Token(NamedTuple):
    """A word, or one other visible character, at `start:end` of the cleaned message."""

    text: str
    start: int
    end: int
    folded: str
    """Folded, without the hyphens and apostrophes inside a compound: `OEREB-Auszug` is `oerebauszug`.

    The dots of a layer id stay.
    """

    @property
    def is_word(self) -> bool:
        return self.folded != "" and self.text[0].isalnum()

    @property
    def is_number(self) -> bool:
        return self.folded.isascii() and self.folded.isdigit()


def tokens_of(cleaned: str) -> tuple[Token, ...]:
    """The words and signs of a cleaned message, in order; a number of a parcel is one word (`1234.01`)."""
    tokens = tuple(
        Token(m.group(), m.start(), m.end(), fold(m.group()).replace("'", "").replace("-", ""))
        for m in _TOKEN.finditer(cleaned)
    )
    forms = frozenset(form for form in known().parcel_forms if "." in form or "/" in form)
    return tuple(_with_numbers(cleaned, tokens, forms)) if forms else tokens


def _with_numbers(cleaned: str, tokens: Sequence[Token], forms: frozenset[str]) -> Iterator[Token]:
    """Words and dots or strokes without a space between them are one token if they have one of the forms."""
    i = 0
    while i < len(tokens):
        end = i + 1
        while end < len(tokens) and tokens[end].start == tokens[end - 1].end and _belongs(tokens[end]):
            end += 1
        while end > i + 1 and not tokens[end - 1].is_word:
            end -= 1
        written = cleaned[tokens[i].start : tokens[end - 1].end]
        if end > i + 1 and form_of(written) in forms:
            yield Token(written, tokens[i].start, tokens[end - 1].end, fold(written))
        else:
            yield from tokens[i:end]
        i = end


def _belongs(token: Token) -> bool:
    return token.is_word or token.text in "./"
