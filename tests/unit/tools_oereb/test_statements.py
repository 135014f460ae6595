"""No sentence about an extract claims more than its three lists and its restrictions allow."""

from datetime import UTC, datetime
from typing import Any

import pytest
from contracts.oereb import ExtractContent, LawStatus, LegalDocument, Restriction, Theme
from extracts import THEMES, contents
from hypothesis import given
from volume import examples

from tools_oereb.statements import summary

from .claims import check, check_words, extract_of, in_every_language, told

ZONES = Theme(code="ch.Nutzungsplanung", title="Nutzungsplanung")
WOOD = Theme(code="ch.StatischeWaldgrenzen", title="Waldgrenzen")
NOISE = Theme(code="ch.Laermempfindlichkeitsstufen", title="Lärmempfindlichkeitsstufen")
PART = Theme(code="ch.Nutzungsplanung", title="Grundnutzung", sub_code="ch.SO.NutzungsplanungGrundnutzung")


def zone(
    text: str = "Wohnzone W2", status: LawStatus | None = LawStatus.IN_FORCE, **more: Any
) -> Restriction:
    return Restriction(**{"theme": ZONES, "text": text, "law_status": status, **more})


def lines(sample: bool = False, **lists: Any) -> list[str]:
    """What is said between whose parcel it is and where the extract is."""
    content = ExtractContent(**lists)
    said = told(summary(extract_of(content, sample=sample), content)).splitlines()
    assert said[:2] == ["ÖREB-Auszug für CH727994320611 bereit.", "Liegenschaft 2084 in Biberist, 618.4 m²"]
    return said[2:-3]


@examples(80)
@given(contents())
def test_no_sentence_in_any_language_claims_more_than_the_lists_allow(content: ExtractContent) -> None:
    extract = extract_of(content)
    in_every_language(lambda: summary(extract, content), extract)


@examples(60)
@given(contents(contradictory=False))
def test_an_extract_without_contradictions_is_told_completely(content: ExtractContent) -> None:
    extract = extract_of(content)
    said = summary(extract, content)
    check(said, extract)
    check_words(told(said), extract)
    assert "widerspricht" not in told(said)
    told_restrictions = [
        each for line in said for statement in line.statements for each in statement.restrictions
    ]
    assert sorted(map(repr, told_restrictions)) == sorted(map(repr, content.restrictions))
    mentioned = {theme for line in said for statement in line.statements for theme in statement.themes}
    listed = {*content.concerned, *content.not_concerned, *content.without_data}
    assert {theme.code for theme in mentioned} == {theme.code for theme in listed}


def test_a_law_in_force_is_told_with_its_share() -> None:
    assert lines(concerned=[ZONES], restrictions=[zone(area_m2=494.0, percent=79.9)]) == [
        "Nutzungsplanung – in Kraft: Wohnzone W2 (79.9 %, 494 m²)"
    ]


@pytest.mark.parametrize(
    ("status", "word"),
    [
        (LawStatus.CHANGE_WITH_PRE_EFFECT, "geplant (Änderung mit Vorwirkung): Kernzone"),
        (
            LawStatus.CHANGE_WITHOUT_PRE_EFFECT,
            "geplant, ohne Vorwirkung – heute noch nicht wirksam: Kernzone",
        ),
        (None, "Rechtsstatus nicht bekannt: Kernzone"),
    ],
)
def test_what_is_only_planned_is_never_told_as_law(status: LawStatus | None, word: str) -> None:
    assert lines(concerned=[ZONES], restrictions=[zone("Kernzone", status)]) == [f"Nutzungsplanung – {word}"]


def test_a_theme_has_two_lines_at_most() -> None:
    everything = [zone(text, status) for status in (*LawStatus, None) for text in "ABCDE"]
    in_force, planned = lines(concerned=[ZONES], restrictions=everything)
    assert in_force == (
        "Nutzungsplanung – in Kraft: A, B, C und 2 weitere; Rechtsstatus nicht bekannt: A, B, C und 2 weitere"
    )
    assert planned.count("A, B, C und 2 weitere") == 2


def test_lines_and_points_are_told_as_such() -> None:
    both = [zone("Baulinie", length_m=23.44), zone("Baum", points=1), zone("Bäume", points=3)]
    assert lines(concerned=[ZONES], restrictions=both) == [
        "Nutzungsplanung – in Kraft: Baulinie (23.4 m), Baum (1 Punkt), Bäume (3 Punkte)"
    ]


@pytest.mark.parametrize(
    ("percent", "written"),
    [(100.0, "100 %"), (99.97, "fast 100 %"), (0.01, "unter 0.1 %"), (0.05, "0.1 %"), (1 / 3, "0.3 %")],
)
def test_rounding_makes_neither_all_nor_nothing_of_a_share(percent: float, written: str) -> None:
    assert lines(concerned=[ZONES], restrictions=[zone(percent=percent)]) == [
        f"Nutzungsplanung – in Kraft: Wohnzone W2 ({written})"
    ]


