"""Questions about a parcel are answered from its extract: shortly, and never with more than it says."""

import re
from typing import Any

import pytest
from contracts.oereb import (
    DocumentKind,
    ExtractContent,
    LawStatus,
    LegalDocument,
    Notice,
    Office,
    Restriction,
    Theme,
)
from extracts import contents
from hypothesis import given
from hypothesis import strategies as st

from tools_oereb.replies import reply
from tools_oereb.statements import Line

from .claims import WORDS, Words, extract_of, in_every_language, told

ZONES = Theme(code="ch.Nutzungsplanung", title="Nutzungsplanung (kantonal/kommunal)")
LINES = Theme(code="ch.Nutzungsplanung", title="Baulinien (kantonal)", sub_code="ch.SO.Baulinien")
WATER = Theme(code="ch.Grundwasserschutzzonen", title="Grundwasserschutzzonen")
NOISE = Theme(code="ch.Laermempfindlichkeitsstufen", title="Lärmempfindlichkeitsstufen (in Nutzungszonen)")
SITES = Theme(code="ch.BelasteteStandorte", title="Kataster der belasteten Standorte")
WOOD = Theme(code="ch.StatischeWaldgrenzen", title="Statische Waldgrenzen")
DISTANCE = Theme(code="ch.Waldabstandslinien", title="Waldabstandslinien")
PLANNING = LegalDocument(
    kind=DocumentKind.LAW,
    title="Bundesgesetz über die Raumplanung",
    abbreviation="RPG",
    official_number="SR 700",
    articles=("Art. 15",),
    url="https://www.fedlex.admin.ch/eli/cc/1979/1573_1573_1573/de",
    law_status=LawStatus.IN_FORCE,
)
RULES = LegalDocument(
    kind=DocumentKind.LEGAL_PROVISION, title="Zonenreglement Biberist", law_status=LawStatus.IN_FORCE
)
WATERS = LegalDocument(kind=DocumentKind.LAW, title="Bundesgesetz über den Schutz der Gewässer")
COMMUNE = Office(name="Einwohnergemeinde Biberist", url="https://biberist.ch")
ENVIRONMENT = Office(name="Amt für Umwelt")
HOME = Restriction(
    theme=ZONES,
    text="Wohnzone W2",
    law_status=LawStatus.IN_FORCE,
    percent=79.9,
    area_m2=494.0,
    office=COMMUNE,
    documents=(0, 1),
)
CORE = Restriction(
    theme=ZONES,
    text="Kernzone",
    law_status=LawStatus.CHANGE_WITHOUT_PRE_EFFECT,
    percent=20.1,
    office=COMMUNE,
    documents=(1,),
)
SPRING = Restriction(
    theme=WATER,
    text="Zone S3 (weitere Schutzzone)",
    law_status=LawStatus.IN_FORCE,
    percent=8.1,
    area_m2=50.0,
    office=ENVIRONMENT,
    documents=(2,),
)
STREET = Restriction(theme=LINES, text="Baulinie Strasse", law_status=LawStatus.IN_FORCE, length_m=27.0)
CONTENT = ExtractContent(
    concerned=(ZONES, LINES, WATER),
    not_concerned=(NOISE, SITES, WOOD),
    without_data=(DISTANCE,),
    restrictions=(HOME, CORE, SPRING, STREET),
    documents=(PLANNING, RULES, WATERS),
    authority=Office(name="Amt für Geoinformation"),
    glossary=(Notice(title="Baulinie", text="Bis zu ihr darf gebaut werden."),),
)
HOME_TOLD = "Nutzungsplanung (kantonal/kommunal) – in Kraft: Wohnzone W2 (79.9 %, 494 m²)"
CORE_TOLD = (
    "Nutzungsplanung (kantonal/kommunal) – geplant, ohne Vorwirkung – heute noch nicht wirksam: "
    "Kernzone (20.1 %)"
)
WATER_TOLD = "Grundwasserschutzzonen – in Kraft: Zone S3 (weitere Schutzzone) (8.1 %, 50 m²)"
STREET_TOLD = "Baulinien (kantonal) – in Kraft: Baulinie Strasse (27 m)"
NO_DATA_TOLD = "Keine Daten zu: Waldabstandslinien. Ob das Grundstück betroffen ist, ist damit offen."
AREA_TOLD = "Fläche des Grundstücks laut Auszug: 618.4 m²."
AUTHORITY_TOLD = "Zuständig für den ÖREB-Kataster: Amt für Geoinformation"
ALL_TOLD = [HOME_TOLD, CORE_TOLD, STREET_TOLD, WATER_TOLD, NO_DATA_TOLD, "Nicht betroffen: 3 Themen."]


