"""The notation of outcomes, and how strictly it is compared."""

import pytest
from evaluation.conversations import Conversation, Turn
from evaluation.outcomes import Happening, accepts, is_called, parsed, says
from evaluation.playing import Played


def view(name: str) -> Happening:
    return Happening("view", (name,))


def loaded(*names: str, told: str = "") -> Happening:
    return Happening("load", names, told)


def is_accepted(outcome: str, *happened: Happening) -> bool:
    return accepts(parsed(outcome), happened)


@pytest.mark.parametrize(
    "text",
    ["", "go Olten", "view", "load", "clear all", "background blue", "view Olten + jump", "View Olten"],
)
def test_what_is_not_in_the_notation_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parsed(text)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Olten", "olten"),
        ("Rüttenen", "Ruettenen"),
        ("Rüttenen", "Ruttenen"),
        ("Wangen b. Olten", "Wangen"),
        ("Wangen b. Olten", "Wangen bei Olten"),
        ("Büren (SO)", "Büren"),
        ("Rötistrasse 4, 4500 Solothurn", "Rötistrasse 4"),
        ("Rötistrasse 4, 4500 Solothurn", "Rötistrasse 4 Solothurn"),
        ("2'600'513 / 1'215'519", "2600513 1215519"),
        ("Bezirk Thal", "Thal"),
    ],
)
def test_a_place_is_called_by_its_name(name: str, words: str) -> None:
    assert is_called(name, words)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Wangen b. Olten", "Olten"),
        ("Rötistrasse 4, 4500 Solothurn", "Solothurn"),
        ("Rötistrasse 14, 4500 Solothurn", "Rötistrasse 4"),
        ("Rötistrasse 22a, 4500 Solothurn", "Rötistrasse 22"),
        ("Balmberg", "Balm"),
        ("Olten", "Olten Süd"),
        ("Gemeinde", "Olten"),
    ],
)
def test_a_place_is_not_called_by_another_name(name: str, words: str) -> None:
    assert not is_called(name, words)


def test_a_city_is_not_its_canton() -> None:
    def shown(told: str) -> Happening:
        return Happening("view", ("Solothurn",), told)

    assert is_accepted("view Kanton Solothurn", shown("Kanton Solothurn zentriert."))
    assert not is_accepted("view Kanton Solothurn", shown("Gemeinde Solothurn zentriert."))


def test_all_facts_have_to_happen_in_any_order() -> None:
    assert is_accepted("view Olten + load Lärm", loaded("Strassenlärm"), view("Olten"))
    assert not is_accepted("view Olten + load Lärm", view("Olten"))


def test_nothing_else_may_happen() -> None:
    assert not is_accepted("view Olten", view("Olten"), loaded("Strassenlärm"))
    assert not is_accepted("view Olten", view("Olten"), view("Olten"))
    assert not is_accepted("view Olten", view("Olten"), Happening("answer", told="Übrigens …"))
    assert not is_accepted("view Olten", Happening("setLayerOpacity"), view("Olten"))


def test_a_choice_is_no_deed() -> None:
    options = Happening("choose", ("Grundwasserschutzzonen", "Gewässerschutz"))
    assert not is_accepted("load Gewässerschutz", options)
    assert not is_accepted("choose Gewässerschutz", loaded("Gewässerschutz"))
    assert is_accepted("choose Gewässerschutz | Grundwasserschutzzonen", options)
    assert is_accepted("choose", options)
    assert not is_accepted("choose Gewässerschutz | Wald", options)


def test_a_question_is_no_answer() -> None:
    assert not is_accepted("answer", Happening("ask", told="Wo genau?", only_asks=True))
    assert not is_accepted("ask", Happening("answer", told="Hallo!"))
    assert is_accepted("ask Blitzer", Happening("documents", told="Wo sind die Blitzer?", only_asks=True))
    assert not is_accepted("ask", Happening("documents", told="Was kostet der Richtplan?"))
    assert not is_accepted("ask", Happening("error", told="Das hat nicht geklappt."))


def test_a_group_is_one_thing_or_its_layers() -> None:
    group = loaded("Grundwasserschutzzonen", "Grundwasserfassungen", told="Gewässerschutz-Layer geladen.")
    assert is_accepted("load Gewässerschutz", group)
    assert is_accepted("load Grundwasserschutzzonen + load Grundwasserfassungen", group)
    assert is_accepted("load Grundwasser", group)
    assert not is_accepted("load Grundwasserschutzzonen", group)


def test_two_layers_are_not_one() -> None:
    assert not is_accepted("load Lärm", loaded("Strassenlärm"), loaded("Fluglärm"))
    assert is_accepted("load Lärm + load Lärm", loaded("Strassenlärm"), loaded("Fluglärm"))


def test_all_layers_are_all_that_are_loaded() -> None:
    assert is_accepted("remove *", Happening("remove", ("Wald", "Lärm"), all=True))
    assert not is_accepted("remove *", Happening("remove", ("Wald",), all=False))
    assert is_accepted("remove Wald + remove Lärm", Happening("remove", ("Wald", "Lärm"), all=True))
    assert not is_accepted("remove Wald", Happening("remove", ("Wald", "Lärm"), all=True))


def test_words_are_looked_for_without_case_and_umlauts_and_numbers_whole() -> None:
    assert says("Grundstück 198 in Messen (21'174 m²)", "messen 198 21174")
    assert not says("Grundstück 1198 in Messen", "198")
    assert says("Eine Sonde ist nicht möglich", "moeglich|erlaubt nicht")
    assert says("Das geht nicht", "kann nicht | geht nicht")
    assert not says("Das geht", "kann nicht | geht nicht")
    assert says("irgendetwas", "")


def played(turn: Turn, *happened: Happening) -> Played:
    return Played(Conversation("plain", 1, "de", "map", (turn,)), turn, happened)


def test_who_does_what_was_wanted_and_asks_for_more_is_not_wrong_with_success() -> None:
    turn = Turn("Zeige Olten und lade den Wald", (parsed("view Olten + load Wald"),))
    asks = Happening("ask", told="Welcher Layer?", only_asks=True)
    assert played(turn, view("Olten"), asks).asked_without_need
    assert not played(turn, view("Olten"), asks).wrong_with_success
    assert played(turn, view("Olten")).wrong_with_success
    assert played(turn, view("Aarau"), asks).wrong_with_success
