"""Messages that answer an open choice."""

import pytest
from contracts.session import StepResult

from planner.texts import text

from .rules_kit import after, begins, open_choice, planned, told

PARCELS = open_choice(
    "CH955832730623 – Liegenschaft (198)", "CH710620327442 – Baurecht (531)", turn="parcels"
)
ADDRESSES = open_choice(
    "Burgunderstrasse 9, 4500 Solothurn", "Burgunderstrasse 19, 4500 Solothurn", turn="addresses"
)
RETRY = open_choice("Nochmals versuchen", turn="retry")
LAYERS = open_choice("Gewässerschutz (Gruppe)", "Schutzzonen der ganzen Schweiz", "Waldplan", turn="layers")


@pytest.mark.parametrize(
    ("message", "option"),
    [
        ("die zweite", 1),
        ("Die zweite bitte.", 1),
        ("das erste", 0),
        ("den ersten Treffer", 0),
        ("die letzte", 1),
        ("die oberste bitte", 0),
        ("das untere", 1),
        ("Ich nehme die zweite Option, bitte", 1),
        ("Option 2", 1),
        ("Nummer 2", 1),
        ("2", 1),
        ("zeige mir das zweite", 1),
        ("Parzelle 531", 1),
        ("531", 1),
        ("das Baurecht", 1),
        ("Nimm das Baurecht!", 1),
        ("das Baurrecht", 1),
        ("die Liegenschaft", 0),
        ("CH 7106 2032 7442", 1),
    ],
)
def test_an_option_is_chosen_by_place_or_label(message: str, option: int) -> None:
    assert planned(message, after(choices=(PARCELS,))) == (f"choice parcels.0.{option}",)


@pytest.mark.parametrize(
    ("message", "option"),
    [
        ("9", 0),
        ("19", 1),
        ("die Nummer 9", 0),
        ("die 19", 1),
        ("die 19er", 1),
        ("2", 1),
        ("Burgunderstrasse 19", 1),
        ("Sorry, ich meinte 9.", 0),
    ],
)
def test_a_number_is_rather_in_a_label_than_a_position(message: str, option: int) -> None:
    session = after("Gehe zur Burgunderstrasse in Solothurn", choices=(ADDRESSES,))
    assert planned(message, session) == (f"choice addresses.0.{option}",)


@pytest.mark.parametrize(
    "message",
    [
        "nochmals",
        "nochmal",
        "noch einmal",
        "bitte nochmals",
        "Erneut!",
        "ja",
        "Ja, bitte.",
        "ja gerne",
        "ja, nochmals",
        "versuchs nochmal",
        "Versuch's nochmal",
        "Versuche es bitte noch einmal",
        "probier es erneut",
        "Nochmals versuchen",
        "1",
    ],
)
def test_the_only_option_is_taken_by_saying_yes(message: str) -> None:
    assert planned(message, after(choices=(RETRY, PARCELS))) == ("choice retry.0.0",)


@pytest.mark.parametrize(
    "message",
    [
        "nein",
        "ja aber nicht",
        "nein, nicht nochmals",
        "ja danke",
        "danke",
        "bitte",
        "ja, was ist das?",
        "ja, und die Höhe?",
        "nochmals für Grenchen",
        "nochmals den Waldplan",
        "hm",
    ],
)
def test_the_only_option_is_not_taken_by_anything_else(message: str) -> None:
    assert "choice retry.0.0" not in planned(message, after(choices=(RETRY,)))


@pytest.mark.parametrize("message", ["hm", "7", "blabla"])
def test_beside_the_only_option_nobody_has_to_name_a_number(message: str) -> None:
    assert told(message, after(choices=(RETRY,))) == text("unclear_beside_offer", option="Nochmals versuchen")


@pytest.mark.parametrize("message", ["ja", "nochmals"])
def test_yes_is_said_to_the_newest_choice_only(message: str) -> None:
    assert "choice retry.0.0" not in planned(message, after(choices=(PARCELS, RETRY)))


def test_positions_count_in_the_newest_choice_but_labels_in_all() -> None:
    session = after(choices=(LAYERS, PARCELS))
    assert planned("die zweite", session) == ("choice layers.0.1",)
    assert planned("den Waldplan", session) == ("choice layers.0.2",)
    assert planned("das Baurecht", session) == ("choice parcels.0.1",)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Zeige mir Grenchen", "search_place: geolocation.municipality(q=Grenchen)"),
        ("Lade die Wildtierkorridore", "load_layer: layers.search(query=Wildtierkorridore)"),
        (
            "Erstelle einen ÖREB-Auszug für Parzelle 531 in Messen",
            "oereb_extract: parcels.by_number(number=531, municipality=Messen) > oereb.extract_by_id()",
        ),
        ("Parzelle 531 in Biberist", "show_parcel: parcels.by_number(number=531, municipality=Biberist)"),
        ("Entferne das zweite", "remove_layer: name=zweite"),
    ],
)
def test_a_new_wish_is_no_choice(message: str, expected: str) -> None:
    assert planned(message, after(choices=(PARCELS,))) == (expected,)