def answer(question: str, content: ExtractContent = CONTENT, **changed: Any) -> list[str]:
    """What is said between whose parcel it is and where the answer comes from."""
    extract = extract_of(content).model_copy(update=changed)
    lines = told(reply(extract, content, question)).splitlines()
    assert lines[0] == "Liegenschaft 2084 in Biberist:", lines
    assert lines[-2:] == ["Quelle: ÖREB-Kataster.", f"PDF: {extract.pdf_url}"]
    return lines[1:-2]


@pytest.mark.parametrize(
    "question",
    [
        "In welcher Zone liegt 2084 in Biberist?",
        "in welcher bauzone ist die parzelle",
        "Was sagt der Zonenplan?",
        "Zone?",
    ],
)
def test_the_zone_is_told_with_share_and_law_status(question: str) -> None:
    assert answer(question) == [HOME_TOLD, CORE_TOLD]


@pytest.mark.parametrize(
    "question",
    ["Ist die Parzelle belastet?", "Gibt es Belastungen auf dem Grundstück, ist es belastet?"],
)
def test_burdened_is_answered_in_both_of_its_meanings(question: str) -> None:
    assert answer(question) == ["Nicht betroffen: Kataster der belasteten Standorte.", *ALL_TOLD]


@pytest.mark.parametrize(
    "question",
    ["Welche Beschränkungen gibt es?", "Was gilt hier?", "Welche Themen betreffen das Grundstück?"],
)
def test_which_restrictions_there_are_is_told_theme_by_theme(question: str) -> None:
    assert answer(question) == ALL_TOLD


@pytest.mark.parametrize(
    ("question", "told_lines"),
    [
        ("Liegt das Grundstück in einer Grundwasserschutzzone, und wie viel davon?", ["Ja.", WATER_TOLD]),
        ("liegt die parzelle in der grundwaserschutzzone", [WATER_TOLD]),
        ("Liegt es in der Wohnzone?", ["Ja.", HOME_TOLD]),
        ("Liegt das ganze Grundstück in der Wohnzone?", [HOME_TOLD]),
        ("Liegt es ausserhalb der Wohnzone?", [HOME_TOLD]),
        ("Liegt es in der Kernzone?", [CORE_TOLD]),
        ("Liegt es in der Zone S3?", [WATER_TOLD]),
        ("Liegt es in der Grundwasserschutzzone S1?", [WATER_TOLD]),
        ("Ist die Parzelle ein belasteter Standort?", ["Nein.", "Nicht betroffen: " + SITES.title + "."]),
        ("Hat es Altlasten?", ["Nicht betroffen: Kataster der belasteten Standorte."]),
        ("Gibt es Lärm?", ["Nicht betroffen: Lärmempfindlichkeitsstufen (in Nutzungszonen)."]),
        ("Gibt es eine Waldabstandslinie?", [NO_DATA_TOLD]),
        ("Liegt sie am Wald?", [NO_DATA_TOLD, "Nicht betroffen: Statische Waldgrenzen."]),
        ("Gibt es eine Baulinie?", [STREET_TOLD]),
        ("Liegt das Grundstück an der Waldstrasse 3 in der Grundwasserschutzzone?", [WATER_TOLD]),
        ("Liegt 2084 in Biberist in der Grundwasserschutzzone?", ["Ja.", WATER_TOLD]),
        ("Liegt es zu 100 Prozent in der Grundwasserschutzzone?", [WATER_TOLD]),
        ("Liegt es zu 100 % in der Grundwasserschutzzone?", [WATER_TOLD]),
        ("Liegt alles in der Grundwasserschutzzone?", [WATER_TOLD]),
        ("Liegt es in der Wohnzone 3?", [HOME_TOLD]),
        ("Liegen 2084 und 2085 in der Wohnzone?", [HOME_TOLD]),
        ("Gibt es eine Baulinie Kantonsstrasse?", [STREET_TOLD]),
        ("Ist es von der Grundwasserschutzzone nicht betroffen?", [WATER_TOLD]),
        ("Gibt es zum Wald keine Daten?", [NO_DATA_TOLD, "Nicht betroffen: Statische Waldgrenzen."]),
    ],
)
def test_whether_it_is_in_something_is_answered_as_far_as_the_extract_goes(
    question: str, told_lines: list[str]
) -> None:
    assert answer(question) == told_lines


