"""What is wanted of each of several things that a message names."""

from collections import defaultdict
from collections.abc import Mapping

import pytest
from contracts.intents import Intent
from contracts.session import LoadedLayer, Session

from planner.rules.grammar.utterance import utterance_of
from planner.rules.grammar.wishes import Wish, answer, clarify, label_of, load, visit
from planner.rules.heard.given import Given
from planner.rules.heard.wanted import as_wanted, meant_of
from planner.rules.learned.wanted import _probable, wanted_in
from planner.rules.planning.past import Past
from planner.rules.references.addresses import Address
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

from .rules_kit import TOOLS, planned
from .wanted_kit import wanted

OLTEN, TRIMBACH = Place("Olten", "municipality"), Place("Trimbach", "municipality")


def test_who_names_one_thing_is_not_listened_to_for_it() -> None:
    assert wanted_in(utterance_of("Zeig mir Olten")) == ()


def meant(
    message: str, probable: tuple[float, ...], *read: Wish, session: Session | None = None
) -> tuple[str, tuple[Wish, ...]]:
    said, kept = meant_of(utterance_of(message), read, session or Session(), wanted(message, *probable))
    return " ".join(part.text for part in said.parts), kept


def test_what_is_hardly_meant_is_not_named_and_not_wished_for() -> None:
    wishes = (visit(OLTEN), visit(TRIMBACH))
    assert meant("Olten kenne ich, zeig mir Trimbach", (0.1, 0.9), *wishes) == (
        "kenne ich , zeig mir Trimbach",
        (visit(TRIMBACH),),
    )


@pytest.mark.parametrize("probable", [(0.1, 0.4), (0.3, 0.9)])
def test_all_stays_where_nothing_else_is_likely_or_it_is_in_doubt(probable: tuple[float, float]) -> None:
    said = "Olten kenne ich , zeig mir Trimbach"
    assert meant(said, probable, visit(OLTEN)) == (said, (visit(OLTEN),))


def test_what_is_named_twice_stays_wished_for_where_one_of_them_is_meant() -> None:
    wishes = (visit(OLTEN), visit(TRIMBACH))
    assert meant("Olten, nein, Trimbach, nein, Olten", (0.1, 0.1, 0.9), *wishes) == (
        ", nein , , nein , Olten",
        (visit(OLTEN),),
    )


def test_a_layer_is_left_out_by_its_title_but_not_where_it_is_loaded() -> None:
    message, wishes = "Karst hängt bei mir , lade Geologie", (load("Karst"), load("Geologie"))
    loaded = Session(layers=(LoadedLayer(id="ch.karst", label="Karst"),))
    assert meant(message, (0.1, 0.9), *wishes)[1] == (load("Geologie"),)
    assert meant(message, (0.1, 0.9), *wishes, session=loaded) == (message, wishes)


def test_who_says_both_means_both() -> None:
    message, wishes = "In Olten wohne ich , in Zuchwil nicht , zeig beide", (visit(OLTEN),)
    assert meant(message, (0.1, 0.9), *wishes) == (message, wishes)


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


def odds(intent: str, probable: float) -> dict[str, float]:
    return {intent: probable}


def done(
    message: str, probable: tuple[float | Mapping[str, float], ...], *wishes: Wish, heard: float = 0.9
) -> list[str]:
    """What is done in the end: intents, with what they are about."""
    said = utterance_of(message)
    given = Given(
        said,
        Past(Session(), said, TOOLS),
        frozenset(map(label_of, wishes)),
        defaultdict(lambda: heard),
        wishes,
    )
    found = as_wanted(wishes, given, wanted(message, *probable))
    return [f"{each.intent} {getattr(each.target, 'name', each.target) or each.query}" for each in found]


def test_what_is_surely_wanted_is_done_although_it_was_not_read() -> None:
    message = "Mein Herz schlägt für Olten, mein Verstand für Trimbach"
    assert done(message, (0.91, 0.95), visit(TRIMBACH)) == ["search_place Trimbach", "search_place Olten"]
    assert done(message, (0.89, 0.95), visit(TRIMBACH)) == ["search_place Trimbach"]


def test_what_the_message_as_a_whole_hardly_wants_is_not_done() -> None:
    heights = (odds(Intent.HEIGHT_QUERY, 0.95), odds(Intent.HEIGHT_QUERY, 0.95))
    message, read = "Olten und Trimbach", (load("Karst"),)
    assert done(message, heights, *read) == [
        "load_layer Karst",
        "height_query Olten",
        "height_query Trimbach",
    ]
    assert done(message, heights, *read, heard=0.01) == ["load_layer Karst"]


def test_where_one_is_asked_back_nothing_is_added() -> None:
    wishes = (visit(TRIMBACH), clarify("which_background"))
    assert done("Olten und Trimbach", (0.95, 0.95), *wishes) == ["search_place Trimbach", "clarify "]
    unknown = (visit(TRIMBACH), load("Einhörner"))
    assert len(done("Olten und Trimbach", (0.95, 0.95), *unknown)) == 2


