"""Which of several things that a message names are meant."""

import pytest
from contracts.session import LoadedLayer, Session
from evaluation.learning import OF_THINGS, digest
from evaluation.learning_things import is_meant
from evaluation.outcomes import parsed

from planner.rules.grammar.utterance import Utterance, utterance_of
from planner.rules.grammar.wishes import Wish, load, visit
from planner.rules.heard import unmeant
from planner.rules.learned.model import thing_model
from planner.rules.learned.things import rivals, surroundings, things_in
from planner.rules.references.places import Place

from .rules_kit import planned

OLTEN, TRIMBACH = Place("Olten", "municipality"), Place("Trimbach", "municipality")


def names(message: str) -> list[str]:
    things = things_in(utterance_of(message).parts)
    return [each.what if isinstance(each.what, str) else each.kind for each in things]


def test_things_are_places_numbers_and_layers_in_their_order() -> None:
    message = "Karst bei Olten, Grundstück 198 in Messen, Rötistrasse 4, und die Drainagen"
    assert names(message) == ["Karst", "place", "parcel", "address", "Drainagen"]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Karst und Olten", ()),
        ("Olten, nein, Olten", ()),
        ("Karst, Geologie und Olten", ((0, 1),)),
        ("Olten, Karst, Trimbach, Geologie", ((0, 2), (1, 3))),
        (", ".join(["Olten", "Trimbach"] * 5), ()),
    ],
)
def test_rivals_are_a_few_different_things_of_a_sort(
    message: str, expected: tuple[tuple[int, ...], ...]
) -> None:
    assert rivals(things_in(utterance_of(message).parts)) == expected


def test_what_a_place_is_called_is_not_looked_at() -> None:
    one, other = (utterance_of(f"{name} kenne ich, zeig mir Wisen").parts for name in ("Olten", "Trimbach"))
    assert surroundings(one, things_in(one), 0) == surroundings(other, things_in(other), 0)
    assert surroundings(one, things_in(one), 0) != surroundings(one, things_in(one), 1)


@pytest.fixture
def probable(monkeypatch: pytest.MonkeyPatch) -> dict[int, float]:
    """How probable it is that a thing is meant, by its number; all others are."""
    told: dict[int, float] = {}

    def answer(said: Utterance, things: object, n: int) -> float:
        return told.get(n, 0.9)

    monkeypatch.setattr(unmeant, "_probable", answer)
    return told


def meant(message: str, *read: Wish, session: Session | None = None) -> tuple[str, tuple[Wish, ...]]:
    said, kept = unmeant.meant_of(utterance_of(message), read, session or Session())
    return " ".join(part.text for part in said.parts), kept


def test_what_is_hardly_meant_is_not_named_and_not_wished_for(probable: dict[int, float]) -> None:
    probable[0] = 0.1
    assert meant("Olten kenne ich, zeig mir Trimbach", visit(OLTEN), visit(TRIMBACH)) == (
        "kenne ich , zeig mir Trimbach",
        (visit(TRIMBACH),),
    )


@pytest.mark.parametrize("others", [{0: 0.1, 1: 0.4}, {0: 0.3}])
def test_all_stays_where_nothing_else_is_likely_or_it_is_in_doubt(
    probable: dict[int, float], others: dict[int, float]
) -> None:
    probable |= others
    said = "Olten kenne ich , zeig mir Trimbach"
    assert meant(said, visit(OLTEN)) == (said, (visit(OLTEN),))


def test_what_is_named_twice_stays_wished_for_where_one_of_them_is_meant(probable: dict[int, float]) -> None:
    probable[0] = probable[1] = 0.1
    wishes = (visit(OLTEN), visit(TRIMBACH))
    assert meant("Olten, nein, Trimbach, nein, Olten", *wishes) == (
        ", nein , , nein , Olten",
        (visit(OLTEN),),
    )


def test_a_layer_is_left_out_by_its_title_but_not_where_it_is_loaded(probable: dict[int, float]) -> None:
    probable[0] = 0.1
    message, wishes = "Karst hängt bei mir , lade Geologie", (load("Karst"), load("Geologie"))
    loaded = Session(layers=(LoadedLayer(id="ch.karst", label="Karst"),))
    assert meant(message, *wishes)[1] == (load("Geologie"),)
    assert meant(message, *wishes, session=loaded) == (message, wishes)


def test_who_says_both_means_both(probable: dict[int, float]) -> None:
    probable[0] = 0.1
    message, wishes = "In Olten wohne ich , in Zuchwil nicht , zeig beide", (visit(OLTEN),)
    assert meant(message, *wishes) == (message, wishes)


def test_where_nothing_that_was_read_is_meant_the_rest_is_read_again(probable: dict[int, float]) -> None:
    probable[0] = 0.1
    assert planned("Non più Olten ma Trimbach") == ("search_place: geolocation.municipality(q=Trimbach)",)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "Die Störfallverordnung kannst du dir sparen, ich brauche die Hydranten",
            ("load_layer: layers.search(query=Hydranten Wasser)",),
        ),
        ("Lade Karst und Geologie", ("Karst", "Geologie")),
        ("Zeig mir Grenchen und dann Bettlach", ("Grenchen", "Bettlach")),
        ("Ich wohne in Olten und arbeite in Zuchwil, zeig beides", ("Olten", "Zuchwil")),
        ("Hydranten, Drainagen, Karst, Geotope", ("Hydranten", "Drainagen", "Karst", "Geotope")),
    ],
)
def test_some_are_only_told_of_and_plain_lists_stay_whole(message: str, expected: tuple[str, ...]) -> None:
    steps = planned(message)
    assert len(steps) == len(expected)
    assert all(name in step for name, step in zip(expected, steps, strict=True))


@pytest.mark.parametrize(
    ("message", "outcome", "expected"),
    [
        ("Olten, nein, Trimbach", "view Trimbach", [False, True]),
        ("Karst, nein, Geologie", "load Geologie", [False, True]),
        ("Olten oder Trimbach", "height", [None, None]),
        ("Karst in Olten, nein, in Trimbach", "load Karst", [True, None, None]),
        ("198 Messen, nein, 531 Messen", "extract CH955832730623", [None, None]),
    ],
)
def test_what_is_accepted_tells_which_things_are_meant(
    message: str, outcome: str, expected: list[bool | None]
) -> None:
    things = things_in(utterance_of(message).parts)
    assert [is_meant(each, things, parsed(outcome)) for each in things] == expected


def test_the_model_of_things_is_that_of_the_conversations() -> None:
    assert thing_model().learned_from == digest(OF_THINGS), "run `make learn`"
