"""An extract is told in the words of the tool that has read it, and shown with all that it holds."""

import pytest
from contracts.items import OerebExtract, Parcel
from contracts.oereb import ExtractContent, Theme
from contracts.status import Status

from .actionplanner_samples import EXTRACT, PARCEL, answer, as_json

THEME = Theme(code="ch.StatischeWaldgrenzen", title="Waldgrenzen")
READ = EXTRACT.model_copy(
    update={
        "number": "198",
        "municipality": "Messen",
        "kind": "Liegenschaft",
        "area_m2": 13456.0,
        "content": ExtractContent(without_data=(THEME,)),
    }
)
TOLD = "ÖREB-Auszug für CH1234567891011 bereit.\nKeine Daten zu: Waldgrenzen."


@pytest.mark.parametrize("intent", ["oereb_extract", "show_parcel", "something_new"])
def test_the_words_of_the_tool_are_told(intent: str) -> None:
    assert answer(intent, READ, message=TOLD).message == TOLD


def test_all_that_was_read_is_shown() -> None:
    step = answer("oereb_extract", READ, message=TOLD)
    payload = as_json(step.map_actions[-1])["payload"]
    assert {key: payload[key] for key in ("number", "municipality", "kind", "areaM2")} == {
        "number": "198",
        "municipality": "Messen",
        "kind": "Liegenschaft",
        "areaM2": 13456.0,
    }
    assert payload["content"] == as_json(READ.content)


@pytest.mark.parametrize(
    ("extract", "told"),
    [
        (READ, "ÖREB-Auszug für CH1234567891011 bereit."),
        (EXTRACT, "Link zum ÖREB-Auszug für CH1234567891011. Gelesen ist er nicht."),
    ],
)
def test_only_what_was_read_is_ready_where_no_tool_has_a_word_for_it(
    extract: OerebExtract, told: str
) -> None:
    assert answer("oereb_extract", extract).message == told


def test_a_link_that_nobody_can_open_is_an_error_whatever_the_tool_says() -> None:
    linked = READ.model_copy(update={"pdf_url": "javascript:alert(1)", "content": None})
    step = answer("oereb_extract", linked, message=TOLD)
    assert (step.status, step.message) == (
        Status.ERROR,
        "Der ÖREB-Auszug für CH1234567891011 hat keinen gültigen Link.",
    )


def test_a_choice_of_extracts_does_not_carry_all_that_they_hold() -> None:
    other = READ.model_copy(update={"id": "e2", "egrid": "CH955832730623"})
    assert all("content" not in choice.data for choice in answer("oereb_extract", READ, other).choices)


@pytest.mark.parametrize("kind", ["Quellenrecht", "Konzessionsrecht", "Bergwerk"])
def test_a_choice_between_land_and_a_right_says_what_each_is(kind: str) -> None:
    right = PARCEL.model_copy(update={"id": "p2", "egrid": "CH710620327442", "number": "531", "kind": kind})
    land_label, right_label = (choice.label for choice in answer("show_parcel", PARCEL, right).choices)
    assert land_label == "EGRID CH955832730623 – Grundstück 198 Messen (Liegenschaft: der Boden selbst)"
    assert right_label.startswith(f"EGRID CH710620327442 – Grundstück 531 Messen ({kind}: ")
    assert "Recht" in right_label.partition(":")[2]


def test_a_kind_that_nobody_knows_is_only_named() -> None:
    right = PARCEL.model_copy(update={"id": "p2", "egrid": "CH710620327442", "kind": "Alprecht"})
    labels = [choice.label for choice in answer("show_parcel", PARCEL, right).choices]
    assert labels[1] == "EGRID CH710620327442 – Grundstück 198 Messen (Alprecht)"


def test_a_parcel_whose_municipality_is_not_known_is_told_without() -> None:
    item: Parcel = PARCEL.model_copy(update={"municipality": "", "land_register": None, "area_m2": None})
    assert answer("show_parcel", item).message == f"Grundstück {item.number} (EGRID {item.egrid})."
