"""What is on the map: removed, replaced, hidden, shown again, told."""

import pytest
from contracts.session import LoadedLayer, Session

from planner.rules import plan

from .rules_kit import TOOLS, Utterances, after, begins, layer, planned, told

REMOVED: Utterances = [
    ("Entferne den Gewässerschutzlayer", ("remove_layer: name=Gewässerschutz",)),
    ("Entferne die Wildtierkorridore wieder", ("remove_layer: name=Wildtierkorridore",)),
    ("Kannst du den Layer Waldplan bitte wieder entfernen?", ("remove_layer: name=Waldplan",)),
    ("nimm die Wildtierkorridore wieder weg", ("remove_layer: name=Wildtierkorridore",)),
    ("Waldplan weg", ("remove_layer: name=Waldplan",)),
    ("Lösche die Erdwärmesonden", ("remove_layer: name=Erdwärmesonden",)),
    ("entferne den Layer", ("remove_layer: name=",)),
    ("entferne ihn wieder", ("remove_layer: name=",)),
    ("entferne alle Layer", ("remove_layer: name=*",)),
    ("alle Layer weg", ("remove_layer: name=*",)),
    (
        "Waldplan und Nutzungsplanung entfernen",
        ("remove_layer: name=Waldplan", "remove_layer: name=Nutzungsplanung"),
    ),
]


