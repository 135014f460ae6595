"""Loading, hiding and removing layers, the background, and clearing the map."""

import pytest
from contracts.session import LoadedLayer, Session

from planner.rules import plan

from .rules_kit import TOOLS, Utterances, after, begins, planned, told


def layer(query: str) -> str:
    return f"load_layer: layers.search(query={query})"


def municipality(q: str) -> str:
    return f"search_place: geolocation.municipality(q={q})"


LOADED: Utterances = [
    ("Lade die Wildtierkorridore.", (layer("Wildtierkorridore"),)),
    ("Könntest du mir bitte die Gewässerschutzkarte anzeigen?", (layer("Gewässerschutz"),)),
    ("Lade den Gewässerschutzlayer", (layer("Gewässerschutz"),)),
    ("Gewässerschutz-Karte", (layer("Gewässerschutz"),)),
    ("Lade die Ortsplanungsebene", (layer("Ortsplanung"),)),
    ("Ortsplanungsebene", (layer("Ortsplanung"),)),
    ("Lade die Karte Wald", (layer("Wald"),)),
    ("Layer Waldplan laden", (layer("Waldplan"),)),
    ("zeige karte wald", (layer("wald"),)),
    ("Blende die Wildtierkorridore ein, bitte!", (layer("Wildtierkorridore"),)),
    ("Schalte den Waldplan ein", (layer("Waldplan"),)),
    ("Füge den Layer Naturgefahren hinzu", (layer("Naturgefahren"),)),
    ("Öffne die Karte der belasteten Standorte", (layer("Kataster der belasteten Standorte (KbS)"),)),
    ("Nutzungsplanung", (layer("Nutzungsplanung"),)),
    ("gewässerschutz", (layer("gewässerschutz"),)),
    ("Wo sind die Wildtierkorridore?", (layer("Wildtierkorridore"),)),
    ("Suche nach Wildtierkorridoren", (layer("Wildtierkorridoren"),)),
    ("Lade Wanderwege mit Sperrungen und Umleitungen", (layer("Wanderwege mit Sperrungen und Umleitungen"),)),
    ("Lade Orthofoto CIR", (layer("Orthofoto CIR"),)),
    ("Lade den Layer Erdwärmesonden", (layer("Erdwärmesonden"),)),
    ("Zeige mir die Erdwärmesonden", (layer("Erdwärmesonden"),)),
    ("Lade den ÖREB-Layer", (layer("ÖREB"),)),
    ("Lade die Höhenkurven", (layer("Höhenkurven"),)),
    ("Zeige Strassenlärm", (layer("Strassenlärm"),)),
    # Short names, everyday words and ids are known without a verb.
    ("KKW", (layer("KKW"),)),
    ("kkw anzeigen", (layer("kkw"),)),
    ("Kernkraftwerke", (layer("Kernkraftwerke"),)),
    ("hochwasser", (layer("hochwasser"),)),
    ("Ist mein Haus im Überschwemmungsgebiet?", (layer("Überschwemmungsgebiet"),)),
    ("ch.so.awjf.schutzwald", (layer("ch.so.awjf.schutzwald"),)),
    ("Lade ch.so.afu.karst", (layer("ch.so.afu.karst"),)),
    ("nein, Nutzungsplanung", (layer("Nutzungsplanung"),)),
    ("Ich nehme den Waldplan", (layer("Waldplan"),)),
    ("Baustellen", (layer("Baustellen"),)),
    # Verbs and compounds with typos; the name goes to the search as it is written.
    ("Ldae die Wildtierkorridore", (layer("Wildtierkorridore"),)),
    ("Zege mir die Gewässrschutzkarte", (layer("Gewässrschutz"),)),
    ("Gewässrschutz", (layer("Gewässrschutz"),)),
    # Questions for what there is: the search answers with a choice.
    ("Welche Karten zum Thema Wasser hast du?", (layer("Wasser"),)),
    ("Hast du etwas zu Lärm?", (layer("Lärm"),)),
    ("Gibt es eine Karte zu PLZ und Ortschaften?", (layer("PLZ und Ortschaften"),)),
    ("Was hast du zum Thema Naturgefahren?", (layer("Naturgefahren"),)),
    ("Zeig mir den Lärm", (layer("Lärm"),)),
    # An adjective alone names no layer.
    ("Zeige mir alte Karten", (layer("alte Karten"),)),
    ("Hast du historische Karten?", (layer("historische Karten"),)),
    # Where something may be done is what a layer shows.
    ("Wo darf ich bauen?", (layer("bauen"),)),
    ("Wo darf ich mein Haus bauen?", (layer("bauen"),)),
    ("Wo kann ich wandern?", (layer("wandern"),)),
    ("Wo darf man jagen?", (layer("jagen"),)),
    ("wo kann man fischen", (layer("fischen"),)),
]

