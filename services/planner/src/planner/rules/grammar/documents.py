"""Wishes for documents: what to search for, and what restricts the search.

In a wish for documents (`Botschaften des Regierungsrats seit 2022 zu …`) every date, sort and issuer does. In
a question about a matter (`Wie viele Ölheizungen wurden 2023 ersetzt?`) a date belongs to the matter,
unless the words say otherwise (`… der 2024 erschienen ist`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Final

from contracts.intents import Intent
from german.dates import Dated, dates_in
from german.fold import fold
from german.stems import stem

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.nouns import BODIES, by_stem, is_subject
from planner.rules.grammar.parts import Mention, Part, Sign, Word
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import Wish
from planner.rules.reading.forms import looks_like_noun
from planner.rules.reading.lexicon import ACTIONS, Role, known_role
from planner.rules.reading.tables import table, word_sets

MAX_QUERY_CHARS = 400
_TABLE: Final = table("documents.toml")
_WORDS: Final = word_sets(_TABLE["documents"])
_ACTS: Final = frozenset(_TABLE["nouns"]["acts"].split())
_AND: Final = frozenset(_TABLE["back"]["begins"].split())
_TYPES: Final = by_stem(_TABLE["types"])
_PROPOSALS: Final = frozenset(map(stem, _WORDS["proposals"]))
_FIRST_WORD = re.compile(r"[^\W_]+")
_SOURCE = re.compile(rf"\b(?:{'|'.join(_WORDS['stands_in'])}) (?:(?:{'|'.join(_WORDS['articles'])}) ){{0,2}}")
_ISSUER = re.compile(
    rf"(?<![\w-])(?P<what>[\w-]{{1,60}})(?P<said>(?:\s+(?:{'|'.join(_WORDS['issued_by'])})){{1,2}}"
    r"\s+(?:Amt(?:e?s)?\s+(?P<office>f(?:ü|ue)r\s+[\w-]+(?:\s+und\s+(?P<and>[\w-]+))?)|(?P<body>\w+)))",
    re.IGNORECASE,
)
_SMALL = frozenset({Role.FUNCTION, Role.AND})
_OTHER_WISH = ACTIONS | {Role.QUESTION, Role.OTHER}
_DASH = Sign("-")
_COMMA = Sign(",")
_READERS = frozenset({"ich", "wir", "man"})


def wish_for_documents(parts: Sequence[Part]) -> Wish:
    """`Suche Dokumente seit 2022 zum Thema Radwege`: searched is for the subject alone."""
    text = " ".join(part.text for part in parts)
    dates = [*dates_in(text)]
    types = {_TYPES.get(stem(word), "") for word in _words_in(parts) if known_role(word) is Role.DOCUMENT}
    filters = _limits(dates) | ({"type": min(types)} if len(types) == 1 and all(types) else {})
    taken = [(said.start, said.end) for said in dates]
    if issuer := _issuer(text):
        body, span = issuer
        filters |= {"body": body}
        taken.append(span)
    parts = _without(parts, taken)
    at = next((n for n, part in enumerate(parts) if _is_document(part)), -1)
    told, named = parts[at + 1 :], parts[: max(at, 0)]
    subject = _subject(_before_aside(told)) or _subject(named) or _subject(told)
    kind = parts[at].text if at >= 0 and dates else ""  # Protokolle aus dem Jahr 2024
    return _search(subject or kind, filters)


def question_for_documents(question: Utterance) -> Wish:
    """`Was kostet die Ausscheidung der Schutzzonen?`: the question as it is, unless it asks for documents."""
    rest = without_and(question.written)
    text = rest if rest == question.written else capitalised(rest)
    if asks_for_documents(question.clauses):
        wish = wish_for_documents(question.parts)
        return wish if wish.query else _search(text, wish.filters)
    return _search(text, _filters_of_question(text, question.parts))


def without_and(text: str) -> str:
    """`Und wann kommt …` becomes `wann kommt …`."""
    rest = text.strip()
    while (first := _FIRST_WORD.match(rest)) and fold(first.group()) in _AND:
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
    before = [part for part in first.parts[:at] if isinstance(part, Word)]
    if len(before) < at or (before and before[-1].folded in _WORDS["according_to"]):
        return False
    return all(word.role is not None or word.folded in _WORDS["adjectives"] for word in before)


def _before_aside(parts: Sequence[Part]) -> Sequence[Part]:
    """Without `…, das ich lesen könnte`: what somebody does with it is not what it is about."""
    begins = (n for n, part in enumerate(parts[:-2]) if part == _COMMA and parts[n + 2].folded in _READERS)
    return parts[: next(begins, len(parts))]


def _is_document(part: Part) -> bool:
    return isinstance(part, Word) and part.role is Role.DOCUMENT


def _subject(parts: Sequence[Part]) -> str:
    """The words that carry the subject, with the small ones between them, and the places."""
    said: list[str] = []
    run: list[Word] = []
    for part in (*parts, None):
        if isinstance(part, Word) and (part.is_content or part.role in _SMALL or is_subject(part)):
            run.append(part)
        elif part != _DASH:
            carrying = [n for n, word in enumerate(run) if is_subject(word)]
            said += (
                [word.stem or word.text for word in run[carrying[0] : carrying[-1] + 1]] if carrying else []
            )
            said += [part.text] if isinstance(part, Mention) else []
            run = []
    return " ".join(said)


def _filters_of_question(text: str, parts: Sequence[Part]) -> dict[str, str]:
    """What certainly restricts the documents that can answer a question."""
    published = any(word in _ACTS for word in _words_in(parts))
    filters = _limits(said for said in dates_in(text) if said.how == "since" or published)
    folded = " ".join(_FIRST_WORD.findall(fold(text)))
    after = (_FIRST_WORD.match(folded, said.end()) for said in _SOURCE.finditer(folded))
    kind = next((name for word in after if word and (name := _TYPES.get(stem(word.group())))), None)
    if kind is None:
        return filters
    issuer = _issuer(text)
    return filters | {"type": kind} | ({"body": issuer[0]} if issuer else {})


def _issuer(text: str) -> tuple[str, tuple[int, int]] | None:
    """`Botschaften des Regierungsrats`: the name, and the span that says it."""
    for said in _ISSUER.finditer(text):
        if said["and"] and not looks_like_noun(fold(said["and"])):
            return _issuer(text[: said.start("and")])
        what, office = fold(said["what"]).replace("-", ""), said["office"]
        if known_role(what) is Role.DOCUMENT and stem(what) not in _PROPOSALS:
            name = f"Amt {office}" if office else BODIES.get(stem(fold(said["body"])))
            if name:
                return name, said.span("said")
    return None


def _limits(dates: Iterable[Dated]) -> dict[str, str]:
    days = ((("from", said.period.first), ("to", said.period.last)) for said in dates)
    return {name: day.isoformat() for both in days for name, day in both if day}


def _words_in(parts: Iterable[Part]) -> Iterable[str]:
    return (word for part in parts for word in part.folded.split())


def _without(parts: Sequence[Part], spans: Sequence[tuple[int, int]]) -> tuple[Part, ...]:
    """The parts that stand, in the text that they make, outside of the spans."""
    starts = accumulate((len(part.text) + 1 for part in parts), initial=0)
    return tuple(
        part
        for part, at in zip(parts, starts, strict=False)
        if not any(start < at + len(part.text) and at < end for start, end in spans)
    )


def _search(query: str, filters: Mapping[str, str]) -> Wish:
    return Wish(Intent.SEARCH_DOCUMENTS, query=query[:MAX_QUERY_CHARS].strip(), filters=filters)
