"""Which of the layers on the map are meant, how opaque they are to be, and where they are to lie."""

import pytest
from contracts.intents import Intent
from contracts.session import HistoryEntry, LoadedLayer, Session
from evaluation.learning import FOLDERS, digest
from evaluation.learning_on_map import NOTHING, done, examples, tells_of
from evaluation.outcomes import parsed

from planner.rules.grammar.utterance import utterance_of
from planner.rules.heard import hearing
from planner.rules.heard.concerned import Concerned, concerned, on_map
from planner.rules.heard.opacity import opacity_in, says_value
from planner.rules.heard.order import moves_in
from planner.rules.learned.model import map_model
from planner.rules.learned.on_map import ONE
from planner.rules.planning.past import Past

from .rules_kit import TOOLS, after, planned

FROGS, ROADS, NOISE = (
    LoadedLayer(id=name.casefold(), label=name)
    for name in (
        "Amphibienlaichgebiete von nationaler Bedeutung - Ortsfeste Objekte (Quelle Bund)",
        "Kantonsstrassen",
        "Strassenlärm Belastungen",
    )
)
LAYERS = (FROGS, ROADS, NOISE)


def past_of(message: str, layers: tuple[LoadedLayer, ...] = LAYERS, answer: str = "") -> Past:
    told = (HistoryEntry(role="assistant", text=answer),) if answer else ()
    return Past(Session(layers=layers, history=told), utterance_of(message), TOOLS)


def seen(message: str, layer: LoadedLayer, answer: str = "") -> frozenset[str]:
    past = past_of(message, answer=answer)
    return on_map(past.message, past, ()).features_of(layer)


def test_what_a_layer_is_called_is_not_looked_at_but_that_it_is_named() -> None:
    features = seen("die Kantonsstrassen nach oben", ROADS)
    assert {"named this", "this <this>", "bottom 1", "top 1", "layers 3"} <= features
    assert not any("kantonsstrassen" in feature for feature in features)
    assert {"named other", "other <other>", "top 0"} <= seen("die Kantonsstrassen nach oben", NOISE)
    assert "named none" in seen("nach oben damit", ROADS)


def test_what_was_told_last_is_looked_at() -> None:
    answer = "Kantonsstrassen-Layer geladen."
    assert "told last True others False" in seen("blasser", ROADS, answer)
    assert "told last False others False" in seen("blasser", NOISE, answer)


def test_what_rules_would_pick_is_looked_at() -> None:
    assert "ordered True" in seen("das oberste weg", NOISE)
    assert "ordered False" in seen("das oberste weg", ROADS)
    assert "ordered none" in seen("weg damit", ROADS)


def likely(*probable: float, one: float, intent: str = Intent.SET_LAYER_OPACITY) -> Concerned:
    of_layers = zip(LAYERS, probable, strict=True)
    return Concerned(LAYERS, {layer.id: {intent: p, ONE: one} for layer, p in of_layers})


def test_where_one_is_meant_it_is_the_likeliest_and_else_all_that_are_likely() -> None:
    fades = Intent.SET_LAYER_OPACITY
    assert likely(0.6, 0.9, 0.1, one=0.9).by(fades, LAYERS, 0.5) == (ROADS,)
    assert likely(0.6, 0.9, 0.1, one=0.3).by(fades, LAYERS, 0.5) == (FROGS, ROADS)
    assert likely(0.2, 0.4, 0.1, one=0.3).by(fades, LAYERS, 0.5) == ()
    assert likely(0.2, 0.4, 0.1, one=0.3).by(fades, LAYERS, 0.3) == (ROADS,)
    assert likely(0.6, 0.9, 0.1, one=0.9).by(fades, (FROGS, NOISE), 0.5) == (FROGS,)
    assert Concerned().by(fades, LAYERS, 0.5) == ()


def test_what_is_named_and_hardly_meant_is_left_out_where_another_is_meant() -> None:
    fades = Intent.SET_LAYER_OPACITY
    assert likely(0.9, 0.1, 0.1, one=0.9).without_unlikely(fades, (FROGS, ROADS)) == (FROGS,)
    assert likely(0.4, 0.1, 0.1, one=0.9).without_unlikely(fades, (FROGS, ROADS)) == (FROGS, ROADS)


def test_whether_it_is_hidden_or_removed_the_model_does_not_tell() -> None:
    goes = likely(0.9, 0.1, 0.1, one=0.9, intent=Intent.REMOVE_LAYER)
    assert goes.by(Intent.HIDE_LAYER, LAYERS, 0.5) == goes.by(Intent.REMOVE_LAYER, LAYERS, 0.5) == (FROGS,)


