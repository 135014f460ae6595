"""Several things were found: what the user chooses from."""

from typing import Any

import pytest
from contracts.items import Item, Layer, LayerGroup, OtherItem, Place
from contracts.status import Status

from actionplanner.choices import MAX_CHOICES
from actionplanner.planning import plan

from .actionplanner_samples import (
    ADDRESS,
    BUILDING_RIGHT,
    EXTRACT,
    GRENCHEN,
    OUTLINE,
    PARCEL,
    answer,
    as_found,
    as_json,
    kinds,
    layer,
    request,
)


def place(place_id: str, label: str, **more: Any) -> Place:
    return Place(id=place_id, label=label, **({"kind": "Ortschaft"} | more))


def labels(*items: Item) -> list[str]:
    return [choice.label for choice in answer("whatever", *items).choices]


@pytest.mark.parametrize(("status", "choose"), [(Status.NEEDS_USER_CHOICE, False), (Status.OK, True)])
def test_one_item_is_shown_and_not_offered(status: Status, choose: bool) -> None:
    step, options = plan(request("goto_address", ADDRESS, status=status, choose=choose))
    assert (step.status, step.choices, options) == (Status.OK, (), ())
    assert kinds(step) == ["setView", "addMarker"]


@pytest.mark.parametrize(
    ("status", "choose"), [(Status.OK, False), (Status.OK, True), (Status.NEEDS_USER_CHOICE, False)]
)
def test_two_items_are_offered_whoever_asks_for_it(status: Status, choose: bool) -> None:
    step, options = plan(request("show_parcel", PARCEL, BUILDING_RIGHT, status=status, choose=choose))
    assert (step.status, step.map_actions) == (Status.NEEDS_USER_CHOICE, ())
    assert [choice.id for choice in step.choices] == ["req-1.2.0", "req-1.2.1"]
    assert options == (PARCEL, BUILDING_RIGHT)


@pytest.mark.parametrize(
    ("items", "question"),
    [
        ((ADDRESS, ADDRESS.model_copy(update={"id": "2"})), "Mehrere Adressen gefunden. Bitte wähle eine."),
        (
            (GRENCHEN, GRENCHEN.model_copy(update={"id": "2"})),
            "Mehrere Gemeinden gefunden. Bitte wähle eine.",
        ),
        ((place("1", "A"), place("2", "B")), "Mehrere Orte gefunden. Bitte wähle einen."),
        ((layer("a", "A"), layer("b", "B")), "Mehrere Layer gefunden. Bitte triff eine Auswahl."),
        (
            (layer("a", "A"), LayerGroup(id="b", label="B", layers=())),
            "Mehrere Layer gefunden. Bitte triff eine Auswahl.",
        ),
        ((PARCEL, BUILDING_RIGHT), "Bitte wähle das betroffene Grundstück."),
        ((ADDRESS, PARCEL), "Mehrere Treffer gefunden. Bitte wähle einen."),
    ],
)
def test_the_question_fits_the_items(items: tuple[Item, ...], question: str) -> None:
    assert answer("whatever", *items).message == question


def test_addresses_that_were_not_asked_for_are_offered_as_such() -> None:
    near = as_found(ADDRESS, "fuzzy", 0.5)
    question = "Genau diese Adresse habe ich nicht gefunden. Meinst du eine von diesen?"
    assert answer("goto_address", near, near.model_copy(update={"id": "2"})).message == question
    certain = as_found(ADDRESS, "fuzzy", 0.9).model_copy(update={"id": "3"})
    assert answer("goto_address", near, certain).message != question


def test_what_the_tool_notes_about_its_items_is_said_once_with_the_question() -> None:
    note = "Es kann weitere Treffer geben."
    told = {"message": f"2 Treffer gefunden. {note}", "note": note}
    asked = answer("search_place", place("1", "A"), place("2", "B"), **told)
    assert asked.message == f"Mehrere Orte gefunden. Bitte wähle einen. {note}"
    assert answer("whatever", ADDRESS, PARCEL, **told).message == told["message"]
    assert note not in answer("search_place", place("1", "A"), **told).message


def test_a_parcel_of_another_land_register_says_so() -> None:
    former = PARCEL.model_copy(
        update={"id": "p3", "egrid": "CH181832067404", "land_register": "Balm bei Messen"}
    )
    own = PARCEL.model_copy(update={"land_register": "Messen"})
    assert labels(own, former) == [
        "EGRID CH955832730623 – Grundstück 198 Messen (Liegenschaft)",
        "EGRID CH181832067404 – Grundstück 198 Messen (Liegenschaft, Grundbuch Balm bei Messen)",
    ]


def test_the_question_about_an_unknown_type_is_the_tools_own() -> None:
    pools = [OtherItem(type="first", id=n, label=n) for n in "12"]
    assert answer("find_pool", *pools, message="Welche Badi?").message == "Welche Badi?"


