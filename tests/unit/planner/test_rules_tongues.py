"""French, Italian, English and Swiss German: the plans of the German sentence, and answers in kind."""

import pytest
from contracts.languages import LANGUAGES
from contracts.session import Session
from evaluation.conversations import SEEN, conversations
from german.fold import fold

from planner.rules import plan
from planner.rules.grammar.openers import Opener
from planner.rules.grammar.utterance import utterance_of
from planner.rules.reading.lexicon import is_german
from planner.rules.reading.tables import table
from planner.rules.reading.tokens import clean, tokens_of
from planner.rules.reading.tongues import FOREIGN, read

from .rules_kit import TOOLS, Utterances, after, begins, open_choice, planned, told

OLTEN = ("search_place: geolocation.municipality(q=Olten)",)
SOLOTHURN = ("search_place: geolocation.municipality(q=Solothurn)",)
TRIMBACH = ("search_place: geolocation.municipality(q=Trimbach)",)
POLLUTED = ("load_layer: layers.search(query=Kataster der belasteten Standorte (KbS))",)
PARCEL = ("show_parcel: parcels.by_number(number=198, municipality=Messen)",)
HERE = ("height_query: terrain.height_by_xy()",)

SENTENCES: Utterances = [
    ("Emmenez-moi à Olten, s'il vous plaît", OLTEN),
    ("Vorrei andare a Olten, per cortesia", OLTEN),
    ("Could you take me to Olten, please?", OLTEN),
    ("Chasch mer bitte Oute zeige?", OLTEN),
    ("J'aimerais voir Soleure", SOLOTHURN),
    ("Dove si trova Soletta?", SOLOTHURN),
    ("Wo lit Soledurn?", SOLOTHURN),
    ("Wo isch Balschtu?", ("search_place: geolocation.municipality(q=Balsthal)",)),
    ("Zeig mer Derendige", ("search_place: geolocation.municipality(q=Derendingen)",)),
    ("Affiche la parcelle 198 à Messen", PARCEL),
    ("Mostrami il fondo n. 198 di Messen", PARCEL),
    ("I'd like to see plot number 198 in Messen", PARCEL),
    ("Zeig mer d Parzälle 198 z Mässe", PARCEL),
    ("Où est la rue du Lac 3 à Olten ?", ("goto_address: geolocation.geocode(q=rue du Lac 3, Olten)",)),
    ("12, rue de la Gare, Olten", ("goto_address: geolocation.geocode(q=rue de la Gare 12, Olten)",)),
    ("Vai in via della Posta 3 a Olten", ("goto_address: geolocation.geocode(q=via della Posta 3, Olten)",)),
    ("Gang a d Röschtistross 3 z Oute", ("goto_address: geolocation.geocode(q=Röschtistrasse 3, Olten)",)),
    ("Retire toutes les couches", ("remove_layer: name=*",)),
    ("Togli il livello Wald", ("remove_layer: name=Wald",)),
    ("Get rid of everything on the map", ("clear_map",)),
    ("Mach d Charte läär", ("clear_map",)),
    ("Remets le fond en couleur", ("set_background: background=color",)),
    ("Metti la foto aerea come sfondo", ("set_background: background=ortho",)),
    ("Switch to black and white", ("set_background: background=sw",)),
    ("Tue dr Hindergrund schwarzwiss", ("set_background: background=sw",)),
    ("Quelle est l'altitude ici ?", HERE),
    ("Quanto è alto qui?", HERE),
    ("And the height there?", HERE),
    ("Et l'extrait RDPPF de CH955832730623 ?", ("oereb_extract: oereb.extract_by_id(egrid=CH955832730623)",)),
    ("Ajoute la carte du bruit", ("load_layer: layers.search(query=bruit)",)),
    ("Pas Olten mais Trimbach", TRIMBACH),
    ("Non Olten ma Trimbach", TRIMBACH),
    ("Not Olten but Trimbach", TRIMBACH),
    ("Nid Oute, Trimbach", TRIMBACH),
    ("Au lieu d'Olten, montre Trimbach", TRIMBACH),
    ("montre le canton de Soleure", ("search_place: geolocation.place(q=Kanton Solothurn)",)),
    ("Bonjour, je m'appelle Sophie Exemple", ("answer: …",)),
    ("Can you make PLR extracts?", ("answer: …",)),
    ("shwo me Olten", OLTEN),
    ("mostrmi Olten", OLTEN),
    ("J'essaie de trouver Olten", OLTEN),
    ("Sto cercando Olten", OLTEN),
    ("I was trying to find Olten", OLTEN),
    ("Va be', allora Olten", OLTEN),
    ("Could you tell me where Olten is?", OLTEN),
    ("Zeig mer nid Balschtu, sondern Oute", OLTEN),
    ("Kasch mer Olte zaige?", OLTEN),
    ("Ych möcht gärn uff Olte", OLTEN),
    ("I hätt gärn gwüsst, wo Olte liit", OLTEN),
    ("btw zeig ma olten pls", OLTEN),
    ("ka wo das is, aber zeig mir olten thx", OLTEN),
    ("Je suis notaire et je voudrais voir la parcelle 198 à Messen", PARCEL),
    ("Sono un notaio, mi mostri il fondo 198 di Messen", PARCEL),
    ("I'm a notary. Get me plot 198 in Messen", PARCEL),
    ("Chargeons la carte du bruit", ("load_layer: layers.search(query=bruit)",)),
    ("Y a-t-il un site pollué ?", ("load_layer: layers.search(query=site pollué)",)),
    (
        "Aggiungi un sito inquinato",
        POLLUTED,
    ),
    (
        "Adding hiking trails, please",
        ("load_layer: layers.search(query=Wanderwege mit Sperrungen und Umleitungen)",),
    ),
    ("Non, finalement la carte en couleur", ("set_background: background=color",)),
    ("Be', mettiamo la mappa a colori", ("set_background: background=color",)),
    ("No, the grey map please", ("set_background: background=sw",)),
    ("u jetz no s Luftbüud derzue", ("set_background: background=ortho",)),
    ("D Schutzzoone, bitte", ("load_layer: layers.search(query=Schutzzone)",)),
    ("Lueg d Wanderwäga aa", ("load_layer: layers.search(query=Wanderwega)",)),
    ("I wott d Gfahrecharte gseh", ("load_layer: layers.search(query=Gefahre)",)),
    ("Lad d Landeskarte", ("load_layer: layers.search(query=Landeskarte)",)),
    ("Qu'est-ce que tu sais faire d'autre ?", ("answer: …",)),
    ("Cos'altro sai fare?", ("answer: …",)),
    ("What else can you do?", ("answer: …",)),
]


