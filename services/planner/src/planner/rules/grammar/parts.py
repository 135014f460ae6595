"""A message as words with their roles, references and signs."""

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from german.dates import MONTHS
from german.fold import fold
from german.sentences import ABBREVIATIONS

from planner.rules.reading.lexicon import ACTIONS, PHRASES, Role, layer_stem, role_of
from planner.rules.reading.tokens import GERMAN, NOTHING, Token, token_at
from planner.rules.reading.tongues import FOREIGN
from planner.rules.references.finding import Reference, find_references
from planner.rules.references.found import Found, outside
from planner.rules.references.layers import find_foreign_titles, find_titles, theme_called
from planner.rules.references.places import Place

_INTRODUCTIONS = ("ich ", "mein name")
_MAX_NAMES = 2
_QUOTED = re.compile(r'"([^"\n]{1,120})"')
_BEFORE_WISH = frozenset({Role.FILLER, Role.AND, Role.THEN})
_ACTS = ACTIONS - {Role.FIND, Role.CHANGE}
_DETERMINER = re.compile(r"der|die|de[nm]|im|(?:k?ein|mein|unser|dies|jed)(?:e[nmr]?)?")
"""Not `das`, `zum`, `beim`: `das Laden des Layers` is what is to be done."""
_NAMELESS = frozenset({Role.LAYER, Role.FUNCTION, Role.FILLER})
_LONGEST_PHRASE = max(map(len, PHRASES))
_BEGIN_PHRASES = frozenset(phrase[0] for phrase in PHRASES)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message; only words have a role."""

    text: str
    folded: str = ""
    role: Role | None = None
    start: int = field(default=0, compare=False, kw_only=True)
    """Where it stands in the message."""

    @property
    def is_content(self) -> bool:
        return False

    def says_something(self, more: Collection[Role]) -> bool:
        """Whether it is content, or has one of the roles that count as content, too."""
        return self.is_content or self.role in more


@dataclass(frozen=True, slots=True)
class Word(Part):
    """A word, or several that mean something together. `stem` is what a compound like `Waldkarte` names."""

    stem: str | None = None
    language: str = GERMAN
    is_noun: bool = False

    @property
    def is_content(self) -> bool:
        return self.role is None or self.stem is not None


@dataclass(frozen=True, slots=True)
class Mention(Part):
    """A reference as it stands in the message."""

    what: Reference = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class Sign(Part):
    """A visible character that is no word."""


@dataclass(frozen=True, slots=True)
class Spared(Part):
    """What an exception to everything holds for."""

    names: tuple[str, ...] = ()


def parts_of(text: str, tokens: Sequence[Token]) -> tuple[Part, ...]:
    """Words with their roles, mentions and signs, in order."""
    spans = deque(_spans(text, tokens))
    parts: list[Part] = []
    i = 0
    while i < len(tokens):
        while spans and spans[0].end <= tokens[i].start:
            spans.popleft()
        if spans and spans[0].start <= tokens[i].start:
            parts.append(_whole(spans[0], text, tokens[i].language))
            while token_at(tokens, i).start < spans[0].end and i < len(tokens):
                i += 1
            continue
        fresh = not parts or isinstance(parts[-1], Sign) or parts[-1].role in _BEFORE_WISH
        part, i = _part_at(tokens, i, fresh)
        parts += [part] if part else []
    return tuple(_without_mere_regions(list(_without_own_name(parts))))


def _spans(text: str, tokens: Sequence[Token]) -> list[Found[Reference | None]]:
    """What is one part although it has several words: references, and what stands in quotes."""
    titles = [*find_titles(tokens)]
    spans: list[Found[Reference | None]] = [*titles, *outside(titles, find_references(text, tokens))]
    spans += outside(spans, find_foreign_titles(tokens))
    quoted = (m for m in _QUOTED.finditer(text) if " " in m[1].strip())
    spans += outside(spans, [Found(None, m.start(), m.end()) for m in quoted])
    return sorted(spans, key=lambda span: span.start)


def _whole(span: Found[Reference | None], text: str, language: str) -> Part:
    written = text[span.start : span.end].strip()
    name = written.strip('"')
    if span.what:
        return Mention(written, what=span.what, start=span.start)
    folded = (theme_called(name) if language in FOREIGN else None) or fold(name)
    return Word(name, folded, language=language, is_noun=True, start=span.start)


def _without_own_name(parts: Iterable[Part]) -> Iterator[Part]:
    """`ich heisse Anna Muster`: what somebody is called is nothing to look for."""
    names = 0
    for part in parts:
        named = names and isinstance(part, Word) and part.role is None and part.is_noun
        yield replace(part, role=Role.GREETING) if named else part
        introduces = part.role is Role.GREETING and part.folded.startswith(_INTRODUCTIONS)
        names = _MAX_NAMES if introduces else names - bool(names)


def _without_mere_regions(parts: list[Part]) -> list[Part]:
    """`Grenchen im Kanton Solothurn` is Grenchen: beside another place the region around it says nothing."""
    mentions = [part for part in parts if isinstance(part, Mention)]
    regions = [m for m in mentions if isinstance(m.what, Place) and m.what.kind == "region"]
    if len(regions) == len(mentions):
        return parts
    return [Word(p.text, fold(p.text), Role.FILLER, start=p.start) if p in regions else p for p in parts]


def _part_at(tokens: Sequence[Token], i: int, fresh: bool) -> tuple[Part | None, int]:
    """The part that starts at token `i` (None for a dot that ends no sentence), and the next token."""
    token = tokens[i]
    if token.text in "&+":
        return Word("und", "und", Role.AND, start=token.start), i + 1
    if not token.is_word:
        is_inside = token.text == "." and _dot_of_word(tokens, i)
        return (None if is_inside else Sign(token.text, start=token.start)), i + 1
    if found := _phrase_at(tokens, i):
        return found
    role = role_of(token.folded, starts_clause=fresh and token_at(tokens, i + 1).is_word)
    is_noun = token.is_noun
    if role in _ACTS and _is_named(tokens, i):
        role, is_noun = None, True
    stem = layer_stem(token.text) if role is Role.LAYER else None
    stem = _unless_layer_word(stem)
    word = Word(token.text, token.folded, role, stem, token.language, is_noun, start=token.start)
    return word, i + 1


def _is_named(tokens: Sequence[Token], i: int) -> bool:
    """`der Laden`, `die Räume`, `ein Weg`: things that are written like what is to be done."""
    written, before = tokens[i].text, token_at(tokens, i - 1)
    is_noun = written.istitle() and tokens[i].language == GERMAN
    return is_noun and bool(_DETERMINER.fullmatch(before.text))


def _phrase_at(tokens: Sequence[Token], i: int) -> tuple[Word, int] | None:
    """The longest words that mean something together."""
    if tokens[i].folded not in _BEGIN_PHRASES:
        return None
    ahead = [n for n in range(i, min(len(tokens), i + 2 * _LONGEST_PHRASE)) if tokens[n].text != "."]
    for length in range(min(_LONGEST_PHRASE, len(ahead)), 1, -1):
        span = [tokens[n] for n in ahead[:length]]
        if role := PHRASES.get(tuple(token.folded for token in span)):
            text, folded = " ".join(t.text for t in span), " ".join(t.folded for t in span)
            word = Word(text, folded, role, language=span[0].language, start=span[0].start)
            return word, ahead[length - 1] + 1
    return None


def _unless_layer_word(stem: str | None) -> str | None:
    """Compounds of two words for layer (`Kartenebene`) name none."""
    return None if stem and role_of(fold(stem)) in _NAMELESS else stem


def _dot_of_word(tokens: Sequence[Token], i: int) -> bool:
    before, after = token_at(tokens, i - 1), token_at(tokens, i + 1)
    if NOTHING in (before, after):
        return False
    inside_number = before.is_number and after.text[0].isdigit() and after.start == tokens[i].end
    in_date = before.is_number and after.folded in MONTHS
    return inside_number or in_date or before.folded in ABBREVIATIONS or before.folded.endswith("str")
