"""What is answered: right, partly, wrongly, not for sure, or not at all."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from contracts.items import Document, Relevance
from contracts.messages import AnswerRequested

from answering.corpus import Corpus
from answering.questions import Question, Span
from responder.answering import Responder
from tools_docs.arguments import DEFAULT_LIMIT, CheckedDocument
from tools_docs.research import Research

_QUOTED = re.compile(r"«([^«»]+)»[^«»\n]*?\[(\d+)\]")
_HALF = 0.5
"""Of the shorter of two sentences: from here on they are the same one."""
_BUDGET = timedelta(seconds=60)


@dataclass(frozen=True)
class Answer:
    """Of one question: whether each document that was kept answers it, and each quotation."""

    question: Question
    kept: tuple[str, ...]
    in_gold_sentence: tuple[bool, ...]
    in_gold_article: tuple[bool, ...]


@dataclass(frozen=True)
class Answered:
    """`right`, `partly` and `wrong` are answers with quotations, best first; the others claim nothing."""

    answerable: int
    right: int
    partly: int
    wrong: int
    unsure: int
    refused: int
    unanswerable: int
    claimed: int
    """Of the unanswerable ones those that were answered with a quotation."""
    kept_for_unanswerable: int
    check_precision: float
    check_recall: float


class _Silent:
    """See `responder.writing.AnswerSink`."""

    async def append(self, text: str) -> None:
        """Nobody reads along."""

    async def restart(self) -> None:
        """Nobody has read anything."""


async def answer(research: Research, responder: Responder, corpus: Corpus, question: Question) -> Answer:
    """The way of the system, without its bus: retrieve, check each document, answer."""
    outcome = await research.retrieve(question.text, None, DEFAULT_LIMIT)
    kept = []
    for document in outcome.items:
        if isinstance(document, Document):
            asked = CheckedDocument(id=document.id, name=document.name, passages=document.passages)
            (judged,) = (await research.check(question.text, asked)).items
            if isinstance(judged, Relevance) and judged.is_relevant:
                kept.append(document.model_copy(update={"quotes": judged.quotes}))
    text = await _written(responder, question, kept) if kept else ""
    quotes = [(quote, kept[int(n) - 1].id) for quote, n in _QUOTED.findall(text)]
    return Answer(
        question,
        tuple(document.id for document in kept),
        tuple(_is_gold(corpus.articles[id][2], quote, question.gold.get(id, ())) for quote, id in quotes),
        tuple(id in question.gold for _, id in quotes),
    )


async def _written(responder: Responder, question: Question, documents: Sequence[Document]) -> str:
    request = AnswerRequested(
        request_id="request-1",
        session_id="session-1",
        deadline=datetime.now(UTC) + _BUDGET,
        step=0,
        question=question.text,
        documents=tuple(documents),
    )
    return (await responder.answer(request, _Silent())).text


def figures(answers: Sequence[Answer]) -> Answered:
    hopeful = [each for each in answers if each.question.gold]
    hopeless = [each for each in answers if not each.question.gold]
    right = [each for each in hopeful if any(each.in_gold_sentence)]
    partly = [each for each in hopeful if each not in right and any(each.in_gold_article)]
    quoted = [each for each in hopeful if each.in_gold_article]
    unsure = [each for each in hopeful if each.kept and not each.in_gold_article]
    kept = [id in each.question.gold for each in hopeful for id in each.kept]
    gold = sum(len(each.question.gold) for each in hopeful)
    return Answered(
        answerable=len(hopeful),
        right=len(right),
        partly=len(partly),
        wrong=len(quoted) - len(right) - len(partly),
        unsure=len(unsure),
        refused=len(hopeful) - len(quoted) - len(unsure),
        unanswerable=len(hopeless),
        claimed=sum(bool(each.in_gold_article) for each in hopeless),
        kept_for_unanswerable=sum(bool(each.kept) for each in hopeless),
        check_precision=sum(kept) / len(kept) if kept else 1.0,
        check_recall=sum(kept) / gold if gold else 1.0,
    )


def _is_gold(article: str, quote: str, gold: Sequence[Span]) -> bool:
    """Whether a quotation is, or has, a sentence that answers; blanks do not count."""
    letters, places = "", []
    for place, char in enumerate(article):
        if char.isalnum():
            letters += char
            places.append(place)
    said = "".join(filter(str.isalnum, quote))
    at = letters.find(said)
    if at < 0 or not said:
        return False
    begin, end = places[at], places[at + len(said) - 1] + 1
    return any(
        min(end, last) - max(begin, first) >= _HALF * min(end - begin, last - first) for first, last in gold
    )
