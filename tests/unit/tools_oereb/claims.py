"""What an extract allows to say, written down a second time: from its lists, not from our reading of them."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from contracts.items import OerebExtract, Provenance
from contracts.languages import LANGUAGES
from contracts.oereb import ExtractContent, LawStatus, Theme
from servicekit.wording import answering_in

from tools_oereb.statements import Line, Statement

PLANNED = (LawStatus.CHANGE_WITH_PRE_EFFECT, LawStatus.CHANGE_WITHOUT_PRE_EFFECT)


def extract_of(content: ExtractContent | None, *, sample: bool = False) -> OerebExtract:
    return OerebExtract(
        id="CH727994320611",
        label="ÖREB-Auszug",
        egrid="CH727994320611",
        pdf_url="https://geo.so.ch/api/oereb/extract/pdf/?EGRID=CH727994320611",
        map_url="https://geo.so.ch/map/?oereb_egrid=CH727994320611",
        number="2084",
        municipality="Biberist",
        kind="Liegenschaft",
        area_m2=618.4,
        content=content,
        provenance=Provenance(
            source="ÖREB-Kataster", license="-", retrieved_at=datetime(2026, 1, 1, tzinfo=UTC), sample=sample
        ),
    )


def told(lines: Iterable[Line]) -> str:
    return "\n".join(map(str, lines))


def check(lines: Iterable[Line], extract: OerebExtract) -> None:
    """Every statement against the extract; one that nobody knows how to check fails."""
    assert extract.content is not None
    for line in lines:
        for statement in line.statements:
            _CHECKS[statement.key](statement, extract.content)
            assert (statement.key == "sample") <= (
                extract.provenance is not None and extract.provenance.sample
            )
            if line.theme is not None:
                assert statement.themes == (line.theme,)


@dataclass(frozen=True)
class Words:
    """By which words a language makes a claim."""

    in_force: str
    planned: str
    not_yet: str
    unknown_status: str
    contradiction: str
    not_concerned: str
    without_data: str
    and_more: str
    nothing_concerned: str
    no: str
    law: str
    """One of the words for a document, as a pattern."""
    about: str
    """Stands before the themes of a document."""
    counted: str
    """Our own numbers, as a pattern."""


WORDS = {
    "de": Words(
        in_force="in Kraft",
        planned="geplant",
        not_yet="heute noch nicht wirksam",
        unknown_status="Rechtsstatus nicht",
        contradiction="widerspricht",
        not_concerned="Nicht betroffen:",
        without_data="Keine Daten zu:",
        and_more=" und ",
        nothing_concerned="Kein Thema",
        no="Nein.",
        law="Gesetz|Vorschrift|Hinweis",
        about=" – zu: ",
        counted=r"und \d+ weitere|\d+ Them(a|en)|aufführt: \d+|im Auszug: \d+|mit Daten: \d+",
    ),
    "fr": Words(
        in_force="en vigueur",
        planned="en projet",
        not_yet="pas encore applicable aujourd’hui",
        unknown_status="statut juridique inconnu",
        contradiction="se contredit",
        not_concerned="L’immeuble n’est pas touché par:",
        without_data="Aucune donnée sur:",
        and_more=" et ",
        nothing_concerned="Aucun thème",
        no="Non.",
        law="Base légale|Disposition juridique|Indication",
        about=" – pour: ",
        counted=r"et \d+ de plus|\d+ thèmes?|dans l’extrait: \d+|avec données: \d+",
    ),
    "it": Words(
        in_force="in vigore",
        planned="in progetto",
        not_yet="oggi non ancora applicabile",
        unknown_status="stato giuridico sconosciuto",
        contradiction="si contraddice",
        not_concerned="Il fondo non è interessato da:",
        without_data="Nessun dato su:",
        and_more=" e ",
        nothing_concerned="Nessun tema",
        no="No.",
        law="Base legale|Disposizione giuridica|Indicazione",
        about=" – per: ",
        counted=r"e \d+ in più|\d+ tem[ai]|nell’estratto: \d+|con dati: \d+",
    ),
    "en": Words(
        in_force="in force",
        planned="planned",
        not_yet="not yet effective today",
        unknown_status="legal status not known",
        contradiction="contradicts itself",
        not_concerned="The parcel is not affected by:",
        without_data="No data on:",
        and_more=" and ",
        nothing_concerned="No topic",
        no="No.",
        law="Law|Legal provision|Note",
        about=" – on: ",
        counted=r"and \d+ more|\d+ topics?|extract lists: \d+|in the extract: \d+|with data: \d+",
    ),
}


def in_every_language(say: Callable[[], tuple[Line, ...]], extract: OerebExtract) -> dict[str, str]:
    """What is said in each; it is checked that all say the same, and no more than the extract."""
    texts: dict[str, str] = {}
    claims = []
    for language in LANGUAGES:
        with answering_in(language):
            lines = say()
            assert lines == say()
            check(lines, extract)
            texts[language] = told(lines)
        check_words(texts[language], extract, language)
        claims.append(claims_of(lines))
    assert all(claimed == claims[0] for claimed in claims)
    names = _names_in(extract)
    facts = {
        language: [_facts(line, names) for line in text.splitlines()] for language, text in texts.items()
    }
    assert all(told == facts["de"] for told in facts.values()), texts
    return texts


def claims_of(lines: Iterable[Line]) -> list[tuple[object, ...]]:
    """What is said, whatever the words."""
    return [
        (each.key, each.themes, each.restrictions, each.documents, line.theme)
        for line in lines
        for each in line.statements
    ]


def _names_in(extract: OerebExtract) -> set[str]:
    """Those that are too long to be a part of our own words."""
    content = extract.content
    assert content is not None
    offices = (each.office.name for each in content.restrictions if each.office)
    texts = [each.text for each in content.restrictions] + [each.text for each in content.glossary]
    documents = (each.title for each in content.documents)
    return {name for name in (*_titles(_themes_of(content)), *texts, *documents, *offices) if len(name) >= 8}


def _facts(line: str, names: Iterable[str]) -> tuple[list[str], list[str]]:
    """The numbers, addresses and quotations; and the names."""
    numbers = re.findall(r"https?://\S+|«[^»]*»|\d+(?:[.']\d+)*", line)
    return sorted(numbers), sorted(name for name in names if name in line)


def check_words(text: str, extract: OerebExtract, language: str = "de") -> None:
    """The same of what a user reads: which titles stand beside which words, and that no number is ours."""
    content, words = extract.content, WORDS[language]
    assert content is not None
    for line in text.splitlines():
        _check_line(line, content, words)
    known = set(
        re.findall(r"\d+(?:\.\d+)?", json.dumps(extract.model_dump(mode="json", exclude={"content"})))
    )
    known |= _numbers_of(content)
    said = re.sub(rf"https?://\S+|«[^»]*»|{words.counted}", "", text)
    for number in re.findall(r"\d+(?:\.\d+)*", said.replace("'", "")):
        assert number in known, (number, text)


def _check_line(line: str, content: ExtractContent, words: Words) -> None:
    title, is_about_one, said = line.partition(" – ")
    restrictions = [each for each in content.restrictions if each.theme.title == title]
    if is_about_one and restrictions and words.contradiction not in said:
        for part in said.split("; "):
            allowed: dict[str, tuple[LawStatus | None, ...]] = {
                words.in_force: (LawStatus.IN_FORCE,),
                words.planned: PLANNED,
                words.unknown_status: (None,),
            }
            statuses = next(value for word, value in allowed.items() if part.startswith(word))
            assert any(each.law_status in statuses for each in restrictions), line
            assert (words.not_yet in part) <= any(each.law_status is PLANNED[1] for each in restrictions)
    if line.startswith(words.not_concerned):
        assert content.not_concerned, line
        wrong = {theme.title for theme in _themes_of(content)} - _titles(content.not_concerned)
        assert not any(other in line.split(": ", 1)[1].rstrip(".").split(", ") for other in wrong), line
    if line.startswith(words.without_data):
        named = line.split(": ", 1)[1].split(". ")[0].split(words.and_more)[0].split(", ")
        assert set(named) <= _titles(content.without_data), line
    if line == words.no:
        assert content.not_concerned
    if line.startswith(words.nothing_concerned):
        assert content.not_concerned and not (
            content.concerned or content.without_data or content.restrictions
        ), line


def _titles(themes: Iterable[Theme]) -> set[str]:
    return {theme.title for theme in themes}


def _themes_of(content: ExtractContent) -> tuple[Theme, ...]:
    restricted = (restriction.theme for restriction in content.restrictions)
    return (*content.concerned, *content.not_concerned, *content.without_data, *restricted)


def _numbers_of(content: ExtractContent) -> set[str]:
    """All that stand in it, and the measures as they are written with one decimal; days as they are read."""
    known = set(re.findall(r"\d+(?:\.\d+)?", content.model_dump_json()))
    for each in content.restrictions:
        for measure in (each.area_m2, each.length_m, each.percent):
            if measure is not None:
                known |= (
                    {f"{measure:.1f}", f"{measure:.0f}"} if measure == int(measure) else {f"{measure:.1f}"}
                )
    for moment in (content.created_at, content.updated_at):
        if moment is not None:
            days = {(moment.timestamp() + hours * 3600) // 86_400 for hours in (1, 2)}
            known |= {datetime.fromtimestamp(day * 86_400, UTC).strftime("%-d.%-m.%Y") for day in days}
    return known


def _is_whole(theme: Theme) -> bool:
    return theme.sub_code is None


def _is_same(theme: Theme, other: Theme) -> bool:
    return (theme.code, theme.sub_code) == (other.code, other.sub_code)


def _holds_for(wide: Theme, theme: Theme) -> bool:
    """Whether what is said of all of a theme is said of the other."""
    return _is_same(wide, theme) or (wide.code == theme.code and _is_whole(wide))


def _may_be_told(theme: Theme, listed: tuple[Theme, ...], content: ExtractContent) -> bool:
    """Whether a theme is as one of the two wide lists says, and nothing in the extract says otherwise."""
    other = content.without_data if listed is content.not_concerned else content.not_concerned
    restricted = tuple(restriction.theme for restriction in content.restrictions)
    contradicted = (
        any(_holds_for(each, theme) or _holds_for(theme, each) for each in other)
        or any(_holds_for(theme, each) for each in content.concerned)
        or any(_holds_for(theme, each) for each in restricted)
    )
    return any(_is_same(each, theme) for each in listed) and not contradicted


def _may_be_concerned(theme: Theme, content: ExtractContent) -> bool:
    listed = any(_holds_for(each, theme) or _holds_for(theme, each) for each in content.concerned)
    return listed and not any(
        _holds_for(wide, theme) for wide in (*content.not_concerned, *content.without_data)
    )


def _with_status(*statuses: LawStatus | None) -> Callable[[Statement, ExtractContent], None]:
    def checked(statement: Statement, content: ExtractContent) -> None:
        assert statement.restrictions
        for restriction in statement.restrictions:
            assert restriction in content.restrictions
            assert restriction.law_status in statuses
            assert all(_is_same(restriction.theme, theme) for theme in statement.themes)
        assert all(_may_be_concerned(theme, content) for theme in statement.themes)

    return checked


def _not_concerned(statement: Statement, content: ExtractContent) -> None:
    assert statement.themes
    assert all(_may_be_told(theme, content.not_concerned, content) for theme in statement.themes)
    if counted := re.fullmatch(
        r"(\d+) (?:Them(?:a|en)|thèmes?|tem[ai]|topics?)", str(statement.values.get("themes", ""))
    ):
        assert int(counted[1]) == len(statement.themes)


def _without_data(statement: Statement, content: ExtractContent) -> None:
    assert statement.themes
    assert all(_may_be_told(theme, content.without_data, content) for theme in statement.themes)


def _all_clear(statement: Statement, content: ExtractContent) -> None:
    assert content.not_concerned
    assert statement.values["count"] == len(statement.themes)
    assert not (content.concerned or content.without_data or content.restrictions)
    assert all(any(_is_same(each, theme) for theme in statement.themes) for each in content.not_concerned)


def _nothing_known(statement: Statement, content: ExtractContent) -> None:
    assert not (content.concerned or content.not_concerned or content.restrictions)
    assert bool(content.without_data) is (statement.key == "not_released")


def _unexplained(statement: Statement, content: ExtractContent) -> None:
    (theme,) = statement.themes
    assert any(_is_same(each, theme) for each in content.concerned)
    assert not any(_is_same(restriction.theme, theme) for restriction in content.restrictions)
    assert _may_be_concerned(theme, content)


def _listed(statement: Statement, content: ExtractContent) -> None:
    assert all(restriction in content.restrictions for restriction in statement.restrictions)
    assert all(any(_is_same(each, theme) for each in _themes_of(content)) for theme in statement.themes)


def _yes(statement: Statement, content: ExtractContent) -> None:
    assert any(
        restriction.law_status is LawStatus.IN_FORCE
        and any(_is_same(restriction.theme, theme) for theme in statement.themes)
        and _may_be_concerned(restriction.theme, content)
        for restriction in content.restrictions
    )


def _document(statement: Statement, content: ExtractContent) -> None:
    (document,) = statement.documents
    places = [n for n, each in enumerate(content.documents) if each == document]
    assert statement.restrictions
    _listed(statement, content)
    for restriction in statement.restrictions:
        assert any(place in restriction.documents for place in places)
        assert any(_is_same(restriction.theme, theme) for theme in statement.themes)


def _offices(statement: Statement, content: ExtractContent) -> None:
    _listed(statement, content)
    assert len({restriction.office for restriction in statement.restrictions}) == 1
    (office,) = {restriction.office for restriction in statement.restrictions}
    assert (office is None) is (statement.key == "nobody_named")


def _nothing_planned(statement: Statement, content: ExtractContent) -> None:
    planned = [each.theme for each in content.restrictions if each.law_status in PLANNED]
    certain = [theme for theme in planned if _may_be_concerned(theme, content)]
    if statement.key == "nothing_planned_there":
        certain = [theme for theme in certain if any(_is_same(theme, each) for each in statement.themes)]
    assert not certain


def _nowhere(
    absent: Callable[[ExtractContent], Iterable[object]],
) -> Callable[[Statement, ExtractContent], None]:
    def checked(statement: Statement, content: ExtractContent) -> None:
        assert not list(absent(content))

    return checked


def _anything(statement: Statement, content: ExtractContent) -> None:
    """It claims nothing about the law."""


def _unclaimed(*keys: str) -> dict[str, Callable[[Statement, ExtractContent], None]]:
    return dict.fromkeys(keys, _anything)


def _certainly_without_data(content: ExtractContent) -> list[Theme]:
    return [each for each in content.without_data if _may_be_told(each, content.without_data, content)]


def _certainly_not_concerned(content: ExtractContent) -> list[Theme]:
    return [each for each in content.not_concerned if _may_be_told(each, content.not_concerned, content)]


_CHECKS: dict[str, Callable[[Statement, ExtractContent], None]] = {
    "restrictions_inForce": _with_status(LawStatus.IN_FORCE),
    "restrictions_changeWithPreEffect": _with_status(LawStatus.CHANGE_WITH_PRE_EFFECT),
    "restrictions_changeWithoutPreEffect": _with_status(LawStatus.CHANGE_WITHOUT_PRE_EFFECT),
    "restrictions_unknown": _with_status(None),
    "unexplained": _unexplained,
    "contradictory": _listed,
    "contradictory_by": _listed,
    "not_concerned": _not_concerned,
    "no": _not_concerned,
    "yes": _yes,
    "without_data": _without_data,
    "all_clear": _all_clear,
    "not_released": _nothing_known,
    "nothing_listed": _nothing_known,
    "document": _document,
    "responsible": _offices,
    "nobody_named": _offices,
    "nobody_responsible": _nowhere(lambda content: [content.authority] if content.authority else []),
    "none_without_data": _nowhere(_certainly_without_data),
    "none_not_concerned": _nowhere(_certainly_not_concerned),
    "nothing_planned": _nothing_planned,
    "nothing_planned_there": _nothing_planned,
    **_unclaimed("ready", "parcel", "sample", "created", "surveyed", "extract_source", "pdf", "map"),
    **_unclaimed("more_themes", "answer_for", "no_size", "more_documents", "more_offices", "no_documents"),
    **_unclaimed("authority"),
    **_unclaimed("not_said", "not_said_about", "not_said_permitted", "not_listed"),
    **_unclaimed("elsewhere_building", "elsewhere_hazards", "elsewhere_register", "elsewhere_nobody"),
    **_unclaimed("area_is", "area_unknown", "date_unknown", "explained", "not_explained"),
}
