"""What a user reads of an extract, as far as somebody has read it."""

import pytest
from contracts.items import OerebExtract, Parcel

from .actionplanner_samples import EXTRACT, PARCEL, answer

FACTS = {"number": "198", "municipality": "Messen", "area_m2": 13456.0}
READY = "ÖREB-Auszug für CH1234567891011 bereit."


def extract(**facts: object) -> OerebExtract:
    return EXTRACT.model_copy(update=facts)


def lines(item: OerebExtract | Parcel) -> list[str]:
    intent = "oereb_extract" if isinstance(item, OerebExtract) else "show_parcel"
    return answer(intent, item).message.splitlines()


def test_parcel_area_and_themes_are_told() -> None:
    themes = ("Nutzungsplanung", "Grundwasserschutzzonen", "Waldgrenzen")
    assert lines(extract(**FACTS, concerned_themes=themes)) == [
        READY,
        "Grundstück 198 in Messen, 13'456 m²",
        "3 betroffene Themen: Nutzungsplanung, Grundwasserschutzzonen, Waldgrenzen.",
    ]


@pytest.mark.parametrize(
    ("themes", "line"),
    [(("Waldgrenzen",), "1 betroffenes Thema: Waldgrenzen."), ((), "Kein Thema ist betroffen.")],
)
def test_one_theme_and_none_have_sentences_of_their_own(themes: tuple[str, ...], line: str) -> None:
    assert lines(extract(concerned_themes=themes)) == [READY, line]


@pytest.mark.parametrize("facts", [{}, {"number": "198"}, {"municipality": "Messen"}, {"area_m2": 0.0}])
def test_what_nobody_has_read_is_not_told(facts: dict[str, object]) -> None:
    assert lines(extract(**facts)) == [READY]


def test_markup_in_the_facts_is_no_markup() -> None:
    found = extract(
        number="<b>1</b>", municipality="<script>x</script>Messen", concerned_themes=("<i>Wald</i>",)
    )
    assert lines(found)[1:] == ["Grundstück 1 in xMessen", "1 betroffenes Thema: Wald."]


def test_a_parcel_whose_municipality_is_not_known_is_told_without() -> None:
    item = PARCEL.model_copy(update={"municipality": "", "land_register": None, "area_m2": None})
    assert lines(item) == [f"Grundstück {item.number} (EGRID {item.egrid})."]