AT_PLACES: Utterances = [
    (
        "Zeige mir die Gewässerschutzzonen in Grenchen",
        (municipality("Grenchen"), layer("Gewässerschutzzonen")),
    ),
    ("Wo darf ich in Grenchen bauen?", (municipality("Grenchen"), layer("bauen"))),
    ("Gibt es Bauland in Messen?", (municipality("Messen"), layer("Bauland"))),
    ("Zeige in Grenchen die Gewässerschutzzonen", (municipality("Grenchen"), layer("Gewässerschutzzonen"))),
    ("Naturgefahrenkarte Grenchen", (municipality("Grenchen"), layer("Naturgefahren"))),
    ("Gewässerschutz Grenchen", (municipality("Grenchen"), layer("Gewässerschutz"))),
    ("Gibt es belastete Standorte in Biberist?", (municipality("Biberist"), layer("belastete Standorte"))),
    ("Zeige mir alle Parzellen in Messen", (municipality("Messen"), layer("Parzellen"))),
    ("Zeige die Erdwärmesonden in Grenchen", (municipality("Grenchen"), layer("Erdwärmesonden"))),
    (
        "Zeige die Gewässerschutzzonen in Aarau",
        ("search_place: geolocation.place(q=Aarau)", layer("Gewässerschutzzonen")),
    ),
    (
        "Lade den Waldplan an der Rötistrasse 4 in Solothurn",
        ("goto_address: geolocation.geocode(q=Rötistrasse 4, Solothurn)", layer("Waldplan")),
    ),
    (
        "Zeige die Nutzungsplanung von Parzelle 168 in Messen",
        ("show_parcel: parcels.by_number(number=168, municipality=Messen)", layer("Nutzungsplanung")),
    ),
]

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

CLEARED = [
    "Karte leeren",
    "Leere bitte die Karte",
    "alles zurücksetzen",
    "setze alles zurück",
    "räum die Karte auf",
    "Räume bitte die Karte auf!",
    "mach die Karte leer",
    "lösche alles",
    "Lösch die Karte",
    "alles weg",
    "reset",
    "Bitte nochmal von vorne",
]

BACKGROUNDS = [
    ("Luftbild", "ortho"),
    ("Zeig mal das Luftbild", "ortho"),
    ("Wechsle zum Luftbld", "ortho"),
    ("Orthofoto als Hintergrund", "ortho"),
    ("Schalte das Luftbild ein", "ortho"),
    ("Wechsle den Hintergrund auf grau", "sw"),
    ("schwarz-weisse Hintergrundkarte bitte", "sw"),
    ("Stelle den Hintergrund auf schwarz-weiss um", "sw"),
    ("graue Karte", "sw"),
    ("zurück zur normalen Karte", "sw"),
    ("farbig", "color"),
    ("Mach die Karte farbig", "color"),
    ("Hintergrundkarte farbig", "color"),
    ("kein Hintergrund", "none"),
    ("ohne Hintergrund bitte", "none"),
    ("Hintergrund aus", "none"),
    ("Hintergrundkarte ausblenden", "none"),
    ("Luftbild weg", "none"),
]


