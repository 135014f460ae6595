"""Answers to questions about a parcel, from its extract and from nothing else."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from contracts.items import OerebExtract
from contracts.markdown import line as one_line
from contracts.oereb import DocumentKind, ExtractContent, LegalDocument, Office, Restriction
from german.fold import fold

from tools_oereb import questions
from tools_oereb.questions import Question
from tools_oereb.standing import Standing, ThemeFacts, facts_of
from tools_oereb.statements import (
    PLANNED,
    Line,
    Statement,
    about,
    and_more,
    area,
    origin,
    overview,
    parcel_name,
    sample,
    say,
    short,
    sizes_of,
    status_of,
    summary,
    themes_of,
    titles,
)
from tools_oereb.texts import text
from tools_oereb.words import Ask, is_same, says_nothing, words_of

_MAX_DOCUMENTS = 12
_MAX_OFFICES = 8
_MAX_NAMED = 3
_MAX_EXPLANATION_CHARS = 600


@dataclass(frozen=True)
class _Asked:
    question: Question
    extract: OerebExtract
    content: ExtractContent
    facts: tuple[ThemeFacts, ...]
    """Of all themes."""

    @property
    def scope(self) -> tuple[ThemeFacts, ...]:
        """The themes that it is about: those that it names, else all."""
        return self.facts if self.question.is_about_all else self.question.topic


def reply(extract: OerebExtract, content: ExtractContent, asked: str) -> tuple[Line, ...]:
    """What the extract says to a question; all that it says where nothing in particular is asked."""
    facts = facts_of(content)
    lines = _lines(_Asked(questions.read(asked, extract, facts), extract, content, facts))
    if not lines:
        return summary(extract, content)
    end = (*origin(extract, content), *((say("pdf", url=extract.pdf_url),) if extract.pdf_url else ()))
    told = (say("answer_for", parcel=parcel_name(extract)), *sample(extract), *lines, *end)
    return tuple({str(line): line for line in told}.values())


def _lines(asked: _Asked) -> list[Line]:
    question, everything = asked.question, overview(asked.content)
    unsaid = [*_elsewhere(question), *_unlisted(question)]
    is_about_something = question.topic or unsaid or Ask.PERMITTED in question.asks
    if not is_about_something and (words := _unheard_of(asked)):
        unsaid.append(say("not_said_about", words=_quoted(words)))
    asks = question.asks
    if unsaid or Ask.NOT_CONCERNED in asks:
        asks -= {Ask.RESTRICTIONS}
    if not question.is_about_all:
        asks -= {Ask.NOT_CONCERNED, Ask.WITHOUT_DATA}
    said = [line for ask, answer in _ANSWERS.items() if ask in asks for line in answer(asked)]
    if question.topic and not asks & _ANSWERED_APART:
        said = [*_standing(asked), *said]
    if unsaid:
        beside = () if question.elsewhere else everything
        return [*unsaid, *(said or (*beside, *_authority(asked.content)))]
    if question.is_asked and question.unknown and asks <= _OF_ANYTHING and not question.topic:
        return [say("not_said"), *(said or (*everything, *_authority(asked.content)))]
    return said


def _standing(asked: _Asked) -> Iterator[Line]:
    """Whether and how the themes concern the parcel."""
    topic, answer = asked.question.topic, asked.question.answer
    if answer is not None:
        yield say("yes" if answer else "no", *themes_of(topic))
    yield from about(topic)
    restrictions = [each for fact in topic for each in fact.restrictions]
    if Ask.SIZE in asked.question.asks and not all(any(sizes_of(each)) for each in restrictions):
        yield say("no_size")


def _restrictions(asked: _Asked) -> Iterable[Line]:
    return overview(asked.content) if asked.question.is_about_all else ()


def _planned(asked: _Asked) -> Iterator[Line]:
    """What is planned for the themes as a whole; and all of which it is not known whether it is."""
    themes = themes_of(asked.scope)
    scope = [fact for fact in asked.facts if fact.theme in themes]
    planned = [
        replace(fact, restrictions=tuple(each for each in fact.restrictions if each.law_status in PLANNED))
        for fact in scope
        if fact.standing is Standing.CONCERNED
    ]
    planned = [fact for fact in planned if fact.restrictions]
    nothing = say("nothing_planned" if asked.question.is_about_all else "nothing_planned_there", *themes)
    yield from about(planned) if planned else (nothing,)
    for fact in scope:
        unclear = tuple(each for each in fact.restrictions if each.law_status is None)
        if fact.standing is Standing.CONCERNED and unclear:
            yield from about([replace(fact, restrictions=unclear)])
    yield from about([fact for fact in scope if fact.standing not in _CERTAIN])


def _laws(asked: _Asked) -> Iterator[Line]:
    documents = asked.content.documents
    behind: dict[int, list[tuple[ThemeFacts, Restriction]]] = {}
    for fact in asked.scope:
        for restriction in fact.restrictions:
            for n in restriction.documents:
                if 0 <= n < len(documents):
                    behind.setdefault(n, []).append((fact, restriction))
    kinds = [*DocumentKind, None]
    told = sorted(behind, key=lambda n: (kinds.index(documents[n].kind), n))
    for n in told[:_MAX_DOCUMENTS]:
        themes = themes_of(fact for fact, _ in behind[n])
        restrictions = tuple(restriction for _, restriction in behind[n])
        values = {"document": _document(documents[n]), "themes": titles(themes)}
        yield Line((Statement("document", themes, restrictions, (documents[n],), values),))
    if len(told) > _MAX_DOCUMENTS:
        yield say("more_documents", count=len(told) - _MAX_DOCUMENTS)
    if not told:
        yield say("no_documents")
        yield from () if asked.question.topic else overview(asked.content)


def _document(document: LegalDocument) -> str:
    marks = (document.abbreviation, document.official_number, *document.articles)
    facts = {
        "kind": text(f"document_{document.kind or 'unknown'}"),
        "title": short(document.title),
        "marks": ", ".join(short(mark) for mark in marks if mark),
        "status": status_of(document.law_status),
    }
    key = "document_with_marks" if facts["marks"] else "document_without_marks"
    return " ".join(filter(None, (text(key, **facts), document.url)))


def _offices(asked: _Asked) -> Iterator[Line]:
    responsible: dict[Office | None, list[tuple[ThemeFacts, Restriction]]] = {}
    for fact in asked.scope:
        for restriction in fact.restrictions:
            responsible.setdefault(restriction.office, []).append((fact, restriction))
    for office, held in islice(responsible.items(), _MAX_OFFICES):
        themes = themes_of(fact for fact, _ in held)
        values = {"office": _office(office) if office else "", "themes": titles(themes)}
        key = "responsible" if office else "nobody_named"
        yield Line((Statement(key, themes, tuple(each for _, each in held), values=values),))
    if len(responsible) > _MAX_OFFICES:
        yield say("more_offices", count=len(responsible) - _MAX_OFFICES)
    yield from _authority(asked.content)
    if not responsible and asked.content.authority is None:
        yield say("nobody_responsible")


def _authority(content: ExtractContent) -> Iterator[Line]:
    if content.authority is not None:
        yield say("authority", office=_office(content.authority))


def _office(office: Office) -> str:
    return " ".join(filter(None, (short(office.name), office.url)))


def _without_data(asked: _Asked) -> Iterator[Line]:
    unknown = [fact for fact in asked.facts if fact.standing not in _CERTAIN]
    yield from about(unknown) if unknown else (say("none_without_data" if asked.facts else "nothing_listed"),)


def _not_concerned(asked: _Asked) -> Iterator[Line]:
    clear = [fact for fact in asked.facts if fact.standing is Standing.NOT_CONCERNED]
    yield from about(clear) if clear else (say("none_not_concerned"),)
    yield from about([fact for fact in asked.facts if fact.standing not in _CERTAIN])


def _permitted(asked: _Asked) -> Iterator[Line]:
    """Never whether something may be built; all that the extract says, and all laws."""
    yield say("not_said_permitted")
    yield from overview(asked.content)
    yield from _laws(replace(asked, question=replace(asked.question, topic=(), is_about_all=True)))


def _area(asked: _Asked) -> Iterator[Line]:
    if not asked.question.topic:
        known = asked.extract.area_m2
        yield say("area_is", area=area(known)) if known else say("area_unknown")


def _date(asked: _Asked) -> Iterator[Line]:
    if asked.content.created_at is None:
        yield say("date_unknown")
    yield from origin(asked.extract, asked.content)


def _term(asked: _Asked) -> Iterator[Line]:
    words = asked.question.words
    for notice in asked.content.glossary:
        parts = [part for part in words_of(notice.title) if not says_nothing(part)] or words_of(notice.title)
        if parts and all(any(is_same(word, part) for word in words) for part in parts):
            explained = one_line(notice.text, _MAX_EXPLANATION_CHARS)
            yield say("explained", term=short(notice.title), text=explained)
            return
    yield say("not_explained")
    yield from about(asked.question.topic)


def _unlisted(question: Question) -> Iterator[Line]:
    if question.unlisted:
        yield say("not_listed", words=_quoted(question.unlisted))


def _elsewhere(question: Question) -> Iterator[Line]:
    """That the cadastre does not say it, and who does."""
    for who in dict.fromkeys(who for _, who in question.elsewhere):
        words = [word for word, knows in question.elsewhere if knows == who]
        yield say(f"elsewhere_{who}", words=_quoted(words))


def _unheard_of(asked: _Asked) -> Sequence[str]:
    """What is asked about and stands nowhere in the extract."""
    words = questions.introduced(asked.question)
    named = {part for document in asked.content.documents for part in words_of(document.title)}
    return [word for word in words if not any(is_same(part, fold(word)) for part in named)]


def _quoted(words: Sequence[str]) -> str:
    return and_more([text("quoted", word=short(word)) for word in dict.fromkeys(words)], _MAX_NAMED)


_CERTAIN = frozenset({Standing.CONCERNED, Standing.NOT_CONCERNED})
_ANSWERS: dict[Ask, Callable[[_Asked], Iterable[Line]]] = {
    Ask.TERM: _term,
    Ask.RESTRICTIONS: _restrictions,
    Ask.PERMITTED: _permitted,
    Ask.PLANNED: _planned,
    Ask.LAWS: _laws,
    Ask.OFFICE: _offices,
    Ask.WITHOUT_DATA: _without_data,
    Ask.NOT_CONCERNED: _not_concerned,
    Ask.AREA: _area,
    Ask.DATE: _date,
}
_OF_ANYTHING = frozenset({Ask.SIZE, Ask.AREA, Ask.DATE})
"""What may have been asked of something else than the parcel, as of a house."""
_ANSWERED_APART = frozenset({Ask.TERM, Ask.PERMITTED, Ask.PLANNED, Ask.WITHOUT_DATA, Ask.NOT_CONCERNED})
"""Questions whose answer says of the themes what is to be said."""
