"""A message as words with their roles, references and signs."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from contracts.languages import DEFAULT_LANGUAGE, language_of
from german.dates import MONTHS
from german.fold import fold
from german.sentences import ABBREVIATIONS

from planner.rules.reading.known import Known, known
from planner.rules.reading.lexicon import PHRASES, Role, layer_stem, role_of
from planner.rules.reading.tokens import GERMAN, Token, clean, tokens_of
from planner.rules.reading.tongues import Reading, read
from planner.rules.references.finding import Reference, find_references
from planner.rules.references.found import Found, outside
from planner.rules.references.layers import find_titles
from planner.rules.references.links import without_links
from planner.rules.references.places import Place

_INTRODUCTIONS = ("ich ", "mein name")
_MAX_NAMES = 2
_QUOTED = re.compile(r'"([^"\n]{1,120})"')
_BEFORE_WISH = frozenset({Role.FILLER, Role.AND, Role.THEN})
_NAMELESS = frozenset({Role.LAYER, Role.FUNCTION, Role.FILLER})
_LONGEST_PHRASE = max(map(len, PHRASES))
_BEGIN_PHRASES = frozenset(phrase[0] for phrase in PHRASES)
_REMEMBERED = 128
"""Several rules read the same sentence, and the same sentences of a history."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or several that mean something together. `stem` is what a compound like `Waldkarte` names."""

    text: str
    folded: str
    role: Role | None
    stem: str | None = None
    language: str = GERMAN

    @property
    def is_content(self) -> bool:
        return self.role is None or self.stem is not None

    def says_something(self, more: Collection[Role]) -> bool:
        """Whether it is content, or has one of the roles that count as content, too."""
        return self.is_content or self.role in more

    @property
    def is_capitalised(self) -> bool:
        return self.text[:1].isupper()


@dataclass(frozen=True, slots=True)
class Mention:
    """A reference as it stands in the message."""

    what: Reference
    text: str


@dataclass(frozen=True, slots=True)
class Sign:
    text: str


@dataclass(frozen=True, slots=True)
class Spared:
    """What an exception to everything holds for."""

    names: tuple[str, ...]
    text: str


Part = Word | Mention | Sign | Spared


def parts_of(message: str) -> tuple[Part, ...]:
    """Words with their roles, mentions and signs, in order."""
    return parts_with(message, known())


def answer_language(message: str, wanted: str) -> str:
    """What to answer in: the language that is wanted, or if that is the default that of the message."""
    if language_of(wanted) not in {None, DEFAULT_LANGUAGE}:
        return wanted
    return _reading_of(_said(message), known()).language or wanted


def _said(message: str) -> str:
    return without_links(clean(message))


@lru_cache(maxsize=_REMEMBERED)
def _reading_of(cleaned: str, source: Known) -> Reading:
    return read(tokens_of(cleaned))


@lru_cache(maxsize=_REMEMBERED)
def parts_with(message: str, source: Known) -> tuple[Part, ...]:
    cleaned = _said(message)
    tokens = _reading_of(cleaned, source).tokens
    titles = [*find_titles(tokens)]
    spans: list[Found[Reference | None]] = [*titles, *outside(titles, find_references(cleaned, tokens))]
    quoted = (m for m in _QUOTED.finditer(cleaned) if " " in m[1].strip())
    spans += outside(spans, [Found(None, m.start(), m.end()) for m in quoted])
    spans.sort(key=lambda s: s.start)
    parts: list[Part] = []
    fresh, names, i, s = True, 0, 0, 0
    while i < len(tokens):
        while s < len(spans) and spans[s].end <= tokens[i].start:
            s += 1
        span = spans[s] if s < len(spans) and spans[s].start <= tokens[i].start else None
        if span:
            written = cleaned[span.start : span.end].strip()
            name = written.strip('"')
            parts.append(Mention(span.what, written) if span.what else Word(name, fold(name), None))
            while i < len(tokens) and tokens[i].start < span.end:
                i += 1
            fresh = False
            continue
        part, i = _part_at(tokens, i, fresh)
        if part:
            part = _as_name(part) if names else part
            names = _MAX_NAMES if _introduces(part) else names and names - 1
            parts.append(part)
            fresh = isinstance(part, Sign) or part.role in _BEFORE_WISH
    return tuple(_without_mere_regions(parts))


def _introduces(part: Part) -> bool:
    """`ich heisse`, and the name after it."""
    return isinstance(part, Word) and part.role is Role.GREETING and part.folded.startswith(_INTRODUCTIONS)


def _as_name(part: Word | Sign) -> Word | Sign:
    """What somebody is called is nothing to look for."""
    named = isinstance(part, Word) and part.role is None and part.is_capitalised
    return replace(part, role=Role.GREETING) if named and isinstance(part, Word) else part


def _without_mere_regions(parts: list[Part]) -> list[Part]:
    """`Grenchen im Kanton Solothurn` is Grenchen: beside another place the region around it says nothing."""

    def is_region(part: Part) -> bool:
        return isinstance(part, Mention) and isinstance(part.what, Place) and part.what.kind == "region"

    if not any(isinstance(part, Mention) and not is_region(part) for part in parts):
        return parts
    return [
        Word(part.text, fold(part.text), Role.FILLER)
        if isinstance(part, Mention) and is_region(part)
        else part
        for part in parts
    ]


def _part_at(tokens: Sequence[Token], i: int, fresh: bool) -> tuple[Word | Sign | None, int]:
    """The part that starts at token `i` (None for a dot that ends no sentence), and the next token."""
    token = tokens[i]
    if not token.is_word:
        sign = "und" if token.text in "&+" else token.text
        if sign == "und":
            return Word(sign, sign, Role.AND), i + 1
        return (None if token.text == "." and _dot_of_word(tokens, i) else Sign(sign)), i + 1
    if token.folded in _BEGIN_PHRASES:
        ahead = [n for n in range(i, min(len(tokens), i + 2 * _LONGEST_PHRASE)) if tokens[n].text != "."]
        for length in range(min(_LONGEST_PHRASE, len(ahead)), 1, -1):
            span = ahead[:length]
            role = PHRASES.get(tuple(tokens[n].folded for n in span))
            if role:
                text = " ".join(tokens[n].text for n in span)
                folded = " ".join(tokens[n].folded for n in span)
                return Word(text, folded, role, language=token.language), span[-1] + 1
    followed = i + 1 < len(tokens) and tokens[i + 1].is_word
    role = role_of(token.folded, starts_clause=fresh and followed)
    stem = layer_stem(token.text) if role is Role.LAYER else None
    return Word(token.text, token.folded, role, _unless_layer_word(stem), token.language), i + 1


def _unless_layer_word(stem: str | None) -> str | None:
    """Compounds of two words for layer (`Kartenebene`) name none."""
    return None if stem and role_of(fold(stem)) in _NAMELESS else stem


def _dot_of_word(tokens: Sequence[Token], i: int) -> bool:
    if i == 0 or i + 1 == len(tokens):
        return False
    before, after = tokens[i - 1], tokens[i + 1]
    inside_number = before.is_number and after.is_number and after.start == tokens[i].end
    in_date = before.is_number and after.folded in MONTHS
    return inside_number or in_date or before.folded in ABBREVIATIONS or before.folded.endswith("str")
