"""What restricts the documents that are looked for: dates, the sort of document, and who has issued it.

In a wish for documents (`Botschaften des Regierungsrats seit 2022 zu …`) every such word does. In a question
about a matter (`Wie viele Ölheizungen wurden 2023 ersetzt?`) a date belongs to the matter, unless the words
say otherwise (`… der 2024 erschienen ist`).
"""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final, Literal

from planner.rules.reading.lexicon import Role, known_role
from planner.rules.reading.tables import table
from planner.rules.reading.tokens import Token, tokens_of

_TABLE: Final = table("documents.toml")
_TYPES: Final = {word: name for name, words in _TABLE["types"].items() for word in words.split()}
_BODIES: Final = {word: name for name, words in _TABLE["bodies"].items() for word in words.split()}
_PROPOSALS: Final = frozenset(_TABLE["proposals"]["words"].split())
_ISSUED_BY: Final = frozenset(_TABLE["joints"]["issued_by"].split())
_STANDS_IN: Final = frozenset(_TABLE["joints"]["stands_in"].split())
_ARTICLES: Final = frozenset(_TABLE["joints"]["articles"].split())
_MONTHS: Final = {name: n for n, name in enumerate(_TABLE["dates"]["months"].split(), start=1)}
_FILLERS: Final = frozenset(_TABLE["dates"]["fillers"].split())
_WITHIN: Final = frozenset(_TABLE["dates"]["within"].split())
_ACTS: Final = frozenset(_TABLE["dates"]["acts"].split())
_OFFICE: Final = frozenset({"amt", "amts", "amtes"})
_FIRST_YEAR, _LAST_YEAR = 1900, 2099
_DAY = timedelta(days=1)

How = Literal["since", "from", "after", "before", "until", "between", "within"]
_PREPOSITIONS: dict[str, How] = {
    "seit": "since",
    "ab": "from",
    "nach": "after",
    "vor": "before",
    "bis": "until",
}


@dataclass(frozen=True)
class Restricted:
    """Arguments of `documents.retrieve` (`from`, `to` as ISO dates, `type`, `body`), and the other words."""

    filters: dict[str, str] = field(default_factory=dict)
    rest: str = ""


@dataclass(frozen=True, slots=True)
class _Span:
    """First and last day of a date, and its tokens `start:end`."""

    first: date
    last: date
    start: int
    end: int
    how: How = "within"


def restrictions_of_wish(text: str) -> Restricted:
    """All that restricts a wish for documents; the rest is what they are to be about."""
    tokens = tokens_of(text)
    filters: dict[str, str] = {}
    taken: set[int] = set()
    for span in _dates(tokens):
        filters |= _limits(span)
        taken.update(range(span.start, span.end))
    documents = [t.folded for t in tokens if known_role(t.folded) is Role.DOCUMENT]
    types = {_TYPES.get(word, "") for word in documents}
    if len(types) == 1 and (only := types.pop()):
        filters["type"] = only
    issuer = _issuer(tokens)
    if issuer:
        filters["body"], used = issuer
        taken.update(used)
    return Restricted(filters, _without(text, tokens, taken))


def restrictions_of_question(text: str) -> Restricted:
    """What certainly restricts the documents that can answer a question; the question stays as it is."""
    tokens = tokens_of(text)
    published = any(t.folded in _ACTS for t in tokens)
    filters: dict[str, str] = {}
    for span in _dates(tokens):
        if span.how == "since" or published:
            filters |= _limits(span)
    source = next((n for n, t in enumerate(tokens) if t.folded in _TYPES and _is_source(tokens, n)), None)
    if source is not None:
        filters["type"] = _TYPES[tokens[source].folded]
        issuer = _issuer(tokens)
        if issuer:
            filters["body"] = issuer[0]
    return Restricted(filters, text)


def years_in(text: str) -> tuple[int, ...]:
    """The years that a text names, in its order."""
    return tuple(int(t.text) for t in tokens_of(text) if _is_year(t))


def _is_source(tokens: Sequence[Token], at: int) -> bool:
    """`laut Merkblatt`, `im letzten Jahresbericht`"""
    before = at - 1
    while before > 0 and at - before <= 2 and tokens[before].folded in _ARTICLES - _STANDS_IN:
        before -= 1
    return before >= 0 and tokens[before].folded in _STANDS_IN