def test_a_word_that_tells_what_to_do_is_no_choice() -> None:
    session = after(choices=(PARCELS,), layers=("Karst",))
    assert planned("Legende", session) == ("show_legend: name=Karst",)


@pytest.mark.parametrize("message", ["die dritte", "7", "ja", "hm"])
def test_an_answer_that_fits_no_option_is_asked_again_with_the_options(message: str) -> None:
    session = after(choices=(PARCELS,))
    assert planned(message, session) == ("clarify?",)
    assert told(message, session).startswith(begins("which_option"))
    assert "Baurecht (531)" in told(message, session)


@pytest.mark.parametrize("message", ["blabla", "Was ist der Unterschied?", "99999"])
def test_what_does_not_sound_like_an_answer_is_only_reminded_of_the_choice(message: str) -> None:
    session = after(choices=(PARCELS,))
    assert planned(message, session) == ("clarify?",)
    assert told(message, session) == text("unclear_beside_choice", count=2)


def test_a_topic_is_a_wish_though_a_choice_is_open() -> None:
    assert planned("KKW", after(choices=(PARCELS,))) == ("load_layer: layers.search(query=KKW)",)


def test_a_half_answer_is_about_the_choice_that_it_sounds_like() -> None:
    both = open_choice("Grundstück 168 Messen", "Grundstück 168 Messen (Grundbuch Balm)", turn="both")
    session = after(choices=(LAYERS, both))
    assert "1. Grundstück 168 Messen\n2. " in told("168", session)
    assert "1. Gewässerschutz" in told("die siebte", session)
    assert planned("die in Balm", session) == ("choice both.0.1",)


@pytest.mark.parametrize("message", ["nicht das Baurecht", "nicht die zweite", "nicht CH710620327442"])
def test_what_is_not_wanted_is_not_chosen(message: str) -> None:
    session = after(choices=(PARCELS,))
    assert told(message, session).startswith(begins("which_option"))


@pytest.mark.parametrize("message", ["nein", "keine davon", "abbrechen", "doch nicht", "keine Ahnung"])
def test_nobody_has_to_choose(message: str) -> None:
    assert planned(message, after(choices=(PARCELS,))) == ("answer: …",)
    assert told(message, after(choices=(PARCELS,))) == text("never_mind")


def test_another_choice_after_all_offers_the_options_again() -> None:
    wood = "load_layer: layers.search(query=Wald)"
    assert planned("nein, die zweite", after("Lade Wald", "Ich wähle: Waldplan")) == (wood,)
    assert planned("nein, die zweite", after("Lade Wald", "Ich wähle: Waldplan", "Danke")) == (wood,)


def test_two_options_at_once_are_two_wishes() -> None:
    woods = open_choice("Waldplan (Gruppe)", "Schutzwald", "Waldstandorte")
    assert planned("ich nehme den Schutzwald und den Waldplan", after(choices=(woods,))) == (
        "load_layer: layers.search(query=Schutzwald)",
        "load_layer: layers.search(query=Waldplan)",
    )


@pytest.mark.parametrize("message", ["beide", "alle bitte", "zeig beide"])
def test_every_option_can_be_taken(message: str) -> None:
    springs = open_choice("Gefasste Quellen", "Quellen ungefasst")
    assert planned(message, after("Lade die Quellen", choices=(springs,))) == (
        "load_layer: layers.search(query=Gefasste Quellen)",
        "load_layer: layers.search(query=Quellen ungefasst)",
    )


def test_an_answer_that_fits_two_options_chooses_none() -> None:
    twins = open_choice("Wald - Typ", "Wald - Funktion")
    assert planned("Wald", after(choices=(twins,))) == ("load_layer: layers.search(query=Wald)",)
    exact = open_choice("Wald", "Wald - Typ")
    assert planned("Wald", after(choices=(exact,))) == ("choice turn.0.0",)


def test_without_an_open_choice_there_is_nothing_to_choose() -> None:
    assert planned("die zweite") == ("clarify?",)


@pytest.mark.parametrize("message", ["nein, das andere", "Doch das zweite von vorhin", "und das andere"])
def test_after_a_choice_another_option_can_be_taken(message: str) -> None:
    offered = ("EGRID CH807306583219 – Grundstück 168 Messen", "EGRID CH181832067404 – Grundstück 168 Messen")
    found = {"type": "parcel", "label": "Grundstück 168 Messen", "egrid": "CH807306583219"}
    result = StepResult(intent="show_parcel", ok=True, text="", items=(found,), offered=offered)
    session = after("Zeige Grundstück 168 in Messen", f"Ich wähle: {offered[0]}")
    session = session.model_copy(update={"results": (result,)})
    assert planned(message, session) == ("show_parcel: parcels.by_egrid(egrid=CH181832067404)",)


def test_what_is_denied_behind_an_option_is_not_taken() -> None:
    choice = open_choice("Grundstück 198 (Liegenschaft)", "Grundstück 531 (Baurecht)")
    session = after("ÖREB-Auszug bei 2600513, 1215519", choices=(choice,))
    assert planned("Die Liegenschaft, nicht das Baurecht", session) == (f"choice {choice.options[0].id}",)