@pytest.mark.parametrize(("message", "expected"), SENTENCES)
def test_other_languages_are_understood_as_german_is(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


@pytest.mark.parametrize(
    ("before", "message", "expected"),
    [
        ("A che altitudine si trova Olten?", "e Trimbach?", "height_query"),
        ("À quelle altitude se trouve Olten ?", "et Trimbach ?", "height_query"),
        ("Zeige mir Olten", "e Trimbach?", "search_place"),
    ],
)
def test_what_could_be_in_several_languages_is_in_that_of_the_conversation(
    before: str, message: str, expected: str
) -> None:
    (step,) = planned(message, after(before))
    assert step.startswith(expected)
    assert "q=Trimbach" in step


@pytest.mark.parametrize(
    "message", ["annulla", "no aspetta, annulla", "annule", "Annulliere das", "undo that"]
)
def test_what_is_cancelled_is_undone_where_nothing_is_asked(message: str) -> None:
    assert planned(message, after("Zeige Olten")) == ("undo: steps=1",)


@pytest.mark.parametrize("message", ["annulla", "annule"])
def test_what_is_cancelled_is_the_open_choice(message: str) -> None:
    choice = open_choice("Aeschi", "Bellach", turn="turn")
    assert planned(message, after(choices=(choice,))) == ("answer: …",)


@pytest.mark.parametrize("name", ["sentieri escursionistici", "sentiero escursionistico", "hiking trail"])
def test_loaded_layers_are_found_by_what_they_are_called_elsewhere(name: str) -> None:
    loaded = after(layers=("Wald", "Wanderwege mit Sperrungen"))
    (step,) = planned(f"{'Remove' if name[0] == 'h' else 'Togli'} {name}", loaded)
    assert step == "remove_layer: name=Wanderwege mit Sperrungen"


@pytest.mark.parametrize("message", ["la deuxième", "la seconda", "the second one", "s zwöite"])
def test_options_are_picked_by_their_place(message: str) -> None:
    choice = open_choice("Aeschi", "Bellach", turn="turn")
    assert planned(message, after(choices=(choice,))) == ("choice turn.0.1",)


@pytest.mark.parametrize(
    "message", ["Combien coûte un permis?", "Quanto costa un permesso?", "Who pays the bill?"]
)
def test_questions_for_documents_are_recognised(message: str) -> None:
    assert planned(message) == (f"search_documents: documents.retrieve(query={message})",)
    assert utterance_of(message).opener is Opener.FACT


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("Je ne sais pas", "fr"),
        ("Non lo so", "it"),
        ("I don't know", "en"),
        ("Ich weiss es nicht", "de"),
        ("I weiss es ou nid", "de"),
        ("Olten", "de"),
        ("Zoom in", "de"),
    ],
)
def test_who_writes_in_a_language_is_answered_in_it(message: str, language: str) -> None:
    assert utterance_of(message).answer_language("de") == language
    assert utterance_of(message).answer_language("it") == "it"