@pytest.mark.parametrize(("message", "expected"), REMOVED)
def test_a_layer_is_removed_by_name(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


GONE = "remove_layer: name=Waldplan"

REPLACED: Utterances = [
    ("Ersetze den Waldplan durch die Gefahrenkarte", (GONE, layer("Gefahren"))),
    ("Bitte den Waldplan durch die Nutzungsplanung ersetzen", (GONE, layer("Nutzungsplanung"))),
    ("tausche Waldplan gegen Nutzungsplanung", (GONE, layer("Nutzungsplanung"))),
    ("Nutzungsplanung statt Waldplan", (GONE, layer("Nutzungsplanung"))),
    ("statt dem Waldplan lieber die Nutzungsplanung", (GONE, layer("Nutzungsplanung"))),
    ("Ersetze das Luftbild durch die graue Karte", ("set_background: background=sw",)),
    ("Bitte nicht Luftbild sondern Karte", ("set_background: background=color",)),
]


@pytest.mark.parametrize(("message", "expected"), REPLACED)
def test_one_layer_takes_the_place_of_another(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message, after("Lade den Waldplan", layers=("Wald - Typ", "Wald - Funktion"))) == expected


def test_where_nothing_is_loaded_nothing_is_replaced() -> None:
    assert planned("Ersetze den Waldplan durch die Gefahrenkarte") == (layer("Gefahren"),)


TWO_PARTS = ("Wald - Typ", "Wald - Funktion")


@pytest.mark.parametrize(
    "message", ["entferne den Layer wieder", "weg damit", "bitte wieder weg", "nimm das wieder raus"]
)
def test_it_is_what_was_loaded_last(message: str) -> None:
    assert planned(message, after("Lade den Waldplan", layers=TWO_PARTS)) == ("remove_layer: name=Waldplan",)
    chosen = after("Lade Wald", "Ich wähle: Waldplan (Gruppe)", layers=TWO_PARTS)
    assert planned(message, chosen) == ("remove_layer: name=Waldplan",)


@pytest.mark.parametrize(
    ("message", "loaded"), [("Lade den Waldplan", TWO_PARTS[:1]), ("Zeige Grenchen", TWO_PARTS)]
)
def test_without_doubt_or_hint_it_is_left_to_the_loaded_layers(message: str, loaded: tuple[str, ...]) -> None:
    session = after(message, layers=loaded)
    assert planned("entferne ihn wieder", session) == ("remove_layer: name=",)


def test_all_layers_are_not_the_last_one() -> None:
    assert planned("entferne die Karten", after("Lade den Waldplan", layers=TWO_PARTS)) == (
        "remove_layer: name=Waldplan",
    )


def test_the_last_layer_is_the_one_loaded_last() -> None:
    session = after(layers=("Waldplan", "Gewässerschutz"))
    assert planned("Entferne den letzten Layer", session) == ("remove_layer: name=Gewässerschutz",)


KARST_GONE = "remove_layer: Karst"

WALD_KARST = ("Wald", "Karst")

HIDDEN: Utterances = [
    ("blende den Wald aus", ("hide_layer: name=Wald",)),
    ("Wald und Karst ausblenden", ("hide_layer: name=Wald", "hide_layer: name=Karst")),
    ("Blende den Wald und den Karst aus", ("hide_layer: name=Wald", "hide_layer: name=Karst")),
    ("Blende den Wald aus und den Karst ein", ("hide_layer: name=Wald", "show_layer: name=Karst")),
    ("mach den Karst unsichtbar", ("hide_layer: name=Karst",)),
    ("Verstecke alle Layer", ("hide_layer: name=*",)),
    ("Karst aus", ("hide_layer: name=Karst",)),
    ("Bitte die Layer ausblenden", ("hide_layer: name=",)),
    ("Den Wald will ich nicht mehr sehen", ("hide_layer: name=Wald",)),
    ("blende den Wald wieder ein", ("show_layer: name=Wald",)),
    ("Karst wieder sichtbar machen", ("show_layer: name=Karst",)),
    ("Zeig den Wald wieder", ("show_layer: name=Wald",)),
    ("Alle Layer einblenden", ("show_layer: name=*",)),
    ("Den Wald brauche ich nicht mehr", ("remove_layer: name=Wald",)),
]


@pytest.mark.parametrize(("message", "expected"), HIDDEN)
def test_a_loaded_layer_is_hidden_and_shown_by_name(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message, after(layers=WALD_KARST)) == expected


@pytest.mark.parametrize("message", ["blende den Boden wieder ein", "mach den Boden sichtbar"])
def test_what_is_not_loaded_is_loaded_to_be_seen(message: str) -> None:
    assert planned(message, after(layers=WALD_KARST)) == (layer("Boden"),)


@pytest.mark.parametrize(
    ("said", "message", "expected"),
    [
        (["Lade den Wald und den Karst"], "blende beide aus", ["hide_layer: Wald", "hide_layer: Karst"]),
        (
            ["Lade den Wald und den Karst", "Zeige Olten"],
            "sie wieder weg",
            ["remove_layer: Wald", KARST_GONE],
        ),
        (["Lade den Wald und den Karst"], "blende ihn aus", ["hide_layer: Karst"]),
        (["Lade den Wald", "blende alle Layer aus"], "und wieder ein", ["show_layer: *"]),
        (["Lade den Wald", "blende den Karst aus"], "zeig ihn wieder", ["show_layer: Karst"]),
        (["blende den Karst aus"], "Entferne ihn", [KARST_GONE]),
    ],
)
def test_what_is_meant_is_what_a_message_before_was_about(
    said: list[str], message: str, expected: list[str]
) -> None:
    names = tuple(each.replace(": ", ": name=") for each in expected)
    assert planned(message, after(*said, layers=(*WALD_KARST, "Boden"))) == names


def test_where_nothing_is_loaded_nothing_is_made_visible() -> None:
    assert planned("Blende alle Layer wieder ein") == ("show_layer: name=*",)


def test_what_was_removed_is_loaded_to_be_seen_again() -> None:
    session = after("Lade den Wald", "Entferne den Wald", layers=("Karst", "Boden"))
    assert planned("doch wieder einblenden", session) == (layer("Wald"),)


@pytest.mark.parametrize(
    ("message", "intent", "spared"),
    [
        ("Entferne alles ausser dem Wald", "remove_layer", ("Wald",)),
        ("Entferne alle Layer ausser Wald und Karst", "remove_layer", ("Wald", "Karst")),
        ("Blende alles bis auf den Wald aus", "hide_layer", ("Wald",)),
        ("alle Layer weg, aber nicht der Karst", "remove_layer", ("Karst",)),
        ("Alles weg, nur den Wald nicht", "remove_layer", ("Wald",)),
        ("Behalte nur den Wald und den Karst", "remove_layer", ("Wald", "Karst")),
        ("Lass nur den Wald stehen", "remove_layer", ("Wald",)),
        ("Nur den Karst behalten, den Rest weg", "remove_layer", ("Karst",)),
        ("Nur den Karst, alle anderen ausblenden", "hide_layer", ("Karst",)),
        ("Entferne alles, aber lass den Karst drauf", "remove_layer", ("Karst",)),
        ("Alles weg, aber der Karst soll bleiben", "remove_layer", ("Karst",)),
        ("Remove everything but Karst", "remove_layer", ("Karst",)),
        ("Enlève toutes les couches sauf Karst", "remove_layer", ("Karst",)),
    ],
)
def test_what_is_excepted_is_left_alone(message: str, intent: str, spared: tuple[str, ...]) -> None:
    (step,) = plan(message, after(layers=WALD_KARST), TOOLS).steps
    assert (step.intent, step.args) == (intent, {"name": "*", "except": list(spared)})


@pytest.mark.parametrize(
    "message",
    [
        "Den Karst nicht entfernen!",
        "Bitte nicht ausblenden",
        "Behalte den Wald",
        "Die Karte auf keinen Fall leeren",
    ],
)
def test_what_is_not_to_be_done_is_not_done(message: str) -> None:
    assert told(message, after(layers=WALD_KARST)) == begins("left_alone")


def test_of_two_verbs_the_denied_one_is_not_done() -> None:
    assert planned("nur verstecken, nicht löschen", after(layers=("Wald",))) == ("hide_layer: name=",)


@pytest.mark.parametrize(
    "message",
    [
        "Welche Layer sind geladen?",
        "Was ist geladen?",
        "Welche Layer sind gerade aktiv?",
        "Was sehe ich auf der Karte?",
        "Was siehst du auf der Karte?",
        "Was hast du geladen?",
        "Zeig mir, was alles geladen ist",
        "Ist der Wald schon geladen?",
        "Sind die Neophyten schon drauf?",
    ],
)
def test_the_loaded_layers_are_told(message: str) -> None:
    assert told(message, after(layers=("Waldplan", "Karst"))).endswith("- Waldplan\n- Karst")


def test_nothing_loaded_is_told() -> None:
    assert told("Welche Layer sind geladen?") == begins("no_layers_loaded")


def test_a_loaded_layer_is_told_by_its_order() -> None:
    assert planned("die erste wieder raus", after(layers=WALD_KARST)) == ("remove_layer: name=Wald",)
    assert planned("blende den zweiten aus", after(layers=WALD_KARST)) == ("hide_layer: name=Karst",)


@pytest.mark.parametrize("message", ["Togli i confini comunali", "Enlève les limites communales"])
def test_a_loaded_layer_is_told_by_its_name_in_another_language(message: str) -> None:
    loaded = after(layers=("Gemeindegrenzen", "Wald"))
    assert planned(message, loaded) == ("remove_layer: name=Gemeindegrenzen",)


def test_a_loaded_layer_is_told_by_any_of_its_names() -> None:
    """Everyday words, other numbers, other languages, typos: those of the vocabulary."""
    known = {
        "ch.so.awjf.jagdreviere": "Jagd - Reviere",
        "ch.so.ada.archaeologie.fundstellen": "Archäologische Fundstellen",
        "ch.so.arp.naturreservate": "Naturreservate",
    }
    session = Session(layers=tuple(LoadedLayer(id=id, label=label) for id, label in known.items()))
    for message, label in {
        "get rid of the archaeology": "Archäologische Fundstellen",
        "Ausgrabung wieder weg": "Archäologische Fundstellen",
        "entferne das Naturschutzgebiet": "Naturreservate",
        "die Naturreservte weg": "Naturreservate",
    }.items():
        assert planned(message, session) == (f"remove_layer: name={label}",), message


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("hide the first one", ("hide_layer: name=Wald",)),
        ("Ersteres ausblenden", ("hide_layer: name=Wald",)),
        ("letzteres wieder raus", ("remove_layer: name=Karst",)),
        ("beides entfernen", ("remove_layer: name=*",)),
        ("alle beide löschen", ("remove_layer: name=*",)),
        ("ok jz alles weg, stört", ("remove_layer: name=*",)),
        ("Karst weg, der stört", ("remove_layer: name=Karst",)),
        ("ausser dem Karst kann alles weg", ("remove_layer: name=*, except=['Karst']",)),
        ("entferne alles andere als Karst", ("remove_layer: name=*, except=['Karst']",)),
        ("Blende alles aus, nur der Wald soll sichtbar bleiben", ("hide_layer: name=*, except=['Wald']",)),
    ],
)
def test_what_is_meant_of_two_loaded_layers(message: str, expected: tuple[str, ...]) -> None:
    steps = planned(message, after(layers=WALD_KARST))
    assert steps == expected or (steps == ("clear_map",) and expected == ("remove_layer: name=*",))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Die brauchts nicht mehr", ("remove_layer: name=Karst",)),
        ("Den brauche ich doch nicht, dafür die Geotope", (layer("Geotope"), "remove_layer: name=Karst")),
        ("enlève-les, montre plutôt Geotope", (layer("Geotope"), "remove_layer: name=Karst")),
    ],
)
def test_what_was_talked_about_last_is_given_up(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message, after("Lade den Karst", layers=WALD_KARST)) == expected


