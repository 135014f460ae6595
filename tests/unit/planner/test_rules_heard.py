"""What is filled in for an intent that was heard, and what is not heard against the rules."""

from typing import Any

import pytest
from contracts.intents import Intent
from contracts.session import LoadedLayer, Session

from planner.rules import plan
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.utterance import utterance_of
from planner.rules.grammar.wishes import Wish, answer, clarify
from planner.rules.heard import hearing
from planner.rules.heard.arranging import ARRANGING
from planner.rules.heard.asking import ASKING
from planner.rules.heard.given import Given
from planner.rules.heard.loading import LOADING, settled
from planner.rules.heard.places import PLACES
from planner.rules.learned.model import intent_model
from planner.rules.planning.past import Past
from planner.rules.reading.numerals import number_in_words
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

from .rules_kit import TOOLS, after

MAKERS = {**PLACES, **LOADING, **ARRANGING, **ASKING}
LOADED = Session(
    layers=tuple(LoadedLayer(id=f"ch.{name.casefold()}", label=name) for name in ("Karst", "Geotope", "Wald"))
)


def made(intent: Intent, message: str, session: Session | None = None, *others: Intent) -> Wishes:
    said = utterance_of(message)
    past = Past(session or Session(), said, TOOLS)
    return MAKERS[intent](intent, Given(said, past, frozenset({intent, *others}), {intent: 1.0}, ()))


def names(intent: Intent, message: str) -> list[Any]:
    return [wish.args.get("name") for wish in made(intent, message, LOADED)]


@pytest.mark.parametrize(
    ("message", "parcels"),
    [
        ("fünfhunderteinunddreissig in Messen bitte", (Parcel("531", "Messen"),)),
        ("die 198 und die 531, beide Messen", (Parcel("198", "Messen"), Parcel("531", "Messen"))),
        ("nicht Balm, die 168 in Messen", (Parcel("168", "Messen"),)),
    ],
)
def test_each_parcel_that_is_named_has_an_extract(message: str, parcels: tuple[Parcel, ...]) -> None:
    assert tuple(wish.target for wish in made(Intent.OEREB_EXTRACT, message)) == parcels


def test_who_compares_two_places_hears_both_heights() -> None:
    wishes = made(Intent.HEIGHT_QUERY, "Nunningen oder doch Seewen, wer liegt weiter oben")
    assert [wish.target.spoken for wish in wishes if isinstance(wish.target, Place)] == [
        "Nunningen",
        "Seewen",
    ]


def test_a_distance_has_two_ends() -> None:
    (wish,) = made(Intent.MEASURE_DISTANCE, "wie viel trennt Dornach und Breitenbach")
    assert (wish.args["start"], wish.args["end"]) == ("Dornach", "Breitenbach")
    assert made(Intent.MEASURE_DISTANCE, "und wie weit nun") == ()


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("Basel? Nein, nach Breitenbach", "Breitenbach"),
        ("statt Trimbach möchte ich Olten", "Olten"),
        ("ich wohne in Trimbach, aber zeig mir Olten", "Olten"),
    ],
)
def test_one_goes_to_the_place_that_is_not_taken_back(message: str, place: str) -> None:
    (wish,) = made(Intent.SEARCH_PLACE, message)
    assert isinstance(wish.target, Place)
    assert wish.target.spoken == place


@pytest.mark.parametrize(
    ("message", "layers"),
    [
        ("den Karst mal verschwinden lassen", ["Karst"]),
        ("die erste kann weg", ["Karst"]),
        ("das oberste stört", ["Wald"]),
        ("nur den Karst behalten", ["Geotope", "Wald"]),
        ("den Wald lassen, sonst nichts", ["Karst", "Geotope"]),
        ("alle weg", ["*"]),
    ],
)
def test_the_layers_that_are_meant_are_hidden(message: str, layers: list[str]) -> None:
    assert names(Intent.HIDE_LAYER, message) == layers


def test_nothing_is_done_to_layers_where_none_is_loaded() -> None:
    for intent in ARRANGING.keys() & {Intent.HIDE_LAYER, Intent.MOVE_LAYER}:
        assert made(Intent(intent), "den Karst bitte") == ()


@pytest.mark.parametrize(
    ("message", "opacity"),
    [
        ("Karst auf dreissig Prozent Deckkraft", 0.3),
        ("Karst zu fünf Prozent deckend", 0.05),
        ("Karst neunzig Prozent durchsichtig", 0.1),
        ("Karst 60 % Deckkraft, wart, 80", 0.8),
        ("Karst ein Viertel transparent", 0.75),
        ("Karst, .6 Deckkraft", 0.6),
    ],
)
def test_how_opaque_it_is_to_be_is_the_last_that_is_said(message: str, opacity: float) -> None:
    (wish,) = made(Intent.SET_LAYER_OPACITY, message, LOADED)
    assert (wish.args["name"], wish.args["opacity"]) == ("Karst", opacity)