@pytest.mark.parametrize(
    ("message", "language", "told_to_all"),
    [
        ("et le Xyzburg", "de", "fr"),
        ("e la legenda?", "de", "it"),
        ("et le Xyzburg", "fr", None),
        ("et le Xyzburg", "it", None),
        ("und Xyzburg", "de", None),
        ("Legende bitte", "de", None),
        ("la légende", "de", "fr"),
    ],
)
def test_all_services_are_told_what_a_message_is_answered_in(
    message: str, language: str, told_to_all: str | None
) -> None:
    assert plan(message, Session(), TOOLS, language).language == told_to_all


def test_what_is_not_understood_is_said_in_the_language_of_the_message() -> None:
    assert told("Le chat est sur la table").startswith(begins("only_maps", "fr"))


@pytest.mark.parametrize(
    ("message", "folded"),
    [
        ("die Karte in Olten", ("die", "karte", "in", "olten")),
        ("the map in Olten", ("der", "karte", "in", "olten")),
        ("come si va a Olten", ("wie", "mir", "gehe", "in", "olten")),
        ("Zeige die Quelle", ("zeige", "die", "quelle")),
        ("quelle carte", ("welche", "karte")),
        ("clear_map", ("clear", "_", "map")),
        ("Zeige mir s'il vous plaît Olten", ("zeige", "mir", "bitte", "olten")),
    ],
)
def test_the_language_of_a_sentence_says_what_a_word_means(message: str, folded: tuple[str, ...]) -> None:
    assert tuple(token.folded for token in read(tokens_of(clean(message))).tokens) == folded


def test_german_stays_as_it_is() -> None:
    kinds = (
        "plain",
        "wishes",
        "names",
        "layers",
        "questions",
        "references",
        "postcodes",
        "refusals",
        "shown",
    )
    for each in conversations(SEEN):
        if each.language == "de" and each.kind in kinds:
            for turn in each.turns:
                if " isch " in turn.say:
                    continue
                tokens = tokens_of(clean(turn.say))
                assert read(tokens).tokens == tokens, turn.say


def test_every_word_stands_for_one_that_the_grammar_knows() -> None:
    elsewhere = "nur erste zweite dritte vierte fuenfte"
    tables = " ".join(str(table(name)) for name in ("documents.toml", "words.toml", "topics.toml"))
    for language in ("gsw", *FOREIGN):
        for german in table(f"tongues/{language}.toml"):
            known = is_german(german) or all(word in f"{elsewhere} {tables}" for word in german.split())
            assert german in {"suffixes", "endings"} or known, (language, german)
            assert german == fold(german)


def test_all_languages_of_answers_are_read() -> None:
    assert {"de", *FOREIGN} == set(LANGUAGES)
