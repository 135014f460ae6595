"""Loading layers, the background, and clearing the map."""

import pytest

from .rules_kit import Utterances, after, begins, layer, planned, told


def municipality(q: str) -> str:
    return f"search_place: geolocation.municipality(q={q})"


CONTAMINATED = "Kataster der belasteten Standorte (KbS)"

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
    ("Öffne die Karte der belasteten Standorte", (layer(CONTAMINATED),)),
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
    ("Wo darf man jagen?", (layer("Jagd - Reviere"),)),
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
    (
        "Naturgefahrenkarte Grenchen",
        (municipality("Grenchen"), layer("Gefahrenkarte synoptisch (Naturgefahren)")),
    ),
    ("Gewässerschutz Grenchen", (municipality("Grenchen"), layer("Gewässerschutz"))),
    ("Gibt es belastete Standorte in Biberist?", (municipality("Biberist"), layer(CONTAMINATED))),
    ("Zeige mir alle Parzellen in Messen", (municipality("Messen"), layer("Parzellen"))),
    (
        "Zeige die Erdwärmesonden in Grenchen",
        (municipality("Grenchen"), layer("Erdwärmesonden")),
    ),
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


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("mach mal geotope rein", (layer("geotope"),)),
        ("tu noch die Geotope dazu", (layer("Geotope"),)),
        ("pack die Geotope auch drauf", (layer("Geotope"),)),
        (
            "Noch zwei Sachen: Geotope rein, Hydranten auch rein",
            (layer("Geotope"), layer("Hydranten Wasser")),
        ),
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


def test_a_layer_is_looked_for_like_a_place() -> None:
    assert planned("Wo ist der Kataster der belasteten Standorte?") == (layer(CONTAMINATED),)


def at(place: str, query: str) -> tuple[str, ...]:
    return municipality(place), layer(query)


@pytest.mark.parametrize(
    ("message", "steps"),
    [
        ("Wer liefert hier eigentlich den Strom?", (layer("Betreiber Elektrizität (Leitungskataster)"),)),
        (
            "Welcher Betrieb ist in Trimbach für das Erdgas zuständig?",
            at("Trimbach", "Betreiber Gas (Leitungskataster)"),
        ),
        ("Wem gehört der Wald bei Grenchen?", at("Grenchen", "Wald - Eigentum")),
        ("Who owns the forest?", (layer("Wald - Eigentum"),)),
        ("Wie steil ist der Hang hier?", (layer("Hangneigung digitales Terrainmodell (LiDAR)"),)),
        ("Wo ist der Boden verseucht?", (layer(CONTAMINATED),)),
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
        ("vorrei vedere dove si può pescare", "Fischerei - Reviere"),
    ],
)
def test_everyday_words_are_about_layers(message: str, query: str) -> None:
    assert planned(message) == (layer(query),)


@pytest.mark.parametrize(
    ("message", "steps"),
    [
        ("Wo ist der Notfalltreffpunkt von Wolfwil?", at("Wolfwil", "Notfalltreffpunkt")),
        ("are there historic monuments in Wolfwil?", at("Wolfwil", "Denkmalschutz")),
        ("WO IST DER KATASTER DER BELASTETEN STANDORTE?", (layer(CONTAMINATED),)),
        ("altlasen auch noch", (layer("altlasen"),)),
        ("denkmahlschutz bitte", (layer("Denkmalschutz"),)),
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
