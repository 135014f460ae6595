"""What restricts the documents that are looked for: dates, the sort of document, and who has issued it.

In a wish for documents (`Botschaften des Regierungsrats seit 2022 zu …`) every such word does. In a question
about a matter (`Wie viele Ölheizungen wurden 2023 ersetzt?`) a date belongs to the matter, unless the words
say otherwise (`… der 2024 erschienen ist`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from german.dates import Period, dates_in

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
_ACTS: Final = frozenset(_TABLE["dates"]["acts"].split())
_OFFICE: Final = frozenset({"amt", "amts", "amtes"})


@dataclass(frozen=True)
class Restricted:
    """Arguments of `documents.retrieve` (`from`, `to` as ISO dates, `type`, `body`), and the other words."""

    filters: dict[str, str] = field(default_factory=dict)
    rest: str = ""


def restrictions_of_wish(text: str) -> Restricted:
    """All that restricts a wish for documents; the rest is what they are to be about."""
    tokens = tokens_of(text)
    filters: dict[str, str] = {}
    taken: list[tuple[int, int]] = []
    for said in dates_in(text):
        filters |= _limits(said.period)
        taken.append((said.start, said.end))
    documents = [t.folded for t in tokens if known_role(t.folded) is Role.DOCUMENT]
    types = {_TYPES.get(word, "") for word in documents}
    if len(types) == 1 and (only := types.pop()):
        filters["type"] = only
    issuer = _issuer(tokens)
    if issuer:
        filters["body"], used = issuer
        taken.append((tokens[used.start].start, tokens[used.stop - 1].end))
    return Restricted(filters, _without(text, taken))


def restrictions_of_question(text: str) -> Restricted:
    """What certainly restricts the documents that can answer a question; the question stays as it is."""
    tokens = tokens_of(text)
    published = any(t.folded in _ACTS for t in tokens)
    filters: dict[str, str] = {}
    for said in dates_in(text):
        if said.how == "since" or published:
            filters |= _limits(said.period)
    source = next((n for n, t in enumerate(tokens) if t.folded in _TYPES and _is_source(tokens, n)), None)
    if source is not None:
        filters["type"] = _TYPES[tokens[source].folded]
        issuer = _issuer(tokens)
        if issuer:
            filters["body"] = issuer[0]
    return Restricted(filters, text)


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


def _limits(period: Period) -> dict[str, str]:
    days = {"from": period.first, "to": period.last}
    return {name: day.isoformat() for name, day in days.items() if day}


def _without(text: str, taken: Sequence[tuple[int, int]]) -> str:
    """The text without some of its spans."""
    kept = text
    for start, end in sorted(taken, reverse=True):
        kept = kept[:start] + kept[end:]
    return " ".join(kept.split())