@pytest.mark.parametrize(
    "lists",
    [
        {"not_concerned": (WATER,)},
        {"concerned": (WATER,), "not_concerned": (WATER,)},
        {"concerned": (WATER,), "without_data": (WATER,)},
        {},
    ],
)
def test_a_contradiction_is_neither_yes_nor_no(lists: dict[str, tuple[Theme, ...]]) -> None:
    content = ExtractContent(**lists, restrictions=(SPRING.model_copy(update={"documents": ()}),))
    (said,) = answer("Liegt das Grundstück in einer Grundwasserschutzzone?", content)
    assert said.startswith("Grundwasserschutzzonen – der Auszug widerspricht sich")


def test_a_share_that_is_not_told_is_not_made_up() -> None:
    content = CONTENT.model_copy(update={"restrictions": (Restriction(theme=WATER, text="S3"),)})
    assert answer("Wie viel liegt in der Grundwasserschutzzone?", content)[-1] == (
        "Einen Anteil nennt der Auszug nicht überall."
    )


def test_the_laws_are_those_of_the_restrictions_that_are_asked_about() -> None:
    assert answer("Welche Gesetze gelten für die Wohnzone?") == [
        HOME_TOLD,
        "Gesetz: Bundesgesetz über die Raumplanung (RPG, SR 700, Art. 15), in Kraft "
        "https://www.fedlex.admin.ch/eli/cc/1979/1573_1573_1573/de – zu: Nutzungsplanung (kantonal/kommunal)",
        "Vorschrift: Zonenreglement Biberist, in Kraft – zu: Nutzungsplanung (kantonal/kommunal)",
    ]
    assert len(answer("Welche Gesetze gelten dafür?")) == 3
    assert answer("Welche Vorschriften gelten für die Baulinie?")[-1] == (
        "Gesetze oder Vorschriften führt der Auszug dazu nicht auf."
    )


def test_a_document_of_unknown_kind_comes_last_and_is_not_called_a_hint() -> None:
    unknown = PLANNING.model_copy(update={"kind": None, "url": None})
    told = answer(
        "Welche Gesetze gelten dafür?", CONTENT.model_copy(update={"documents": (unknown, RULES, WATERS)})
    )
    assert told[-1].startswith("Dokument: Bundesgesetz über die Raumplanung (RPG, SR 700, Art. 15), in Kraft")


def test_what_is_planned_is_told_with_all_of_which_that_is_not_known() -> None:
    assert answer("Was ist geplant?") == [CORE_TOLD, NO_DATA_TOLD]
    unclear = Restriction(theme=WATER, text="S2")
    content = CONTENT.model_copy(update={"restrictions": (HOME, unclear, STREET)})
    assert answer("Was ist hier künftig vorgesehen?", content) == [
        "Geplantes führt der Auszug nicht auf.",
        "Grundwasserschutzzonen – Rechtsstatus nicht bekannt: S2",
        NO_DATA_TOLD,
    ]


def test_what_is_planned_for_a_theme_is_not_only_what_bears_the_name_of_today() -> None:
    assert answer("Wird die Wohnzone geändert?") == [CORE_TOLD]
    assert answer("Was ist bei der Grundwasserschutzzone geplant?") == [
        "Geplantes führt der Auszug dazu nicht auf."
    ]


def test_who_is_responsible_is_told_for_each_theme() -> None:
    assert answer("Wer ist zuständig?") == [
        "Zuständig: Einwohnergemeinde Biberist https://biberist.ch – für: "
        "Nutzungsplanung (kantonal/kommunal)",
        "Ohne Angabe einer zuständigen Stelle: Baulinien (kantonal).",
        "Zuständig: Amt für Umwelt – für: Grundwasserschutzzonen",
        AUTHORITY_TOLD,
    ]
    assert answer("Welches Amt ist für den Grundwasserschutz zuständig?") == [
        WATER_TOLD,
        "Zuständig: Amt für Umwelt – für: Grundwasserschutzzonen",
        AUTHORITY_TOLD,
    ]


def test_offices_that_are_too_many_are_counted() -> None:
    homes = tuple(HOME.model_copy(update={"office": Office(name=f"Amt {chr(65 + n)}")}) for n in range(10))
    said = answer("Wer ist zuständig?", CONTENT.model_copy(update={"restrictions": homes}))
    assert said[8:] == ["Weitere zuständige Stellen im Auszug: 2.", AUTHORITY_TOLD]


