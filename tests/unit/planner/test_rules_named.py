"""What a message names counts although the rest of it is not understood; and what is no name is none."""

import pytest

from .rules_kit import after, planned


def place(name: str) -> tuple[str, ...]:
    return (f"search_place: geolocation.municipality(q={name})",)


def other_place(name: str) -> tuple[str, ...]:
    return (f"search_place: geolocation.place(q={name})",)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Bettlach steht da auf meinem Zettel", place("Bettlach")),
        ("von Gretzenbach, du Depp!", place("Gretzenbach")),
        ("Mach hinne: Waldplan!", ("load_layer: layers.search(query=Waldplan)",)),
        ("Für unseren Artikel benötigen wir die Lage von Kammersrohr", place("Kammersrohr")),
    ],
)
def test_the_one_thing_that_is_named_is_meant(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


@pytest.mark.parametrize(
    "message", ["Ich möchte in Olten eine Pizza essen", "Erinnere mich morgen an den Termin in Olten"]
)
def test_where_something_else_happens_is_nowhere_to_go(message: str) -> None:
    assert planned(message) != place("Olten")


@pytest.mark.parametrize(
    ("before", "message", "number"),
    [
        ("Zeig mir Parzelle 9930 in Oberbuchsiten", "zahlendreher, 9903 ist es", "9903"),
        ("Zeig mir Parzelle 9930 in Oberbuchsiten", "die 9903 wäre es gewesen", "9903"),
        ("Parz. 777 Olten", "Verschrieb meiner Sekretärin: 9905 Kammersrohr", "9905"),
    ],
)
def test_a_number_is_that_of_the_parcel_before(before: str, message: str, number: str) -> None:
    (step,) = planned(message, after(before))
    assert step.startswith("show_parcel:") and f"number={number}" in step


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("ÖREB-Auszug von Parzelle 168", "Balm bei Messen ist richtig"),
        ("oereb 168 bitte", "das in Messen"),
        ("Kann ich einen Auszug haben?", "für Nr. 168 in Messen"),
    ],
)
def test_what_was_asked_for_may_come_with_other_words(before: str, message: str) -> None:
    (step,) = planned(message, after(before))
    assert step.startswith("oereb_extract:") and "number=168" in step


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Zeig mir Bellach äh nein Langendorf", place("Langendorf")),
        ("Gehe nach Olten Quatsch Trimbach", place("Trimbach")),
        ("wo liegt dieses Balm, das bei Günsberg?", place("Balm bei Günsberg")),
        ("Sankt Pantaleon", other_place("St. Pantaleon")),
        ("ab ins Wasseramt", other_place("Bezirk Wasseramt")),
        ("Olten", place("Olten")),
        ("So ein Saftladen, wo zum Teufel ist Himmelried?!", place("Himmelried")),
        ("Wertes Fräulein vom Amte, wäret Ihr so gütig, mir Günsberg zu zeigen?", place("Günsberg")),
    ],
)
def test_one_place_is_meant_whatever_is_said_around_it(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        "Wobei können Sie mir alles helfen?",
        "Darf ich höflich fragen, was Sie denn so alles können?",
        "Was kannst du sonst noch beantworten?",
        "Ich kenne mich nicht aus. Was muss ich hier machen?",
    ],
)
def test_who_asks_what_can_be_done_is_told(message: str) -> None:
    assert planned(message) == ("answer: …",)


def test_what_is_called_like_nothing_is_not_asked_about_beside_a_wish() -> None:
    message = "Zeig mir Olten, das ist mir alles zu wenig anschaulich"
    assert planned(message) == place("Olten")
    for listed in ("Zeige Olten und Xanadu", "Zeige Olten und das Xanadu", "Montre-moi Olten et Xanadu"):
        assert planned(listed) == (*place("Olten"), "load_layer: layers.search(query=Xanadu)")


def test_what_is_told_of_a_place_is_shown_there() -> None:
    message = "Die Lastwagen donnern jede Nacht durch Olten, zeig mir den Strassenlärm dort"
    assert planned(message) == (*place("Olten"), "load_layer: layers.search(query=Strassenlärm Belastungen)")


def test_words_that_picked_an_option_are_no_wish() -> None:
    """`Balm bei Messen` was the answer to a choice, not a place to go to."""
    session = after("Auszug 168 Messen", "Ich wähle: Grundstück 168 Messen")
    (step,) = planned("und jetzt dasselbe für Nr. 198 in Messen", session)
    assert step.startswith("oereb_extract:") and "number=198" in step