def test_of_an_empty_map_nothing_is_meant_and_of_many_layers_the_highest_are_looked_at() -> None:
    past = past_of("das oberste weg", ())
    assert concerned(past.message, past, ()).layers == ()
    many = tuple(LoadedLayer(id=f"l{n}", label=f"Karte {n}") for n in range(100))
    past = past_of("das oberste weg", many)
    assert concerned(past.message, past, ()).layers == many[-16:]


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        (["remove Amphibien"], {Intent.REMOVE_LAYER: {FROGS}}),
        (
            ["hide Amphibien + opacity * 40"],
            {Intent.REMOVE_LAYER: {FROGS}, Intent.SET_LAYER_OPACITY: set(LAYERS)},
        ),
        (["clear"], {Intent.REMOVE_LAYER: set(LAYERS)}),
        (["move Kantonsstrassen top", "move Amphibien bottom"], {Intent.MOVE_LAYER: {ROADS}}),
        (["ask", "answer"], {}),
        (["ask", "remove Amphibien"], None),
        (["remove Karst"], None),
    ],
)
def test_what_is_to_be_done_to_which_layers_is_learned_from_outcomes(
    accepted: list[str], expected: dict[Intent, set[LoadedLayer]] | None
) -> None:
    assert done([parsed(each) for each in accepted], LAYERS) == expected


def test_an_example_is_a_layer_of_a_turn() -> None:
    past = past_of("die Frösche weg")
    view = on_map(past.message, past, ())
    of_frogs, *others = examples(view, [parsed("remove Amphibien")])
    assert of_frogs.labels == {Intent.REMOVE_LAYER, ONE}
    assert [each.labels for each in others] == [{ONE}, {ONE}]
    (nothing, *_) = examples(view, [parsed("ask")])
    assert nothing.labels == {NOTHING}
    assert not tells_of(ONE, nothing)
    assert tells_of(ONE, of_frogs)
    assert not tells_of(NOTHING, nothing)
    assert not [*examples(view, [parsed("remove Karst")])]


def test_the_model_of_the_map_is_that_of_the_conversations() -> None:
    assert map_model().learned_from == digest(FOLDERS), "run `make learn`"


@pytest.mark.parametrize(
    ("message", "now", "opacity"),
    [
        ("auf 40 %", 1.0, 0.4),
        ("blasser, so 40 %", 1.0, 0.4),
        ("70 Prozent durchsichtig", 1.0, 0.3),
        ("30 vo 100 durchsichtig", 1.0, 0.7),
        ("4/5 deckend", 1.0, 0.8),
        ("auf zwei Fünftel", 1.0, 0.4),
        ("dreiviertel unsichtbar", 1.0, 0.25),
        ("um 20 Prozent schwächer", 0.9, 0.7),
        ("um einen Drittel schwächer", 1.0, 0.67),
        ("nochmals zehn weniger", 0.6, 0.5),
        ("20 mehr", 0.4, 0.6),
        ("doppelt so stark", 0.2, 0.4),
        ("verdoppeln", 0.25, 0.5),
        ("halb so kräftig", 0.6, 0.3),
        ("das dreifache", 0.15, 0.45),
        ("uf drissg Prozänt", 1.0, 0.3),
        ("à dix pour cent", 1.0, 0.1),
        ("doppelt so transparent", 0.8, 0.6),
        ("Transparenz halbieren", 0.5, 0.75),
        ("Transparenz verdoppeln", 1.0, None),
        ("um 20 % verringern", 0.5, 0.3),
        ("reduce it by 20 %", 0.5, 0.3),
        ("die Punkte auf 40 %", 1.0, 0.4),
        ("5 Punkte mehr", 0.2, 0.25),
        ("die 2 von 3 auf 40 %", 1.0, 0.4),
        ("Karte 2 zu 30 % transparent", 1.0, 0.7),
        ("12,5 % transparent", 1.0, 0.88),
        (f"{'9' * 400} Viertel transparent", 1.0, 0.75),
        ("auf 3/0 deckend", 1.0, 0.0),
        ("wieder voll", 0.3, 1.0),
        ("viel zu knallig", 1.0, 0.75),
        ("Deckkraft ändern", 1.0, None),
    ],
)
def test_how_opaque_a_layer_is_to_be(message: str, now: float, opacity: float | None) -> None:
    assert opacity_in(utterance_of(message).clauses, now) == opacity


def test_what_changes_it_is_no_value() -> None:
    assert says_value(utterance_of("lieber 30").clauses)
    assert not says_value(utterance_of("nochmals 10 weniger").clauses)
    assert not says_value(utterance_of("verdoppeln").clauses)


