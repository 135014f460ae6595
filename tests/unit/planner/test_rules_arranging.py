"""How loaded layers lie above each other, what is marked, and what is taken back."""

import pytest
from contracts.session import LoadedLayer, Session

from planner.rules import plan

from .rules_kit import TOOLS, Utterances, after, begins, planned, told

LOADED = ("Wald", "Karst", "Geotope")


def opacity(name: str, value: float) -> tuple[str, ...]:
    return (f"set_layer_opacity: name={name}, opacity={value:.10g}",)


OPACITIES = [
    ("Mach den Wald halb durchsichtig", "Wald", 0.5),
    ("Wald auf 30 %", "Wald", 0.3),
    ("Den Karst bitte auf 30 % Deckkraft", "Karst", 0.3),
    ("Karst 70% Transparenz", "Karst", 0.3),
    ("Setze die Transparenz auf 30 %", "Geotope", 0.7),
    ("Stell die Geotope auf 30 Prozent Deckkraft", "Geotope", 0.3),
    ("Mach den Wald zu 40 % sichtbar", "Wald", 0.4),
    ("mach den Wald durchsichtiger", "Wald", 0.75),
    ("mach den Wald um 10 % durchsichtiger", "Wald", 0.9),
    ("mach den Wald nicht mehr durchsichtig", "Wald", 1),
    ("Wald ohne Transparenz", "Wald", 1),
    ("Karst ganz durchsichtig", "Karst", 0),
    ("alle Layer halb transparent", "*", 0.5),
    ("wieder ganz deckend", "Geotope", 1),
    ("Rends la couche Karst à moitié transparente", "Karst", 0.5),
    ("Opacité 80 %", "Geotope", 0.8),
    ("Make Karst 40% transparent", "Karst", 0.6),
    ("Rendi Karst semitrasparente", "Karst", 0.5),
    ("Karst dreissig Prozent durchsichtig", "Karst", 0.7),
    ("Make Karst forty percent transparent", "Karst", 0.6),
    ("Stell die Deckkraft auf 80, nein, auf 40 Prozent", "Geotope", 0.4),
    ("den Wald auf 20 %, äh 30 %", "Wald", 0.3),
    ("mach den Wald halb trasnparent", "Wald", 0.5),
    ("den Wald etwas blasser", "Wald", 0.75),
]


@pytest.mark.parametrize(("message", "name", "value"), OPACITIES)
def test_how_opaque_a_layer_is_to_be(message: str, name: str, value: float) -> None:
    assert planned(message, after(layers=LOADED))[-1:] == opacity(name, value)


def faded(now: float) -> Session:
    return Session(layers=(LoadedLayer(id="wald", label="Wald", opacity=now),))


@pytest.mark.parametrize(
    ("message", "now", "then"),
    [
        ("weniger durchsichtig", 0.5, 0.75),
        ("nicht so durchsichtig", 0.5, 0.75),
        ("noch durchsichtiger", 0.5, 0.25),
        ("noch durchsichtiger", 0.2, 0.1),
        ("etwas deckender", 0.5, 0.75),
        ("weniger deckend", 0.9, 0.65),
        ("weniger durchsichtig", 0.9, 1),
        ("zu blass", 0.5, 0.75),
        ("das ist zu kräftig", 0.8, 0.55),
        ("zu schwach, voll bitte", 0.4, 1),
    ],
)
def test_more_and_less_go_from_what_it_is(message: str, now: float, then: float) -> None:
    assert planned(message, faded(now)) == opacity("Wald", then)


@pytest.mark.parametrize("message", ["Transparenz ändern", "Deckkraft"])
def test_how_much_is_asked_for(message: str) -> None:
    assert told(message, after(layers=LOADED)) == begins("how_opaque")


def test_what_is_left_out_stays_as_it_is() -> None:
    others = planned("alles ausser Wald auf 20 % Deckkraft", after(layers=LOADED))
    assert others == (*opacity("Karst", 0.2), *opacity("Geotope", 0.2))


@pytest.mark.parametrize(
    ("message", "value"),
    [
        ("Hydranten, aber nur zu 40 Prozent deckend", 0.4),
        ("Lade die Hydranten mit 60 % Deckkraft", 0.6),
        ("Zeig die Hydranten, 30 % durchsichtig", 0.7),
    ],
)
def test_what_is_loaded_is_so_opaque_from_the_start(message: str, value: float) -> None:
    (step,) = plan(message, after(layers=LOADED), TOOLS).steps
    assert (step.intent, step.args) == ("load_layer", {"opacity": value})
    assert step.calls[0].args == {"query": "Hydranten Wasser"}


@pytest.mark.parametrize(
    ("before", "message", "value"),
    [
        ("Wald auf 50 % Deckkraft", "nein, lieber 30", 0.3),
        ("Wald auf 50 % Deckkraft", "sorry, 60 Prozent", 0.6),
        ("Wald 50 % durchsichtig", "doch lieber 30 %", 0.7),
    ],
)
def test_another_value_is_meant_as_the_one_before(before: str, message: str, value: float) -> None:
    assert planned(message, after(before, layers=LOADED)) == opacity("Wald", value)