def test_no_more_choices_than_anybody_reads_and_it_says_so() -> None:
    found = [place(str(n), f"Ort {n}") for n in range(60)]
    step, options = plan(request("search_place", *found))
    assert len(step.choices) == MAX_CHOICES == 25
    assert options == tuple(found[:25])
    asked = "Mehrere Orte gefunden. Bitte wähle einen."
    assert step.message == f"{asked} Von 60 Treffern siehst du die ersten 25."
    assert answer("search_place", *found[:25]).message == asked


def test_the_same_thing_found_twice_is_no_choice() -> None:
    again = ADDRESS.model_copy(update={"confidence": 0.5})
    assert answer("goto_address", ADDRESS, again).status is Status.OK
    step, options = plan(request("goto_address", ADDRESS, again, GRENCHEN))
    assert options == (ADDRESS, GRENCHEN)
    assert len(step.choices) == 2


def test_a_choice_that_the_step_needs_to_go_on_is_never_taken_away() -> None:
    step = answer("oereb_extract", PARCEL, PARCEL, choose=True)
    assert step.status is Status.NEEDS_USER_CHOICE
    assert len({choice.label for choice in step.choices}) == 2


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (
            (
                place("1", "Oberdorf", coord=(2604926.4, 1231062)),
                place("2", "Oberdorf", coord=(2600000, 1200000)),
            ),
            ["Oberdorf (2'604'926 / 1'231'062)", "Oberdorf (2'600'000 / 1'200'000)"],
        ),
        (
            (place("1", "Riedholz"), place("2", "Riedholz", kind="Flurname"), place("3", "Egg")),
            ["Riedholz (Ortschaft)", "Riedholz (Flurname)", "Egg"],
        ),
        ((GRENCHEN, place("1", "Grenchen")), ["Grenchen (Gemeinde)", "Grenchen (Ort)"]),
        ((layer("ch.a", "Wald"), layer("ch.b", "Wald")), ["Wald (ch.a)", "Wald (ch.b)"]),
        (
            (
                ADDRESS.model_copy(update={"label": "Dorfstrasse 1", "municipality": "Messen"}),
                ADDRESS.model_copy(update={"id": "2", "label": "Dorfstrasse 1", "municipality": "Buchegg"}),
            ),
            ["Dorfstrasse 1 (Messen)", "Dorfstrasse 1 (Buchegg)"],
        ),
        (
            (layer("n", "Nutzungsplanung"), LayerGroup(id="n", label="Nutzungsplanung", layers=())),
            ["Nutzungsplanung", "Nutzungsplanung (Gruppe)"],
        ),
        (
            (GRENCHEN, OtherItem(type="pool", id="p", label="Grenchen")),
            ["Grenchen (2546)", "Grenchen (p)"],
        ),
        (
            (place("1", "Egg", coord=(2604926.4, 1231062)), place("2", "Egg")),
            ["Egg (1)", "Egg (2)"],
        ),
        ((OtherItem(type="t", id="1", label=" "), OtherItem(type="t", id="2", label="<p>")), ["1", "2"]),
        ((OtherItem(type="t", id="<p>", label=""), OtherItem(type="<p>", id="<p>", label="")), ["t", "?"]),
    ],
)
def test_equal_labels_are_told_apart(items: tuple[Item, ...], expected: list[str]) -> None:
    assert labels(*items) == expected


def test_what_tells_labels_apart_is_in_the_language_of_the_answer() -> None:
    step = answer("x", place("1", "Riedholz"), place("2", "Riedholz", kind="Flurname"), language="fr")
    assert [choice.label for choice in step.choices] == ["Riedholz (localité)", "Riedholz (lieu-dit)"]


def test_labels_that_nothing_tells_apart_are_numbered() -> None:
    same = OtherItem(type="a", id="1", label="X")
    items = (same, same.model_copy(update={"type": "b"}), OtherItem(type="c", id="3", label="X (2)"))
    assert labels(*items) == ["X", "X (2)", "X (2) (2)"]


def test_a_layer_is_previewed_under_an_id_of_its_own() -> None:
    group = LayerGroup(id="g", label="Waldplan (Gruppe)", layers=(layer("w.a", "A"), layer("w.b", "B")))
    single, grouped = answer("load_layer", layer("ch.so.gws", "Gewässerschutz"), group).choices
    assert as_json(single)["mapActions"] == [
        {
            "type": "addLayer",
            "payload": {
                "id": "choice-ch.so.gws",
                "type": "wmts",
                "source": {"url": "https://wmts.example/gws"},
                "visible": True,
                "label": "Gewässerschutz",
            },
        }
    ]
    assert [action["payload"]["id"] for action in as_json(grouped)["mapActions"]] == [
        "choice-w.a",
        "choice-w.b",
    ]