def test_small_numbers_in_words_count_layers() -> None:
    wishes = made(Intent.SET_LAYER_OPACITY, "die zwei, Karst und Wald, durchsichtiger", LOADED)
    assert [wish.args["opacity"] for wish in wishes] == [0.75, 0.75]


@pytest.mark.parametrize(
    ("message", "args"),
    [
        ("Karst ganz runter, äh nein, hinauf damit", {"name": "Karst", "to": "top"}),
        ("Geotope eins nach unten", {"name": "Geotope", "to": "down"}),
        ("Karst über Wald", {"name": "Karst", "above": "Wald"}),
    ],
)
def test_a_layer_is_moved_to_where_is_said_last(message: str, args: dict[str, str]) -> None:
    (wish,) = made(Intent.MOVE_LAYER, message, LOADED)
    assert wish.args == args


def test_where_it_is_to_lie_is_asked_for() -> None:
    assert made(Intent.MOVE_LAYER, "Karst anders anordnen", LOADED) == (clarify("which_order"),)


@pytest.mark.parametrize(
    ("message", "background"),
    [
        ("nicht das Luftbild, lieber schwarz-weiss", "sw"),
        ("s/w bitte", "sw"),
        ("aus dem Flieger gesehen", "ortho"),
        ("gar keinen Hintergrund", "none"),
    ],
)
def test_the_background_that_is_not_denied_counts(message: str, background: str) -> None:
    assert [wish.args["background"] for wish in made(Intent.SET_BACKGROUND, message)] == [background]


def test_each_layer_is_loaded_once() -> None:
    said = utterance_of("Altlasten und die Altlasten")
    wish = Wish(Intent.LOAD_LAYER, query="Altlasten")
    assert len(settled((wish, wish), said, Past(Session(), said, TOOLS))) == 1


@pytest.mark.parametrize("text", ["left_alone", "how_opaque"])
def test_what_leaves_no_doubt_stands(text: str) -> None:
    said = utterance_of("Karst ausblenden")
    read = (answer(text),)
    assert hearing.heard(said, Past(LOADED, said, TOOLS), read) == read


def test_an_intent_that_no_conversation_has_stays_as_it_was_read() -> None:
    said = utterance_of("Karst ausblenden")
    read = (Wish("solar_potential"),)
    assert hearing.heard(said, Past(LOADED, said, TOOLS), read) == read


def test_what_no_tool_can_do_is_not_heard() -> None:
    said = utterance_of("Wie weit ist es von Olten nach Grenchen?")
    read = (clarify("unclear"),)
    assert hearing.heard(said, Past(Session(), said, ()), read) == read


def test_what_is_lacking_is_asked_for_or_filled_in() -> None:
    said = utterance_of("der Karst kann weg")
    (wish,) = hearing.heard(said, Past(LOADED, said, TOOLS), (clarify("unclear"),))
    assert (wish.intent in (Intent.HIDE_LAYER, Intent.REMOVE_LAYER), wish.args) == (True, {"name": "Karst"})


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("hundertachtundneunzig", "198"),
        ("zweitausendvierundachtzig", "2084"),
        ("neunundneunzig-null-eins", "9901"),
    ],
)
def test_numbers_are_read_in_words(word: str, number: str) -> None:
    assert number_in_words(word) == number
    assert number_in_words("hundert-wasser") is None


@pytest.mark.parametrize(
    ("message", "looks"),
    [
        ("Zeige Olten", False),
        ("Danke", False),
        ("Lade Karst", False),
        ("mir ist das da vorne alles zu bunt geworden", True),
    ],
)
def test_a_sense_is_looked_at_where_words_leave_doubts(
    message: str, looks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(hearing, "sense_of", asked.append)
    plan(message, Session(), TOOLS)
    assert asked == ([message] if looks else [])


@pytest.mark.parametrize(
    ("message", "intents"),
    [
        ("Gehe nach Olten", {Intent.SEARCH_PLACE}),
        ("und in Olten?", {Intent.SEARCH_PLACE, Intent.GEOTHERMAL_PROBE_ASSESSMENT}),
    ],
)
def test_who_goes_on_does_not_ask_the_same_again(
    message: str, intents: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    probable = dict.fromkeys(intent_model().labels, 0.01)
    probable |= {Intent.SEARCH_PLACE: 0.98, Intent.GEOTHERMAL_PROBE_ASSESSMENT: 0.66}
    session = after("Kann ich an der Rötistrasse 4 in Solothurn eine Erdwärmesonde bohren?")
    monkeypatch.setattr(hearing, "_probable", lambda *_: probable)
    said = utterance_of(message)
    read = (Wish(Intent.SEARCH_PLACE, Place("Olten", "municipality")),)
    assert {wish.intent for wish in hearing.heard(said, Past(session, said, TOOLS), read)} == intents
