"""What the model of things learns from conversations."""

import pytest
from evaluation.conversations import Conversation, Turn
from evaluation.learning import OF_THINGS, digest
from evaluation.learning_wanted import in_a_row, wanted_of
from evaluation.outcomes import parsed

from planner.rules.grammar.utterance import utterance_of
from planner.rules.learned.things import things_in
from planner.rules.learned.wanted import _hearing


@pytest.mark.parametrize(
    ("message", "outcomes", "expected"),
    [
        ("Olten, nein, Trimbach", ["view Trimbach"], [{}, {"search_place": True}]),
        ("Karst, nein, Geologie", ["load Geologie"], [{}, {"load_layer": True}]),
        ("Olten oder Trimbach", ["height"], [{"height_query": False}] * 2),
        (
            "Karst in Olten, nein, in Trimbach",
            ["load Karst + view Trimbach"],
            [{"load_layer": True}, {}, {"search_place": True}],
        ),
        (
            "198 Messen, nein, 531 Messen",
            ["extract 531 Messen"],
            [{}, {"oereb_extract": True}, {"oereb_extract": True}, {"oereb_extract": True}],
        ),
        (
            "Karst weg, Geologie her",
            ["hide Karst + load Geologie", "remove Karst + load Geologie"],
            [{"hide_layer": True, "remove_layer": False}, {"load_layer": True}],
        ),
        ("Olten oder Trimbach", ["choose Olten | Trimbach", "view Olten"], [{"search_place": True}, {}]),
        ("Olten, nein, Wangen bei Olten", ["view Wangen bei Olten"], [{}, {"search_place": True}]),
        ("Bezirk Thal, nein, Bezirk Gäu", ["view Gäu"], [{"search_place": False}, {"search_place": True}]),
        (
            "Gefahrenkarte Sturz, nicht Gefahrenkarte Rutschung",
            ["load Gefahrenkarte Sturz"],
            [{"load_layer": True}, {}],
        ),
        (
            "Wie viele Altlasten hat Olten? Karst weiss ich",
            ["query Altlasten Olten"],
            [{"query_features": True}, {"query_features": True}, {}],
        ),
    ],
)
def test_what_is_accepted_tells_what_is_wanted_of_things(
    message: str, outcomes: list[str], expected: list[dict[str, bool]]
) -> None:
    things = things_in(utterance_of(message).parts)
    assert wanted_of(things, [parsed(outcome) for outcome in outcomes]) == expected


@pytest.mark.parametrize("outcomes", [["ask Ort"], ["choose Olten | Trimbach"]])
def test_where_one_has_to_ask_nothing_is_learned(outcomes: list[str]) -> None:
    things = things_in(utterance_of("Olten oder Trimbach").parts)
    assert wanted_of(things, [parsed(outcome) for outcome in outcomes]) is None


def test_what_each_sentence_wants_by_itself_is_learned_of_several_in_a_row() -> None:
    said = {"Wie hoch liegt Olten?": "height", "Zeig Trimbach": "view Trimbach", "Sali": "answer"}
    said |= {"Welcher Layer?": "ask", "Zeig Karst oder Olten": "choose Karst | Olten"}
    found = [
        Conversation("made", n, "de", "map", (Turn(message, (parsed(outcome),)),))
        for n, (message, outcome) in enumerate(said.items(), 1)
    ]
    learned = {"".join(each.segments): each.wanted for each in in_a_row(found, 2_000)}
    height, view = {"height_query": True}, {"search_place": True}
    assert learned["wie hoch liegt olten? zeig wangen."] == (height, view)
    assert learned["zeig olten. sali. wie hoch liegt wangen?"] == (view, height)
    assert not any("welcher" in message or "oder" in message for message in learned)
    assert all(len(wanted) > 1 for wanted in learned.values())


def test_the_model_of_things_is_that_of_the_conversations() -> None:
    hearing = _hearing()
    assert hearing is not None
    assert hearing.learned_from == digest(OF_THINGS), 'run `make learn ONLY="wanted.npz"`'
