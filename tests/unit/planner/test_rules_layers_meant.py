"""Which layer is meant where none is called by its name."""

from collections.abc import Sequence

import pytest
from contracts.intents import Intent
from contracts.session import LoadedLayer, Session
from contracts.vocabulary import Vocabulary
from solothurn import VOCABULARY

from planner.rules import plan
from planner.rules.grammar.utterance import utterance_of
from planner.rules.grammar.wishes import Wish
from planner.rules.heard import layers as heard_layers
from planner.rules.heard.layers import layer_guessed, layers_meant, loaded_meant
from planner.rules.heard.loading import settled
from planner.rules.heard.things import wanted_of
from planner.rules.learned.things import things_in
from planner.rules.learned.wanted import wanted_in
from planner.rules.planning.past import Past
from planner.rules.reading.known import knowing
from planner.rules.references.places import Place

from .rules_kit import EVERYTHING, TOOLS

PITS = "Abbaustellen"
WATER, ROADS = "Grundwasserschutzzonen", "Kantonsstrassen"


def _loads(message: str, *queries: str) -> Sequence[str]:
    """What the layers that were read in a message are called after all."""
    said = utterance_of(message)
    read = tuple(Wish(Intent.LOAD_LAYER, query=query) for query in queries)
    return [wish.query for wish in settled(read, said, Past(Session(), said, TOOLS)) if wish.query]


@pytest.mark.parametrize(
    "message", ["wo holt man hier Kies", "die Gruben mit dem Schotter", "wo baggert man Schotter"]
)
def test_everyday_words_mean_a_layer(message: str) -> None:
    assert layers_meant(utterance_of(message).parts)[:1] == (PITS,)


@pytest.mark.parametrize("message", ["Hallo", "und dort?", "Zeige mir Olten", "xyzzy", ""])
def test_most_messages_mean_none(message: str) -> None:
    assert layers_meant(utterance_of(message).parts) == ()


def test_only_layers_that_there_are_are_meant() -> None:
    parts = utterance_of("wo holt man hier Kies").parts
    with knowing(Vocabulary()):
        assert layers_meant(parts) == ()


def test_of_what_is_loaded_the_likeliest_is_meant() -> None:
    loaded = tuple(LoadedLayer(id=f"ch.{n}", label=name) for n, name in enumerate((WATER, ROADS)))
    assert loaded_meant(utterance_of("das mit dem Trinkwasser weg").parts, loaded) == loaded[:1]
    assert loaded_meant(utterance_of("das Zeug weg").parts, loaded) == ()
    assert loaded_meant(utterance_of("das mit dem Trinkwasser weg").parts, ()) == ()


def test_a_name_stays_and_what_is_none_becomes_a_title() -> None:
    message = "die Wanderwege, und wo holt man hier Kies?"
    assert _loads(message, "Wanderwege", "holt hier Kies") == [
        "Wanderwege mit Sperrungen und Umleitungen",
        PITS,
    ]


def test_what_nobody_knows_is_not_lost() -> None:
    assert _loads("Lade Karst und Einhornvorkommen", "Karst", "Einhornvorkommen") == [
        "Karst",
        "Einhornvorkommen",
    ]


def test_of_a_word_of_many_layers_one_is_chosen() -> None:
    assert _loads("Welche Karten zum Wald hast du?", "Wald") == ["Wald"]


def test_who_wants_a_layer_and_names_a_place_sees_it_there() -> None:
    said = utterance_of("Kies holen muss ich in Gunzgen")
    read = (Wish(Intent.LOAD_LAYER, query="Kies"),)
    first, *_ = settled(read, said, Past(Session(), said, TOOLS))
    assert first.intent == Intent.SEARCH_PLACE
    assert isinstance(first.target, Place)
    assert first.target.spoken == "Gunzgen"