ARRANGED: Utterances = [
    ("Karst zuoberst", ("move_layer: name=Karst, to=top",)),
    ("Schieb den Wald ganz nach oben", ("move_layer: name=Wald, to=top",)),
    ("Leg den Wald ganz nach unten", ("move_layer: name=Wald, to=bottom",)),
    ("Karst eins nach oben", ("move_layer: name=Karst, to=up",)),
    ("Den Wald eine Stufe nach unten", ("move_layer: name=Wald, to=down",)),
    ("schieb die geotope über den karst", ("move_layer: name=Geotope, above=Karst",)),
    ("Den Karst hinter den Wald", ("move_layer: name=Karst, below=Wald",)),
    ("Put Karst on top", ("move_layer: name=Karst, to=top",)),
    ("Mets Karst tout en haut", ("move_layer: name=Karst, to=top",)),
    ("Zeig die Legende", ("show_legend: name=Geotope",)),
    ("Legende zum Wald bitte", ("show_legend: name=Wald",)),
    ("Was bedeuten die Farben?", ("show_legend: name=Geotope",)),
    ("Was bedeuten die Farben beim Wald?", ("show_legend: name=Wald",)),
    ("Was bedeutet das Rote?", ("show_legend: name=Geotope",)),
    ("zoome auf den Layer Wald", ("zoom_to_layer: layers.search(query=Wald)",)),
    ("zoom auf den Karst", ("zoom_to_layer: layers.search(query=Karst)",)),
    ("zeig den ganzen Wald", ("zoom_to_layer: layers.search(query=Wald)",)),
]


@pytest.mark.parametrize(("message", "expected"), ARRANGED)
def test_a_layer_is_moved_explained_and_looked_at(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message, after(layers=LOADED)) == expected


@pytest.mark.parametrize("message", ["Stell das Luftbild in den Hintergrund", "Zeig Dokumente über den Wald"])
def test_what_only_sounds_like_an_order_is_none(message: str) -> None:
    assert not any(step.startswith("move_layer") for step in planned(message, after(layers=LOADED)))


def test_of_several_layers_it_is_the_one_that_was_talked_about() -> None:
    session = after("Lade den Karst", layers=LOADED)
    assert planned("mach ihn halb durchsichtig", session) == opacity("Karst", 0.5)
    assert planned("zeig die Legende", session) == ("show_legend: name=Karst",)
    assert planned("zoom auf den Layer", session) == ("zoom_to_layer: layers.search(query=Karst)",)


def test_of_two_layers_the_other_one_is_meant() -> None:
    session = after("Blende den Karst aus", layers=("Wald", "Karst"))
    assert planned("Was bedeuten die Farben vom anderen?", session) == ("show_legend: name=Wald",)
    assert planned("das andere auch ausblenden", session) == ("hide_layer: name=Wald",)


def test_nothing_but_one_layer_is_to_be_seen() -> None:
    session = after(layers=LOADED)
    spared = "except=['Geotope']"
    assert planned("nur noch Geotope", session) == (f"hide_layer: name=*, {spared}",)
    alone = Session(layers=(LoadedLayer(id="g", label="Geotope"),))
    assert planned("nur noch Geotope", alone) == (f"hide_layer: name=*, {spared}",)
    hidden = Session(
        layers=(LoadedLayer(id="a", label="Karst"), LoadedLayer(id="g", label="Geotope", visible=False))
    )
    shown = (f"hide_layer: name=*, {spared}", "show_layer: name=Geotope")
    assert planned("Zeig nur noch die Geotope", hidden) == shown
    loaded = ("hide_layer: name=*", "load_layer: layers.search(query=Hydranten)")
    assert planned("nur noch die Hydranten", session) == loaded


def test_what_is_hidden_is_told_apart() -> None:
    layers = (LoadedLayer(id="a", label="Karst"), LoadedLayer(id="g", label="Geotope", visible=False))
    seen, hidden = told("Was ist geladen?", Session(layers=layers)).split("\n\n")
    assert seen.endswith("- Karst") and hidden.endswith("- Geotope")


@pytest.mark.parametrize(
    ("message", "steps"),
    [
        ("rückgängig", 1),
        ("Mach das rückgängig", 1),
        ("zurück", 1),
        ("Letzte Änderung rückgängig machen", 1),
        ("zwei Schritte zurück", 2),
        ("3 Schritte rückgängig", 3),
        ("99 Schritte zurück", 20),
        ("undo", 1),
        ("Annule la dernière modification", 1),
        ("deux étapes en arrière", 2),
        ("Annulla l'ultima modifica", 1),
        ("Wieder so wie vorher bitte", 1),
        ("Nein, das war vorher besser", 1),
        ("das war zu viel, mach das rückgängig", 1),
    ],
)
def test_what_was_done_is_taken_back(message: str, steps: int) -> None:
    assert planned(message) == (f"undo: steps={steps}",)


def test_going_back_to_a_place_undoes_nothing() -> None:
    olten = "search_place: geolocation.municipality(q=Olten)"
    assert planned("zurück nach Olten", after("Zeige Olten", "Zeige Grenchen")) == (olten,)


@pytest.mark.parametrize(
    "message",
    ["Entferne die Markierung", "der Pin kann weg", "Nimm die Marker wieder weg", "remove the markers"],
)
def test_markers_are_taken_off(message: str) -> None:
    assert planned(message, after(layers=LOADED)) == ("remove_markers",)