@pytest.mark.parametrize(("message", "expected"), LOADED)
def test_a_layer_is_searched_by_its_bare_name(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


@pytest.mark.parametrize(("message", "expected"), AT_PLACES)
def test_the_place_comes_before_the_layer(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


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
    chosen = after("Lade Wald", "die erste", "Ich wähle: Waldplan (Gruppe)", layers=TWO_PARTS)
    assert planned(message, chosen) == ("remove_layer: name=Waldplan",)


@pytest.mark.parametrize(
    "session",
    [
        after("Lade den Waldplan", layers=("Wald - Typ",)),
        after("Zeige Grenchen", layers=TWO_PARTS),
        after("Lade den Waldplan", "Entferne den Waldplan", layers=TWO_PARTS),
    ],
)
def test_without_doubt_or_hint_it_is_left_to_the_loaded_layers(session: Session) -> None:
    assert planned("entferne ihn wieder", session) == ("remove_layer: name=",)


def test_all_layers_are_not_the_last_one() -> None:
    assert planned("entferne die Karten", after("Lade den Waldplan", layers=TWO_PARTS)) == (
        "remove_layer: name=",
    )


def test_the_last_layer_is_the_one_loaded_last() -> None:
    session = after(layers=("Waldplan", "Gewässerschutz"))
    assert planned("Entferne den letzten Layer", session) == ("remove_layer: name=Gewässerschutz",)


@pytest.mark.parametrize("message", CLEARED)
def test_the_map_is_cleared(message: str) -> None:
    assert planned(message) == ("clear_map",)


@pytest.mark.parametrize(("message", "background"), BACKGROUNDS)
def test_the_background_changes(message: str, background: str) -> None:
    assert planned(message) == (f"set_background: background={background}",)


@pytest.mark.parametrize(
    ("message", "key"),
    [
        ("Lade einen Layer", "which_layer"),
        ("Lade die Karte", "which_layer"),
        ("Lade irgendeinen Layer", "which_layer"),
        ("andere Karte", "which_layer"),
        ("Welche Layer hast du?", "which_theme"),
        ("Zeige alle Layer", "which_theme"),
        ("Hintergrund wechseln", "which_background"),
    ],
)
def test_what_is_not_named_is_asked_for(message: str, key: str) -> None:
    assert planned(message) == ("clarify?",)
    assert told(message) == begins(key)


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
        ("I don't need those anymore", ("remove_layer: name=Karst",)),
        ("Den brauche ich doch nicht, dafür die Geotope", ("remove_layer: name=Karst", layer("Geotope"))),
        ("enlève-les, montre plutôt Geotope", ("remove_layer: name=Karst", layer("Geotope"))),
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
    ("message", "expected"),
    [
        ("mach mal geotope rein", (layer("geotope"),)),
        ("tu noch die Geotope dazu", (layer("Geotope"),)),
        ("pack die Geotope auch drauf", (layer("Geotope"),)),
        ("Noch zwei Sachen: Geotope rein, Hydranten auch rein", (layer("Geotope"), layer("Hydranten"))),
    ],
)
def test_it_is_loaded_in_everyday_words(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("zu dunkel 🙈 lieber die farbige 🗺️", ("set_background: background=color",)),
        ("Das Luftbild brauche ich nicht, nimm die graue Karte", ("set_background: background=sw",)),
        (
            "Karst weg und die farbige Karte drunter",
            ("remove_layer: name=Karst", "set_background: background=color"),
        ),
        (
            "nur Geotope, und zwar ohne Hintergrundkarte",
            (layer("Geotope"), "set_background: background=none"),
        ),
        ("Zeige die Geotope, ohne den Hintergrund zu wechseln", (layer("Geotope"),)),
        ("Affiche Geotope sans changer de fond de carte", (layer("Geotope"),)),
    ],
)
def test_the_background_is_what_was_said_last(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message, after(layers=("Karst",))) == expected


def test_a_background_that_was_taken_away_comes_back() -> None:
    session = after("Zeige das Luftbild", "Luftbild weg")
    assert planned("doch wieder ein", session) == ("set_background: background=ortho",)


@pytest.mark.parametrize(
    "message", ["Was hab ich alles drin?", "was ich alles eingeschaltet habe", "Was ist alles an?"]
)
def test_what_is_on_is_told_in_everyday_words(message: str) -> None:
    assert told(message, after(layers=("Waldplan", "Karst"))).endswith("- Waldplan\n- Karst")