def _issuer(tokens: Sequence[Token]) -> tuple[str, range] | None:
    """`Botschaften des Regierungsrats`: the name, and the tokens that say it."""
    for n, token in enumerate(tokens[:-1]):
        if known_role(token.folded) is not Role.DOCUMENT or token.folded in _PROPOSALS:
            continue
        start = at = n + 1
        while at < len(tokens) and at - start < 2 and tokens[at].folded in _ISSUED_BY:
            at += 1
        if at == start or at == len(tokens):
            continue
        if name := _BODIES.get(tokens[at].folded):
            return name, range(start, at + 1)
        if tokens[at].folded in _OFFICE and at + 2 < len(tokens) and tokens[at + 1].folded == "fuer":
            end = at + 3
            more = tokens[end : end + 2]
            if len(more) == 2 and more[0].folded == "und" and more[1].text[0].isupper():
                end += 2
            return "Amt " + " ".join(t.text for t in tokens[at + 1 : end]), range(start, end)
    return None


def _limits(span: _Span) -> dict[str, str]:
    first, last = span.first.isoformat(), span.last.isoformat()
    match span.how:
        case "since" | "from":
            return {"from": first}
        case "after":
            return {"from": (span.last + _DAY).isoformat()}
        case "before":
            return {"to": (span.first - _DAY).isoformat()}
        case "until":
            return {"to": last}
        case "between" | "within":
            return {"from": first, "to": last}


def _dates(tokens: Sequence[Token]) -> Iterator[_Span]:
    """The dates with the words that say how they limit."""
    at = 0
    while at < len(tokens):
        span = _limited(tokens, at)
        if span:
            yield span
        at = span.end if span else at + 1


def _limited(tokens: Sequence[Token], at: int) -> _Span | None:
    word = tokens[at].folded
    how: How | None = "between" if word == "zwischen" else _PREPOSITIONS.get(word)
    led = how is not None or word in _WITHIN
    date_at = at + 1 if led else at
    while led and date_at < len(tokens) and tokens[date_at].folded in _FILLERS:
        date_at += 1
    point = _point(tokens, date_at)
    if point is None:
        return None
    ending = _second(tokens, point.end, "und" if how == "between" else "bis")
    if ending:
        return _Span(point.first, ending.last, at, ending.end, "between")
    return _Span(point.first, point.last, at, point.end, how or "within")


def _second(tokens: Sequence[Token], at: int, word: str) -> _Span | None:
    """The other end of a range."""
    if at >= len(tokens) or tokens[at].folded not in (word, "-"):
        return None
    at += 1
    while at < len(tokens) and tokens[at].folded in _FILLERS:
        at += 1
    return _point(tokens, at)


def _point(tokens: Sequence[Token], at: int) -> _Span | None:
    """A date that begins at a token: `2023`, `2019-2021`, `März 2023`, `1. März 2023`, `1.3.2023`."""
    ahead = tokens[at : at + 5]
    # With or without the dots, which are no part of a clause.
    said = [(n, token) for n, token in enumerate(ahead, start=1) if token.text != "."]
    if not ahead or ahead[0].text == ".":
        return None
    (length, first), *others = said
    if _is_year(first):
        return _span(int(first.text), None, None, at, length)
    one, hyphen, other = first.text.partition("-")
    if hyphen and all(part.isascii() and part.isdigit() and len(part) == 4 for part in (one, other)):
        span, ending = _span(int(one), None, None, at, length), _span(int(other), None, None, at, length)
        return _Span(span.first, ending.last, at, at + length) if span and ending else None
    if others and _is_year(others[0][1]) and first.folded in _MONTHS:
        return _span(int(others[0][1].text), _MONTHS[first.folded], None, at, others[0][0])
    if len(others) < 2 or not _is_year(others[1][1]) or not first.is_number:
        return None
    month, (length, year) = others[0][1], others[1]
    number = _MONTHS.get(month.folded) or (int(month.folded) if month.is_number else 0)
    return _span(int(year.text), number, int(first.folded), at, length)


def _span(year: int, month: int | None, day: int | None, at: int, length: int) -> _Span | None:
    if not _FIRST_YEAR <= year <= _LAST_YEAR or (month is not None and not 1 <= month <= 12):
        return None
    days = monthrange(year, month or 12)[1]
    if day is not None and not 1 <= day <= days:
        return None
    first, last = date(year, month or 1, day or 1), date(year, month or 12, day or days)
    return _Span(first, last, at, at + length)


def _is_year(token: Token) -> bool:
    digits = len(token.text) == 4 and token.text.isascii() and token.text.isdigit()  # not 2'31
    return digits and _FIRST_YEAR <= int(token.text) <= _LAST_YEAR


def _without(text: str, tokens: Sequence[Token], taken: set[int]) -> str:
    """The text without some of its tokens."""
    kept = text
    for n in sorted(taken, reverse=True):
        kept = kept[: tokens[n].start] + kept[tokens[n].end :]
    return " ".join(kept.split())