def test_what_is_without_data_and_what_is_not_concerned_is_listed() -> None:
    assert answer("Wozu gibt es keine Daten?") == [NO_DATA_TOLD]
    assert answer("Welche Themen sind nicht betroffen?") == [
        "Nicht betroffen: Lärmempfindlichkeitsstufen (in Nutzungszonen), Kataster der belasteten Standorte, "
        "Statische Waldgrenzen.",
        NO_DATA_TOLD,
    ]
    complete = ExtractContent(not_concerned=(WOOD,))
    assert answer("Wozu gibt es keine Daten?", complete) == ["Themen ohne Daten führt der Auszug nicht auf."]


def test_how_large_the_parcel_is_comes_from_the_extract() -> None:
    assert answer("Wie gross ist die Parzelle?") == [AREA_TOLD]
    assert answer("Wie gross ist die Parzelle?", area_m2=None) == ["Die Fläche nennt der Auszug nicht."]


def test_terms_are_explained_by_the_glossary_alone() -> None:
    assert answer("Was ist eine Baulinie?") == [
        "Baulinie: Bis zu ihr darf gebaut werden. (Glossar des Auszugs)"
    ]
    assert answer("Was bedeutet Kernzone?") == ["Das erklärt das Glossar des Auszugs nicht.", CORE_TOLD]


def test_whether_something_is_permitted_is_not_decided() -> None:
    said = answer("Darf ich hier ein Haus bauen?")
    assert said[0].startswith("Was bewilligt wird, sagt der ÖREB-Kataster nicht")
    assert said[1:7] == ALL_TOLD
    assert said[7].startswith("Gesetz: Bundesgesetz über die Raumplanung")
    assert set(ALL_TOLD) < set(answer("Darf ich in der Wohnzone bauen?"))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Ist die Parzelle von Hochwasser betroffen?", "Gefahrenkarte"),
        ("Besteht eine Rutschgefahr?", "Gefahrenkarte"),
        ("Wem gehört die Parzelle?", "Grundbuchamt"),
        ("Ist sie mit einer Hypothek belastet?", "Grundbuchamt"),
        ("Wie hoch ist die Ausnützungsziffer?", "Bauvorschriften"),
        ("Wie gross ist der Grenzabstand?", "Bauvorschriften"),
    ],
)
def test_what_the_cadastre_does_not_say_is_told_as_such(question: str, said: str) -> None:
    first, *rest = answer(question)
    assert first.startswith("Das sagt der ÖREB-Kataster nicht: ")
    assert said in first
    assert set(rest) <= {AUTHORITY_TOLD, AREA_TOLD, f"Nicht betroffen: {SITES.title}."}


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Ist die Parzelle von Fledermäusen betroffen?", "Fledermäusen"),
        ("Ist sie von einer Umzonung betroffen?", "Umzonung"),
        ("Liegt sie im Gewässerraum?", "Gewässerraum"),
        ("Gibt es eine Starkstromleitung?", "Starkstromleitung"),
    ],
)
def test_what_the_extract_does_not_name_may_stand_in_it_under_another_name(question: str, word: str) -> None:
    first, *rest = answer(question)
    assert first.startswith("Das sagt der ÖREB-Kataster ")
    assert f"«{word}»" in first
    assert rest == [*ALL_TOLD, AUTHORITY_TOLD]


def test_a_hazard_that_is_listed_is_told_and_not_sent_elsewhere() -> None:
    flood = Restriction(theme=ZONES, text="Überflutungsgebiet", law_status=LawStatus.IN_FORCE, percent=3.0)
    content = CONTENT.model_copy(update={"restrictions": (HOME, flood)})
    assert answer("Ist die Parzelle von Hochwasser betroffen?", content) == [
        "Nutzungsplanung (kantonal/kommunal) – in Kraft: Überflutungsgebiet (3 %)"
    ]


@pytest.mark.parametrize("question", ["Wie gross ist das Haus?", "Wie gross ist die Wohnfläche?"])
def test_the_size_of_something_else_is_not_that_of_the_parcel(question: str) -> None:
    first, *rest = answer(question)
    assert first.startswith("Das sagt der ÖREB-Kataster nicht, jedenfalls")
    assert rest == [AREA_TOLD]


def test_what_nobody_understands_gets_what_the_extract_says() -> None:
    assert answer("Wann kommt der Bagger?", CONTENT.model_copy(update={"created_at": None}))
    first, *rest = answer("Wie alt werden Schildkröten?")
    assert first == "Das sagt der ÖREB-Kataster nicht, jedenfalls nicht mit diesen Worten. Er sagt:"
    assert rest == [*ALL_TOLD, AUTHORITY_TOLD]