def test_a_layer_is_looked_for_like_a_place() -> None:
    assert planned("Wo ist der Kataster der belasteten Standorte?") == (
        layer("Kataster der belasteten Standorte"),
    )


def at(place: str, query: str) -> tuple[str, ...]:
    return municipality(place), layer(query)


@pytest.mark.parametrize(
    ("message", "steps"),
    [
        ("Wer liefert hier eigentlich den Strom?", (layer("Stromnetz"),)),
        ("Welcher Betrieb ist in Trimbach für das Erdgas zuständig?", at("Trimbach", "Gasversorgung")),
        ("Wem gehört der Wald bei Grenchen?", at("Grenchen", "Waldeigentümer")),
        ("Who owns the forest?", (layer("Waldeigentümer"),)),
        ("Ist es in Olten laut?", at("Olten", "Lärm")),
        ("Wie steil ist der Hang hier?", (layer("Hangneigung"),)),
        ("Wie heiss wird es in Olten im Sommer?", at("Olten", "Hitze")),
        ("Wo ist der Boden verseucht?", (layer("Altlasten"),)),
        ("Wie viele Lastwagen fahren hier durch?", (layer("Verkehrszählung"),)),
        ("Gibt es eine Karte, die zeigt, wie gefährdet Olten ist?", at("Olten", "Gefahrenkarte")),
        ("Wer ist bei uns für den Strom zuständig, gibt es dazu eine Karte?", (layer("Stromnetz"),)),
    ],
)
def test_what_only_a_layer_answers_is_no_question_for_documents(message: str, steps: tuple[str, ...]) -> None:
    assert tuple(step.removesuffix(" @point") for step in planned(message)) == steps


@pytest.mark.parametrize(
    "message",
    [
        "Wie laut ist eine Wärmepumpe?",
        "Wie steil darf eine Zufahrt sein?",
        "Wer bezahlt den Strom der Strassenlampen?",
        "Wie viel kostet der öffentliche Verkehr?",
        "Wie viele Autos darf ich auf dem Vorplatz abstellen?",
    ],
)
def test_what_is_asked_of_something_else_stays_one(message: str) -> None:
    (step,) = planned(message)
    assert step.startswith("search_documents: ")


def test_who_owns_a_parcel_is_no_question_for_a_layer() -> None:
    assert planned("Wem gehört Grundstück 198 in Messen?") == ("clarify?",)


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("Frösche", "Frösche"),
        ("Gibt es etwas zu Wildschweinen?", "Wildschweinen"),
        ("Zeig mir das Unkraut", "Unkraut"),
        ("mach mal Wanderwege rein", "Wanderwege"),
        ("where are the bees?", "bees"),
        ("Dove passa il gas?", "gas"),
        ("vorrei vedere dove si può pescare", "pescare"),
        ("Lade die Dufurkarte", "Dufourkarte (historische Karte)"),
    ],
)
def test_everyday_words_are_about_layers(message: str, query: str) -> None:
    assert planned(message) == (layer(query),)


@pytest.mark.parametrize(
    ("message", "steps"),
    [
        ("Wo ist der Notfalltreffpunkt von Wolfwil?", at("Wolfwil", "Notfalltreffpunkt")),
        ("are there historic monuments in Wolfwil?", at("Wolfwil", "historic monuments")),
        ("WO IST DER KATASTER DER BELASTETEN STANDORTE?", (layer("KATASTER DER BELASTETEN STANDORTE"),)),
        ("altlasen auch noch", (layer("Kataster der belasteten Standorte (KbS)"),)),
        ("denkmahlschutz bitte", (layer("denkmahlschutz"),)),
        ("den bodentip bitte", (layer("bodentip"),)),
        ("Wo ist Wolfwil?", (municipality("Wolfwil"),)),
    ],
)
def test_what_a_layer_is_called_is_no_place_and_nothing_for_documents(
    message: str, steps: tuple[str, ...]
) -> None:
    assert planned(message) == steps


def test_two_words_for_layers_name_none() -> None:
    assert told("Lade die Kartenebene").startswith(begins("which_layer"))