def test_what_is_wanted_of_something_else_is_not_done() -> None:
    wishes = (visit(OLTEN), Wish(Intent.HEIGHT_QUERY, TRIMBACH))
    both = (odds(Intent.HEIGHT_QUERY, 0.95), odds(Intent.SEARCH_PLACE, 0.95))
    assert done("Wie hoch ist Olten? Zeig Trimbach", both, *wishes) == [
        "search_place Trimbach",
        "height_query Olten",
    ]


def test_what_is_half_as_likely_as_of_another_is_dropped_unless_it_is_listed() -> None:
    both = (visit(OLTEN), visit(TRIMBACH))
    assert done("Olten kenne ich, zeig Trimbach", (0.44, 0.9), *both) == ["search_place Trimbach"]
    assert len(done("Olten kenne ich, zeig Trimbach", (0.46, 0.9), *both)) == 2
    assert len(done("Geh nach Trimbach und nach Olten", (0.9, 0.1), *both)) == 2


def test_what_is_hardly_wanted_is_not_done_where_anything_else_is() -> None:
    height, hardly = (
        odds(Intent.HEIGHT_QUERY, 0.95),
        odds(Intent.HEIGHT_QUERY, 0.95) | odds(Intent.SEARCH_PLACE, 0.1),
    )
    wishes = (visit(OLTEN), Wish(Intent.HEIGHT_QUERY, OLTEN), Wish(Intent.HEIGHT_QUERY, TRIMBACH))
    heights = ["height_query Olten", "height_query Trimbach"]
    assert done("Wie hoch ist Olten? Und Trimbach?", (hardly, height), *wishes) == heights
    perhaps = hardly | odds(Intent.SEARCH_PLACE, 0.3)
    assert done("Wie hoch ist Olten? Und Trimbach?", (perhaps, height), *wishes) == [
        "search_place Olten",
        *heights,
    ]
    kept = (load("Karst"), visit(OLTEN))
    assert done("Karst war gestern, heute Olten", (0.1, 0.9), *kept) == ["search_place Olten"]


def test_where_nothing_is_wanted_it_is_left_alone() -> None:
    assert done("Olten und Trimbach", (0.04, 0.04), visit(OLTEN)) == ["answer "]
    assert done("Olten und Trimbach", (0.04, 0.1), visit(OLTEN)) == ["search_place Olten"]


def test_a_postcode_is_not_left_alone() -> None:
    town = Place("5012", "locality")
    assert done("die Ortschaften mit der PLZ 5012", (0.0, 0.0), visit(town)) == ["search_place 5012"]


def test_a_question_about_a_parcel_stays_whatever_is_heard_of_it() -> None:
    zone, other = (Wish(Intent.OEREB_EXTRACT, Parcel(number, "Messen")) for number in ("168", "198"))
    heard = (odds(Intent.OEREB_EXTRACT, 0.1), odds(Intent.OEREB_EXTRACT, 0.95))
    assert len(done("Was gilt für 168? Und 198?", heard, zone, other)) == 2
    assert len(done("Was gilt, nicht für 168, für 198", heard, zone, other)) == 1


def test_where_something_is_wanted_stays() -> None:
    message, heard = "Ich bin in Olten, nicht in Trimbach. Wie hoch?", (odds(Intent.HEIGHT_QUERY, 0.95), 0.0)
    assert done(message, heard, visit(OLTEN), Wish(Intent.HEIGHT_QUERY)) == [
        "search_place Olten",
        "height_query ",
    ]
    assert done(message, heard, visit(OLTEN), Wish(Intent.HEIGHT_QUERY, OLTEN)) == ["height_query Olten"]
    assert len(done(message, heard, visit(OLTEN), Wish(Intent.HEIGHT_QUERY, Place("Belp", "locality")))) == 2


def test_who_wants_a_layer_sees_it_where_it_is_named() -> None:
    assert len(done("Karst bei Olten", (0.9, 0.0), load("Karst"), visit(OLTEN))) == 2


@pytest.mark.parametrize(
    ("message", "probable", "expected"),
    [
        ("Karst, dann Steischlag", (0.9, 0.99), ["Karst", "Gefahrenkarte Sturz (Naturgefahren)"]),
        ("Karst, dann Steischlag", (0.9, 0.97), ["Karst"]),
        ("Karst mit Steischlag", (0.9, 0.99), ["Karst"]),
    ],
)
def test_a_word_for_a_layer_has_to_be_certain_and_to_stand_in_a_clause_of_its_own(
    message: str, probable: tuple[float, float], expected: list[str]
) -> None:
    assert done(message, probable, load("Karst")) == [f"load_layer {name}" for name in expected]