def test_an_outline_is_previewed_beside_its_marker_unless_it_is_too_fine() -> None:
    outlined = PARCEL.model_copy(update={"geometry": OUTLINE})
    ring = [[2600000 + n, 1200000] for n in range(500)]
    fine = BUILDING_RIGHT.model_copy(update={"geometry": {"type": "Polygon", "coordinates": [ring]}})
    first, second = answer("show_parcel", outlined, fine).choices
    assert [action.type for action in second.map_actions] == ["addMarker"]
    marker, outline = as_json(first)["mapActions"]
    assert (marker["payload"]["id"], marker["payload"]["label"]) == ("choice-p1", "Grundstück 198")
    assert (outline["type"], outline["payload"]["id"]) == ("addLayer", "choice-p1")
    assert outline["payload"]["source"] == {"data": OUTLINE, "style": "highlight"}


def test_outlines_of_municipalities_are_previewed_too() -> None:
    one = GRENCHEN.model_copy(update={"geometry": OUTLINE})
    other = one.model_copy(update={"id": "2", "label": "Bettlach"})
    previews = [
        [action.type for action in each.map_actions] for each in answer("search_place", one, other).choices
    ]
    assert previews == [["addMarker", "addLayer"]] * 2


def test_what_has_no_position_has_no_preview() -> None:
    first, second = answer("search_place", place("1", "A"), place("2", "B", coord=(2600000, 1200000))).choices
    assert first.map_actions == ()
    assert as_json(second)["mapActions"][0]["payload"]["label"] == "B"


def test_data_are_the_facts_without_bulk_and_nulls() -> None:
    parcel = PARCEL.model_copy(update={"geometry": OUTLINE, "area_m2": 6400.0})
    data = answer("show_parcel", parcel, BUILDING_RIGHT).choices[0].data
    assert data == {
        "egrid": "CH955832730623",
        "coord": [2600513, 1215519],
        "type": "parcel",
        "id": "p1",
        "number": "198",
        "municipality": "Messen",
        "kind": "Liegenschaft",
        "areaM2": 6400.0,
    }


def test_data_of_foreign_items_are_camel_case_and_have_no_nulls_and_no_unsafe_links() -> None:
    pools = [
        OtherItem.model_validate(
            {
                "type": "pool",
                "id": n,
                "label": n,
                "open_until": {"a": None, "b": [1, None]},
                "EGID": 7,
                "siteUrl": "javascript:1",
                "ticketUrl": "https://badi.example",
            }
        )
        for n in "12"
    ]
    data = answer("find_pool", *pools).choices[0].data
    assert data == {
        "type": "pool",
        "id": "1",
        "openUntil": {"b": [1]},
        "EGID": 7,
        "ticketUrl": "https://badi.example",
    }


def test_unsafe_links_of_known_items_are_left_out_of_the_data() -> None:
    unsafe = EXTRACT.model_copy(update={"pdf_url": "javascript:1"})
    first, second = answer("x", unsafe, EXTRACT.model_copy(update={"id": "e2"})).choices
    assert "pdfUrl" not in first.data
    assert second.data["pdfUrl"] == EXTRACT.pdf_url


def test_layers_are_chosen_without_their_sources_in_the_data() -> None:
    choices = answer("load_layer", layer("a", "A"), Layer.model_validate(layer("b", "B"))).choices
    assert choices[0].data == {"type": "layer", "id": "a"}


class TestConfirming:
    """The one item is only near to what was asked for."""

    def test_it_is_offered_and_not_shown(self) -> None:
        step, options = plan(request("load_layer", layer("a", "A"), confirm=True, choose=True))
        assert (step.status, step.map_actions) == (Status.NEEDS_USER_CHOICE, ())
        assert ([choice.label for choice in step.choices], options) == (["A"], (layer("a", "A"),))
        assert step.message == "Meinst du «A»?"

    def test_the_tool_may_ask_with_its_own_words(self) -> None:
        assert answer("load_layer", layer("a", "A"), confirm=True, message="Den da?").message == "Den da?"

    def test_nothing_and_an_error_need_no_confirmation(self) -> None:
        assert answer("load_layer", confirm=True).status is Status.NEEDS_CLARIFICATION
        failed = answer("load_layer", layer("a", "A"), confirm=True, status=Status.ERROR)
        assert (failed.status, failed.choices) == (Status.ERROR, ())


class TestOnceMore:
    """A source failed on the way; the same call may find more."""

    def test_what_there_is_is_shown_beside_the_offer_to_try_again(self) -> None:
        whole = answer("oereb_extract", EXTRACT)
        step = answer("oereb_extract", EXTRACT, again=True)
        assert step.status is Status.NEEDS_USER_CHOICE
        assert step.map_actions == whole.map_actions != ()
        assert [choice.label for choice in step.choices] == ["Nochmals versuchen"]
        assert [choice.map_actions for choice in step.choices] == [()]

    def test_a_choice_between_several_comes_first(self) -> None:
        step = answer("oereb_extract", PARCEL, BUILDING_RIGHT, again=True)
        assert len(step.choices) == 2

    def test_what_is_of_no_use_is_an_error_all_the_same(self) -> None:
        step = answer("oereb_extract", EXTRACT.model_copy(update={"pdf_url": ""}), again=True)
        assert (step.status, step.choices) == (Status.ERROR, ())