def test_nothing_is_concerned_only_where_every_theme_is_told_so() -> None:
    assert lines(not_concerned=[ZONES, WOOD]) == [
        "Kein Thema betroffen. Themen im Auszug, alle mit Daten: 2."
    ]
    (unknown, clear) = lines(not_concerned=[ZONES], without_data=[WOOD])
    assert unknown == "Keine Daten zu: Waldgrenzen. Ob das Grundstück betroffen ist, ist damit offen."
    assert clear == "Nicht betroffen: 1 Thema."


@pytest.mark.parametrize("without_data", [[], [WOOD], list(THEMES)])
def test_a_municipality_without_any_data_is_not_free_of_restrictions(without_data: list[Theme]) -> None:
    (said,) = lines(without_data=without_data)
    assert said.startswith("Keine Daten zu diesem Grundstück: ")
    assert "noch nicht freigeschaltet" in said
    assert "betroffen" not in said


def test_a_theme_that_is_concerned_by_nothing_is_not_in_force() -> None:
    assert lines(concerned=[ZONES]) == ["Nutzungsplanung – betroffen; wodurch, sagt der Auszug nicht"]


@pytest.mark.parametrize(
    "lists",
    [
        {"concerned": [ZONES], "not_concerned": [ZONES], "restrictions": [zone()]},
        {"not_concerned": [ZONES], "restrictions": [zone()]},
        {"without_data": [ZONES], "restrictions": [zone()]},
        {"restrictions": [zone()]},
        {"concerned": [WOOD], "restrictions": [zone()]},
        {"concerned": [ZONES], "not_concerned": [PART], "restrictions": [zone(theme=PART)]},
        {"concerned": [PART], "not_concerned": [ZONES], "restrictions": [zone(theme=PART)]},
    ],
)
def test_a_restriction_that_the_lists_do_not_know_is_a_contradiction(lists: dict[str, Any]) -> None:
    said = "\n".join(lines(**lists))
    assert "widerspricht sich (er führt auf: Wohnzone W2)" in said
    assert "in Kraft" not in said
    assert "Nicht betroffen" not in said


def test_a_part_of_a_theme_stands_for_its_whole() -> None:
    assert lines(concerned=[ZONES, PART], restrictions=[zone(theme=PART)]) == [
        "Grundnutzung – in Kraft: Wohnzone W2"
    ]


def test_a_theme_listed_twice_is_counted_once() -> None:
    assert lines(not_concerned=[ZONES, ZONES, WOOD], without_data=[NOISE, NOISE]) == [
        "Keine Daten zu: Lärmempfindlichkeitsstufen. Ob das Grundstück betroffen ist, ist damit offen.",
        "Nicht betroffen: 2 Themen.",
    ]


def test_areas_of_one_name_stand_together_behind_what_takes_most() -> None:
    """Some services list every area of a restriction by itself."""
    slivers = [zone(percent=share, area_m2=None) for share in (0.3, 0.3, 0.2, 0.1, 0.1)]
    field = zone(text="Landwirtschaftszone", percent=99.0, area_m2=None)
    assert lines(concerned=[ZONES], restrictions=[*slivers, field]) == [
        "Nutzungsplanung – in Kraft: Landwirtschaftszone (99 %), "
        "Wohnzone W2 (0.3 % + 0.3 % + 0.2 % und 2 weitere)"
    ]


def test_many_themes_stay_readable() -> None:
    many = [Theme(code=f"ch.X{n}", title=f"Thema {n}") for n in range(60)]
    said = lines(concerned=many, restrictions=[zone(theme=theme) for theme in many])
    assert len(said) == 26
    assert said[-1] == "Weitere Themen, die der Auszug aufführt: 35."


def test_a_sample_says_that_it_is_one() -> None:
    assert lines(sample=True, not_concerned=[ZONES])[0].startswith("Muster, erfunden")
    assert not any("Muster" in line for line in lines(not_concerned=[ZONES]))


def test_date_source_and_links_end_the_message() -> None:
    content = ExtractContent(
        not_concerned=(ZONES,),
        created_at=datetime(2026, 11, 20, 23, 30, tzinfo=UTC),
        updated_at=datetime(2026, 11, 1, 0, 30),
    )
    assert told(summary(extract_of(content), content)).splitlines()[-3:] == [
        "Auszug vom 21.11.2026. Stand der amtlichen Vermessung: 1.11.2026. Quelle: ÖREB-Kataster.",
        "PDF: https://geo.so.ch/api/oereb/extract/pdf/?EGRID=CH727994320611",
        "Fachanwendung: https://geo.so.ch/map/?oereb_egrid=CH727994320611",
    ]


@pytest.mark.parametrize("moment", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_the_ends_of_the_calendar_break_nothing(moment: datetime) -> None:
    content = ExtractContent(created_at=moment)
    assert "Auszug vom" in told(summary(extract_of(content), content))


def test_a_document_that_is_not_there_breaks_nothing() -> None:
    content = ExtractContent(
        concerned=(ZONES,),
        restrictions=(zone(documents=(7,)),),
        documents=(LegalDocument(kind="Law", title="x"),),
    )
    assert "in Kraft: Wohnzone W2" in told(summary(extract_of(content), content))