@pytest.mark.parametrize(
    "read", [clarify("unclear"), answer("left_alone"), Wish(Intent.SEARCH_DOCUMENTS, query="Karst, Geologie")]
)
def test_what_was_not_understood_gives_way_to_what_is_surely_wanted(read: Wish) -> None:
    message = "Ohne Karst und ohne Geologie geht es nicht"
    assert done(message, (0.95, 0.95), read) == ["load_layer Karst", "load_layer Geologie"]
    assert len(done(message, (0.95, 0.5), clarify("where"))) == 1


def test_documents_are_asked_where_not_all_that_is_named_is_surely_wanted_on_the_map() -> None:
    asked = Wish(Intent.SEARCH_DOCUMENTS, query="Karst")
    assert done("Was gilt im Karst für die Geologie?", (0.95, 0.8), asked) == ["search_documents Karst"]
    assert done("Was gilt im Karst?", (0.95,), asked) == ["search_documents Karst"]


def test_who_is_known_to_want_some_layers_does_not_choose_among_them() -> None:
    choice = Wish(Intent.LOAD_LAYER, query="Karst Geologie alles", among=("Karst", "Geologie"))
    assert done("Karst Geologie alles", (0.95, 0.95), choice) == ["load_layer Karst", "load_layer Geologie"]
    assert done("Karst Geologie alles", (0.95, 0.8), choice) == ["load_layer Karst Geologie alles"]


def test_a_layer_is_loaded_once_whatever_it_is_called() -> None:
    assert done("Karst, und die Geologie", (0.95, 0.95), load("karst")) == [
        "load_layer karst",
        "load_layer Geologie",
    ]


def test_an_address_has_its_town_and_a_parcel_its_municipality() -> None:
    seen, hardly = odds(Intent.SEARCH_PLACE, 0.95), odds(Intent.SEARCH_PLACE, 0.1)
    streets = "Rötistrasse 4, also die in Solothurn, und Langendorfstrasse 19b"
    first, second = done(streets, (seen, seen, seen), visit(Address("Langendorfstrasse", "19b", "4500")))
    assert "19b" in first
    assert "place='Solothurn'" in second and "Röti" in second
    assert len(done(streets, (seen, seen, hardly), load("Karst"))) == 2
    extract = odds(Intent.OEREB_EXTRACT, 0.95)
    hardly, read = odds(Intent.OEREB_EXTRACT, 0.1), Wish(Intent.OEREB_EXTRACT, Parcel("168", "Messen"))
    assert done("Auszug 168 Messen. Halt, 198.", (hardly, extract, extract), read) == [
        "oereb_extract Parcel(number='198', municipality='Messen')"
    ]


def test_who_has_said_enough_is_not_asked() -> None:
    message = "Olten war gestern im Bus, heute zeig Trimbach"
    assert done(message, (0.1, 0.95), visit(TRIMBACH), clarify("which_layer")) == ["search_place Trimbach"]
    assert len(done(message, (0.1, 0.7), visit(TRIMBACH), clarify("which_layer"))) == 2
    there = Wish(Intent.SHOW_PARCEL, Place("Messen", "municipality"))
    parcel = Wish(Intent.SHOW_PARCEL, Parcel("531", "Messen"))
    shown = odds(Intent.SHOW_PARCEL, 0.95)
    assert done("Zeig 531 in Messen", (shown, shown), parcel, there) == [
        "show_parcel Parcel(number='531', municipality='Messen')"
    ]


def test_who_names_a_parcel_is_still_asked_where_in_another_town() -> None:
    parcel = Wish(Intent.SHOW_PARCEL, Parcel("531", "Messen"))
    elsewhere = Wish(Intent.OEREB_EXTRACT, OLTEN)
    seen, extract = odds(Intent.SHOW_PARCEL, 0.95), odds(Intent.OEREB_EXTRACT, 0.95)
    assert len(done("Zeig 531 in Messen, Auszug in Olten", (seen, seen, extract), parcel, elsewhere)) == 2


def test_without_the_embedding_model_all_that_is_named_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planner.rules.learned.wanted._hearing", lambda: None)
    _probable.cache_clear()
    assert wanted_in(utterance_of("Olten kenne ich, bring mich nach Trimbach")) == ()
    _probable.cache_clear()


@pytest.mark.parametrize(
    ("message", "houses"),
    [
        ("Zeig Rötistrasse 22 und 24", ["22", "24"]),
        ("Rötistrasse 22, 24", ["22", "24"]),
        ("Rötistrasse 22, nein 24", ["24"]),
        ("Zeig Rötistrasse 22 und Grundstück 24", ["22"]),
    ],
)
def test_a_number_behind_an_address_is_one_of_its_street(message: str, houses: list[str]) -> None:
    shown = [each for each in planned(message) if each.startswith("goto_address")]
    assert [each.rpartition(" ")[2].rstrip(")") for each in shown] == houses