def test_the_canton_is_no_place_to_go_to() -> None:
    said = utterance_of("Kies holen im Kanton")
    read = (Wish(Intent.LOAD_LAYER, query="Kies"),)
    assert [wish.intent for wish in settled(read, said, Past(Session(), said, TOOLS))] == [Intent.LOAD_LAYER]


LOADED = Session(layers=tuple(LoadedLayer(id=f"ch.{n}", label=n) for n in ("Karst", "Geotope", "Wald")))


def _done(message: str) -> list[tuple[str, object]]:
    steps = plan(message, LOADED, TOOLS).steps
    return [(step.intent, step.args.get("name")) for step in steps]


@pytest.mark.parametrize(
    ("message", "removed"),
    [
        ("Karst raus, Geotope bleiben", ["Karst"]),
        ("Karst weg, Geotope und Wald bleiben", ["Karst"]),
        ("Geotope und Wald bleiben, Karst weg", ["Karst"]),
        ("Geotope und Wald bleiben, sonst alles weg", ["Karst"]),
    ],
)
def test_what_is_to_stay_is_not_removed(message: str, removed: list[str]) -> None:
    assert _done(message) == [(Intent.REMOVE_LAYER, name) for name in removed]


@pytest.mark.parametrize("message", ["Lösche meinen Account", "den Fussball weg", "der Hund ist weg"])
def test_nothing_is_removed_for_a_word_that_is_no_layer(message: str) -> None:
    assert not {name for _, name in _done(message)} & {"*", "Karst", "Geotope", "Wald"}


def test_what_is_empty_is_emptied_first() -> None:
    first, *others = [intent for intent, _ in _done("Lösche alles. Lade die Altlasten. Zoome auf Olten.")]
    assert first == Intent.CLEAR_MAP
    assert Intent.LOAD_LAYER in others


@pytest.mark.parametrize("message", ["wo holt man hier Kies", "wo holt man hier Kies?"])
def test_who_asks_where_something_is_sees_the_layer(message: str) -> None:
    (step,) = plan(message, Session(), TOOLS).steps
    assert [dict(call.args) for call in step.calls] == [{"query": PITS}]


@pytest.mark.parametrize("message", ["Bitte keine Altlasten", "Ich will keine Altlasten sehen"])
def test_what_one_wants_none_of_is_not_loaded(message: str) -> None:
    assert [step.intent for step in plan(message, Session(), TOOLS).steps] == [Intent.ANSWER]


def test_a_wish_for_no_layer_in_particular_is_settled() -> None:
    assert _loads("Zeig es mir") == []
    assert _loads("Zeig es mir", "") == []


@pytest.mark.parametrize("message", ["Zeig mir die Politik", "Zeig mir das Dach", "Zeig mir den Unfall"])
def test_a_lone_word_that_is_like_one_loads_nothing(message: str) -> None:
    assert layers_meant(utterance_of(message).parts) == ()


def test_a_place_that_something_else_is_asked_of_is_not_gone_to() -> None:
    steps = plan("Lade Karst und wie weit ist es von Olten nach Grenchen?", Session(), EVERYTHING).steps
    assert Intent.SEARCH_PLACE not in [step.intent for step in steps]


@pytest.mark.parametrize("message", ["Altlasten, aber nicht in Olten", "Haben alle im Kanton Altlasten?"])
def test_one_goes_neither_to_what_is_denied_nor_to_the_whole_canton(message: str) -> None:
    said, wanted = utterance_of(message), (Wish(Intent.LOAD_LAYER, query="Altlasten"),)
    assert settled(wanted, said, Past(Session(), said, TOOLS)) == wanted


@pytest.mark.parametrize("message", ["Wo wurden PFAS gefunden?", "Wer bezahlt die Sanierung von Altlasten?"])
def test_beside_an_answer_no_layer_is_loaded_that_may_be_meant(message: str) -> None:
    assert [step.intent for step in plan(message, Session(), TOOLS).steps] == [Intent.SEARCH_DOCUMENTS]


