"""Wishes for documents: what to search for, and what restricts the search."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from contracts.intents import Intent
from german.fold import fold

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.clauses import clauses_of
from planner.rules.grammar.filters import restrictions_of_question, restrictions_of_wish
from planner.rules.grammar.nouns import is_subject
from planner.rules.grammar.parts import Mention, Part, Sign, Word, parts_of
from planner.rules.grammar.wishes import Wish
from planner.rules.reading.lexicon import ACTIONS, Role
from planner.rules.reading.tables import table

MAX_QUERY_CHARS = 400
_TABLE: Final = table("documents.toml")
_ADJECTIVES: Final = frozenset(_TABLE["documents"]["adjectives"].split())
_BEGINS: Final = frozenset(_TABLE["back"]["begins"].split())
_FIRST_WORD = re.compile(r"[^\W_]+")
_ACCORDING_TO: Final = frozenset({"laut", "gemaess"})
_SMALL = frozenset({Role.FUNCTION, Role.AND})
_OTHER_WISH = ACTIONS | {Role.QUESTION, Role.OTHER}
_DASH = Sign("-")


def wish_for_documents(text: str) -> Wish:
    """`Suche Dokumente seit 2022 zum Thema Radwege`: searched is for the subject alone."""
    restricted = restrictions_of_wish(text)
    parts = parts_of(restricted.rest)
    at = next((n for n, part in enumerate(parts) if _is_document(part)), -1)
    subject = _subject(parts[at + 1 :]) or _subject(parts[: max(at, 0)])
    dated = at >= 0 and not {"from", "to"}.isdisjoint(restricted.filters)
    kind = parts[at].text if dated else ""  # Protokolle aus dem Jahr 2024
    return _search(subject or kind, restricted.filters)


def question_for_documents(text: str) -> Wish:
    """`Was kostet die Ausscheidung der Schutzzonen?`: the question as it is, unless it asks for documents."""
    rest = without_and(text)
    text = text if rest == text.strip() else capitalised(rest)
    if asks_for_documents(clauses_of(text)):
        wish = wish_for_documents(text)
        return wish if wish.query else _search(text, wish.filters)
    return _search(text, restrictions_of_question(text).filters)


def without_and(text: str) -> str:
    """`Und wann kommt …` becomes `wann kommt …`."""
    rest = text.strip()
    while (first := _FIRST_WORD.match(rest)) and fold(first.group()) in _BEGINS:
        rest = rest[first.end() :].lstrip(" ,")
    return rest


def capitalised(text: str) -> str:
    """As a sentence begins."""
    return text[:1].upper() + text[1:]


def asks_for_documents(clauses: Sequence[Clause]) -> bool:
    """`Welche Anträge gibt es zu …`: documents are wanted, and their subject comes after them."""
    first, *others = clauses or (Clause(()),)
    at = next((n for n, part in enumerate(first.parts) if _is_document(part)), None)
    if at is None or any(clause.roles & _OTHER_WISH for clause in others):
        return False
    before = first.parts[:at]
    last = before[-1] if before else None
    if isinstance(last, Word) and last.folded in _ACCORDING_TO:
        return False
    return all(isinstance(p, Word) and (p.role is not None or p.folded in _ADJECTIVES) for p in before)


def _is_document(part: Part) -> bool:
    return isinstance(part, Word) and part.role is Role.DOCUMENT


def _subject(parts: Sequence[Part]) -> str:
    """The words that carry the subject, with the small ones between them, and the places."""
    said: list[str] = []
    run: list[Word] = []

    def close() -> None:
        carrying = [n for n, word in enumerate(run) if is_subject(word)]
        if carrying:
            said.append(" ".join(word.stem or word.text for word in run[carrying[0] : carrying[-1] + 1]))
        run.clear()

    for part in parts:
        if isinstance(part, Word) and (part.is_content or part.role in _SMALL or is_subject(part)):
            run.append(part)
        elif part != _DASH:
            close()
            if isinstance(part, Mention):
                said.append(part.text)
    close()
    return " ".join(said)


def _search(query: str, filters: Mapping[str, str]) -> Wish:
    return Wish(Intent.SEARCH_DOCUMENTS, query=query[:MAX_QUERY_CHARS].strip(), filters=filters)