def test_nothing_is_given_up_where_no_layer_was_talked_about() -> None:
    session = after("Lade den Karst", "Zeige Olten", layers=WALD_KARST)
    assert not any(step.startswith("remove") for step in planned("Das brauche ich nicht mehr", session))


def test_the_same_is_done_to_another_layer() -> None:
    session = after("Blende den Wald aus", layers=WALD_KARST)
    assert planned("und den Karst auch", session) == ("hide_layer: name=Karst",)


@pytest.mark.parametrize(
    "message", ["Was hab ich alles drin?", "was ich alles eingeschaltet habe", "Was ist alles an?"]
)
def test_what_is_on_is_told_in_everyday_words(message: str) -> None:
    assert told(message, after(layers=("Waldplan", "Karst"))).endswith("- Waldplan\n- Karst")


LOADED = ("Karst", "Geologie", "Schutzwald", "Notfalltreffpunkte")
REST_FADED = "set_layer_opacity: name=Rest, opacity=0.5"
BY_OTHER_NAMES: Utterances = [
    ("den wald kurz unsichtbar", ("hide_layer: name=Schutzwald",)),
    ("Die Punkte ganz nach oben", ("move_layer: name=Notfalltreffpunkte, to=top",)),
    ("was heissen die Farben beim Gestein", ("show_legend: name=Geologie",)),
    ("nur noch den Wald", ("hide_layer: name=*, except=['Schutzwald']",)),
    ("Mach den Karst weg und lass den Rest", ("remove_layer: name=Karst",)),
    ("den Fussball weg", ("remove_layer: name=Fussball",)),
    ("Bezirksgrenzen weg", ("remove_layer: name=Bezirksgrenzen",)),
    ("Waldstandorte ausblenden", ("hide_layer: name=Waldstandorte",)),
    ("mach Karst weg und den Rest halb durchsichtig", ("remove_layer: name=Karst", REST_FADED)),
]


@pytest.mark.parametrize(("message", "expected"), BY_OTHER_NAMES)
def test_a_loaded_layer_is_known_by_parts_of_its_name_and_by_what_it_is_about(
    message: str, expected: tuple[str, ...]
) -> None:
    assert planned(message, after(layers=LOADED)) == expected


@pytest.mark.parametrize("message", ["zu viel", "mehr davon", "das gefällt mir nicht"])
def test_what_is_hardly_understood_takes_nothing_away(message: str) -> None:
    assert not {"remove_layer", "hide_layer", "clear_map"} & {
        step.partition(":")[0] for step in planned(message, after(layers=LOADED))
    }


def test_what_is_to_be_removed_is_never_loaded() -> None:
    for message in ("Altlasten und Karst entfernen", "Karst und Altlasten bitte löschen"):
        assert not any("load_layer" in step for step in planned(message)), message