@pytest.mark.parametrize(
    "command",
    [
        "Lade den ÖREB-Auszug für 2084 in Biberist",
        "Zeige mir den Auszug",
        "Kannst du mir den Auszug zeigen?",
        "…",
    ],
)
def test_a_command_is_no_question(command: str) -> None:
    assert told(reply(extract_of(CONTENT), CONTENT, command)).startswith(
        "ÖREB-Auszug für CH727994320611 bereit."
    )


@pytest.mark.parametrize(
    "question",
    ["In welcher Zone liegt es?", "Ist die Parzelle belastet?", "Welche Gesetze gelten?", "Was gilt?"],
)
def test_without_data_the_answer_is_not_no(question: str) -> None:
    content = ExtractContent(without_data=(ZONES, WATER, SITES))
    said = "\n".join(answer(question, content))
    assert "Keine Daten zu" in said
    assert "Nein" not in said
    assert "Nicht betroffen" not in said


def test_a_sample_says_so_in_every_answer() -> None:
    lines = told(reply(extract_of(CONTENT, sample=True), CONTENT, "In welcher Zone liegt es?")).splitlines()
    assert lines[1].startswith("Muster, erfunden")


_ASKING = (
    "In welcher Zone liegt",
    "Liegt das Grundstück in der",
    "Ist die Parzelle von",
    "Ist sie belastet",
    "Welche Gesetze gelten für",
    "Was ist geplant bei",
    "Wer ist zuständig für",
    "Wozu gibt es keine Daten",
    "Welche sind nicht betroffen",
    "Was bedeutet",
    "Darf ich bauen",
    "Wie viel",
    "Wie gross",
    "Wie aktuell",
    "Gibt es",
)
_ABOUT = (
    "Grundwasserschutzzone",
    "Waldabstandslinien",
    "Wald",
    "Waldgrenzen",
    "Baulinie",
    "Lärmempfindlichkeitsstufe",
    "belasteter Standort",
    "Wohnzone",
    "Gewerbezone",
    "Schutzzone S3",
    "Stufe II",
    "Grundnutzung",
    "Einzelschutz",
    "Hochwasser",
    "Gewässerraum",
    "Biberist",
    "2084",
    "nicht",
    "und",
    "?",
)
asked = st.one_of(
    st.lists(st.sampled_from((*_ASKING, *_ABOUT)), max_size=5).map(" ".join),
    st.tuples(st.sampled_from(_ASKING), st.sampled_from(_ABOUT)).map(lambda parts: " ".join((*parts, "?"))),
    st.text(max_size=40),
)


@pytest.mark.parametrize(
    "question", ["", *(f"{asking} {about}?" for asking in _ASKING for about in ("", "Wald"))]
)
def test_an_answer_is_the_same_in_every_language(question: str) -> None:
    extract = extract_of(CONTENT)
    for text in in_every_language(lambda: reply(extract, CONTENT, question), extract).values():
        assert "Biberist" in text


@given(contents() | contents(contradictory=False), asked)
def test_no_answer_in_any_language_says_more_than_the_extract(content: ExtractContent, question: str) -> None:
    extract = extract_of(content)
    texts = in_every_language(lambda: reply(extract, content, question), extract)
    for language, text in texts.items():
        check_no(text, reply(extract, content, question), content, WORDS[language])
        check_laws(text, content, WORDS[language])


def check_no(text: str, lines: tuple[Line, ...], content: ExtractContent, words: Words) -> None:
    """No only where nothing but not concerned is told, and of what is in that list alone."""
    if words.no in text.splitlines():
        themes = [
            theme for line in lines for each in line.statements if each.key == "no" for theme in each.themes
        ]
        assert themes
        listed = {theme.code for theme in content.not_concerned}
        others = (*content.concerned, *content.without_data, *(each.theme for each in content.restrictions))
        assert {theme.code for theme in themes} <= listed
        assert all(theme not in others for theme in themes)


def check_laws(text: str, content: ExtractContent, words: Words) -> None:
    """Every law that is told is behind a restriction of a theme that stands beside it."""
    for line in text.splitlines():
        if re.match(f"({words.law}): ", line):
            themes = set(line.rpartition(words.about)[2].partition(words.and_more)[0].split(", "))
            titles = {
                document.title
                for restriction in content.restrictions
                if restriction.theme.title in themes
                for document in (content.documents[n] for n in restriction.documents)
            }
            assert any(title in line for title in titles), line