@pytest.mark.parametrize(
    ("message", "named", "expected"),
    [
        ("die Kantonsstrassen ganz nach oben", (ROADS,), [{"name": ROADS.label, "to": "top"}]),
        ("Kantonsstrassen über den Strassenlärm", (ROADS,), [{"name": ROADS.label, "above": NOISE.label}]),
        ("Kantonsstrassen unter alles", (ROADS,), [{"name": ROADS.label, "to": "bottom"}]),
        (
            "Kantonsstrassen runter, Strassenlärm rauf",
            (ROADS, NOISE),
            [{"name": ROADS.label, "to": "bottom"}, {"name": NOISE.label, "to": "top"}],
        ),
        ("ich sehe die Kantonsstrassen nicht mehr", (ROADS,), [{"name": ROADS.label, "to": "top"}]),
        ("die Kantonsstrassen verdecken alles", (ROADS,), [{"name": ROADS.label, "to": "bottom"}]),
        ("eins höher", (ROADS,), [{"name": ROADS.label, "to": "up"}]),
        ("die beiden tauschen", (ROADS, NOISE), [{"name": ROADS.label, "above": NOISE.label}]),
        ("irgendwie anders", (ROADS,), []),
        ("über die anderen", (ROADS,), [{"name": ROADS.label, "to": "top"}]),
        ("Kantonsstrassen nach unten, überhaupt immer", (ROADS,), [{"name": ROADS.label, "to": "bottom"}]),
        ("damit ich einen Überblick habe ganz nach oben", (ROADS,), [{"name": ROADS.label, "to": "top"}]),
        ("Kantonsstrassen auf die unterste Position", (ROADS,), [{"name": ROADS.label, "to": "bottom"}]),
    ],
)
def test_where_a_layer_is_to_lie(
    message: str, named: tuple[LoadedLayer, ...], expected: list[dict[str, str]]
) -> None:
    moves = moves_in(utterance_of(message).clauses, named, LAYERS)
    assert [wish.args for wish in moves] == expected


def test_what_a_layer_is_called_says_not_where_it_is_to_lie() -> None:
    soil = LoadedLayer(id="soil", label="Unterboden")
    (wish,) = moves_in(utterance_of("nach oben mit dem Unterboden").clauses, (soil,), (soil, ROADS))
    assert wish.args == {"name": "Unterboden", "to": "top"}


def test_what_is_said_of_another_layer_does_not_say_how_opaque_one_is_to_be() -> None:
    layers = ("Kantonsstrassen", "Bodentyp")
    (step,) = planned("Bodentyp auf 40 %, damit die Kantonsstrassen durchscheinen", after(layers=layers))
    assert step == "set_layer_opacity: name=Bodentyp, opacity=0.4"


def test_nothing_goes_that_is_only_to_change_places() -> None:
    for message in ("Tausche Kantonsstrassen und Bodentyp", "swap Kantonsstrassen and Bodentyp"):
        steps = planned(message, after(layers=("Kantonsstrassen", "Bodentyp", "Karst")))
        assert not any(step.startswith(("remove_layer", "hide_layer")) for step in steps)


def test_of_two_layers_it_is_enough_to_name_one() -> None:
    (wish,) = moves_in(utterance_of("unter den Strassenlärm damit").clauses, (), (ROADS, NOISE))
    assert wish.args == {"name": ROADS.label, "below": NOISE.label}
    (wish,) = moves_in(utterance_of("tauschen").clauses, (), (ROADS, NOISE))
    assert wish.args == {"name": ROADS.label, "to": "top"}


def test_layers_of_a_list_are_all_loaded_in_their_order() -> None:
    steps = planned("Grundstücke und Gebäudeadressen")
    assert [step.partition("query=")[2] for step in steps] == [
        "Grundstücke (amtliche Vermessung))",
        "Gebäudeadressen)",
    ]
    wood = planned("Lade Wald und Grundstücke")
    assert [step.partition("query=")[2] for step in wood] == ["Wald)", "Grundstücke (amtliche Vermessung))"]
    steps = planned("Zeige Kantonsstrassen und keine Grundstücke")
    assert not any("Grundstücke" in step for step in steps)


def test_what_is_described_is_what_the_model_takes_for_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(layers=LAYERS)
    for p, name in ((0.9, "Kantonsstrassen"), (0.4, "Blaue")):
        monkeypatch.setattr(hearing, "concerned", lambda *_, p=p: likely(0.1, p, 0.1, one=0.9))
        assert planned("das Blaue halb durchsichtig", session) == (
            f"set_layer_opacity: name={name}, opacity=0.5",
        )