@pytest.mark.parametrize(
    ("probable", "guess"),
    [
        ({"Karst": 0.3, "Geotope": 0.05}, "Karst"),
        ({"Karst": 0.3, "Geotope": 0.2}, ""),
        ({"Karst": 0.24}, ""),
        ({"Atlantis": 0.4, "Karst": 0.3}, "Karst"),
        ({}, ""),
    ],
)
def test_where_a_layer_is_wanted_the_clearly_likeliest_is_enough(
    probable: dict[str, float], guess: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heard_layers, "_probable", lambda parts, above: probable)
    assert " ".join(layer_guessed(utterance_of("wo versickert hier das Wasser").clauses)) == guess
    assert layer_guessed(utterance_of("Wasser").clauses) == ()


@pytest.mark.parametrize(
    "message",
    [
        "Zeig mir die Parkplätze am Bahnhof",
        "show me the parking lots near the station",
        "Zeig mir die Toiletten und die Kinos",
        "Lade den Layer Handel und Gewerbe",
    ],
)
def test_what_there_is_no_layer_for_is_nothing_else(message: str) -> None:
    steps = plan(message, Session(), TOOLS).steps
    loaded = [call.args.get("query") for step in steps for call in step.calls]
    assert {layer.name for layer in VOCABULARY.layers}.isdisjoint(map(str, loaded))


def _planned(message: str) -> list[str]:
    steps = plan(message, Session(), EVERYTHING).steps
    return [str(call.args.get("query")) for step in steps for call in step.calls]


@pytest.mark.parametrize(
    ("message", "titles"),
    [
        (
            "Gfahrecharte Wasser und Gfahrecharte Sturz",
            ["Gefahrenkarte Wasser (Naturgefahren)", "Gefahrenkarte Sturz (Naturgefahren)"],
        ),
        ("Lad d Bodeeignig Kulturtyp", ["Bodeneignung Kulturtyp (Quelle Bund)"]),
        (
            "Chasch mer de Schutzwald lade und d Gfahrecharte Rutschig?",
            ["Schutzwald", "Gefahrenkarte Rutschung"],
        ),
    ],
)
def test_layers_are_called_by_their_names_in_dialect(message: str, titles: list[str]) -> None:
    loaded = _planned(message)
    assert len(loaded) == len(titles)
    for title in titles:
        assert any(query.startswith(title.partition(" (")[0].partition(" mit")[0]) for query in loaded)


@pytest.mark.parametrize("message", ["Ich bin Geologe in Olten", "ich bruche nüt", "Affiche les communes"])
def test_what_only_sounds_a_little_like_a_name_is_none(message: str) -> None:
    called = {thing.what for thing in things_in(utterance_of(message).parts)}
    assert called.isdisjoint({"Geologie", "Kunstbauten", "Plakatstandorte Bestimmungen"})


@pytest.mark.parametrize(
    "message",
    [
        "Programm Biodiversität im Wald und Pro Natura Waldreservate, merci vielmal",
        "Baulinien von Solothurn und Obergerlafingen, Grundstücke",
        "Bitte Gebäude- und Wohnungsregister und AV-GWR Abgleich",
    ],
)
def test_all_of_a_mere_list_is_loaded(message: str) -> None:
    assert len(_planned(message)) == 2


@pytest.mark.parametrize(
    "message",
    [
        "Karst, nein, Geotope",
        "nur Karst und Geotope",
        "Karst: Geotope",
        "Karst und Geotope?",
        "Karst Geotope",
    ],
)
def test_what_says_more_is_no_mere_list(message: str) -> None:
    said = utterance_of(message)
    assert wanted_of(said) == wanted_in(said)


def test_who_tells_what_he_is_does_not_list_it() -> None:
    assert len(_planned("Statische Waldgrenze und Jungwaldpflege, ich bin Waldbesitzer")) == 2
