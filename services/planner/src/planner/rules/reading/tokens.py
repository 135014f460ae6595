"""A message as words that know where they stand."""

import re
from collections.abc import Container, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from contracts.vocabulary import form_of
from german.fold import fold
from german.unicode import normalized

from planner.rules.reading.known import known

MAX_CHARS = 4_000
"""What is read of a message; the edge accepts no more."""
MAX_TOKENS = 1_000
"""So many words and signs of it; what people write in `MAX_CHARS` has 700 to 900."""

GERMAN, DIALECT = "de", "gsw"

_SAME_WIDTH = str.maketrans(
    dict.fromkeys("’‘ʼ´`′", "'")
    | dict.fromkeys("“”„«»″‹›", '"')
    | dict.fromkeys("‐‑‒–—−", "-")
    | {"º": "°", "\0": " "}
    | dict.fromkeys("\xa0\u2007\u2009\u202f\t\r", " ")
)
_DASHED = re.compile(r"(?<![\w–—])([^\W\d_]+)[–—]([^\W\d_]+)(?![\w–—])")
_LAYER_ID = r"\b[cC][hH](?:\.[a-zA-Z][\w-]*){2,}"
_TOKEN = re.compile(rf"{_LAYER_ID}|[^\W_]+(?:['-][^\W_]+)*-?|\n|\S")
_ELIDED = re.compile(
    r"(?:l|d|j|s|n|c|m|t|z|qu|jusqu|lorsqu|puisqu|un|dell|all|dall|nell|sull|quell|quest|dov|cos|com|quant)'(?=[^\W\d_])",
    re.IGNORECASE,
)
_ENCLITIC = re.compile(
    r"(?:-(?:moi|toi|lui|nous|vous|leur|la|le|les|tu|t|je|il|elle|on|ce|que|ci|là|y))+$|'(?:s|m|d|ll|ve|re)$",
    re.IGNORECASE,
)
_PLEASE_FIRST = re.compile(r"(?:bitte\b[\s,]{0,9}){1,3}", re.IGNORECASE)
_PLEASE_LAST = re.compile(
    r"(?:[\s,]{1,9}(?:bitte|gerne?)|,\s{0,9}danke)(?P<sign>\s{0,9}[.!?]{0,9})$", re.IGNORECASE
)


def clean(message: str) -> str:
    """The message in one spelling of quotes, dashes and spaces, at most `MAX_CHARS` and `MAX_TOKENS` long."""
    encodable = message[: 2 * MAX_CHARS].encode("utf-8", "ignore").decode()
    apart = _DASHED.sub(_between_places, encodable)
    composed = normalized("NFKC", apart.translate(_SAME_WIDTH))
    cleaned = composed.translate(_SAME_WIDTH).strip()[:MAX_CHARS].rstrip()
    beyond = islice(_TOKEN.finditer(cleaned), MAX_TOKENS, None) if len(cleaned) > MAX_TOKENS else iter(())
    first = next(beyond, None)
    return cleaned[: first.start()].rstrip() if first else cleaned


def _between_places(dashed: re.Match[str]) -> str:
    """`Bellach–Selzach` are two places; other words are joined by a dash as by a hyphen."""
    names = known().place_names
    return " - ".join(dashed.groups()) if names.issuperset(map(fold, dashed.groups())) else dashed.group()


def without_courtesy(cleaned: str) -> str:
    """The message without `bitte` and the like around it, which change nothing, if that is not all."""
    first = _PLEASE_FIRST.match(cleaned)
    rest = cleaned[first.end() :] if first else cleaned
    last = _PLEASE_LAST.search(rest)
    bare = rest[: last.start()] + last["sign"] if last else rest
    return bare if any(c.isalnum() for c in bare) else cleaned


class Token(NamedTuple):
    """A word, or one other visible character, at `start:end` of the cleaned message."""

    text: str
    start: int
    end: int
    folded: str
    """Folded, without the hyphens and apostrophes inside a compound: `OEREB-Auszug` is `oerebauszug`.

    The dots of a layer id stay. A word of another language is read as the German one that it stands for.
    """
    language: str = GERMAN
    """What it was said in."""
    is_noun: bool = False
    """Or a part of a name."""

    @property
    def is_word(self) -> bool:
        return self.folded != "" and self.text[0].isalnum()

    @property
    def said(self) -> str:
        """Folded in its own language."""
        return fold(self.text)

    @property
    def is_number(self) -> bool:
        return self.folded.isascii() and self.folded.isdigit()


NOTHING: Final = Token("", -1, -1, "")


def is_alone(tokens: Sequence[Token]) -> bool:
    """Whether there is a single word among them."""
    return len(list(islice((token for token in tokens if token.is_word), 2))) == 1


def token_at(tokens: Sequence[Token], i: int) -> Token:
    """The token at `i`, and nothing before the first and after the last."""
    return tokens[i] if 0 <= i < len(tokens) else NOTHING


def after(tokens: Sequence[Token], i: int, words: Container[str]) -> int:
    """The index after all of some folded words and signs that follow each other at `i`."""
    while token_at(tokens, i).folded in words:
        i += 1
    return i


def tokens_of(cleaned: str) -> tuple[Token, ...]:
    """The words and signs of a cleaned message, in order; a number of a parcel is one word (`1234.01`)."""
    tokens = tuple(token for m in _TOKEN.finditer(cleaned) for token in _tokens(m.group(), m.start()))
    forms = frozenset(form for form in known().parcel_forms if "." in form or "/" in form)
    return tuple(_with_numbers(cleaned, tokens, forms)) if forms else tokens


def _tokens(written: str, start: int) -> Sequence[Token]:
    """A word, and those that French, Italian and English write as one with it: `l'extrait`, `montre-moi`."""
    if "'" not in written and "-" not in written:
        return (Token(written, start, start + len(written), fold(written)),)
    tokens: list[Token] = []
    at = 0
    while elided := _ELIDED.match(written, at):
        tokens.append(_token(written[at : elided.end() - 1], start + at, start + elided.end()))
        at = elided.end()
    enclitic = _ENCLITIC.search(written, at + 1)
    end = enclitic.start() if enclitic else len(written)
    tokens.append(_token(written[at:end], start + at, start + end))
    parts = re.finditer(r"[^\W_]+", written[end:])
    tokens += [_token(m.group(), start + end + m.start(), start + end + m.end()) for m in parts]
    return tokens


def _token(written: str, start: int, end: int) -> Token:
    return Token(written, start, end, fold(written).replace("'", "").replace("-", ""))


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
