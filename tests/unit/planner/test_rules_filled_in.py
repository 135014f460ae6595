"""What is filled in where it is clear what is wanted."""

import pytest
from contracts.intents import Background
from contracts.session import LoadedLayer, Session
from solothurn import VOCABULARY

from planner.rules import plan
from planner.rules.grammar.utterance import utterance_of
from planner.rules.heard.background import background_in

from .rules_kit import EVERYTHING, TEXT, TOOLS, after, layer, planned, tool

WATER = "Hydranten Wasser"
FLOOD_PLAINS = "Auengebiete von nationaler Bedeutung (Quelle Bund)"
FENS = "Flachmoore von nationaler Bedeutung (Quelle Bund)"
CONTAMINATED = "Kataster der belasteten Standorte (KbS)"


@pytest.mark.parametrize(
    ("message", "queries"),
    [
        (
            "Der Kurt ist Imker, das Vreni mag Rehe: also Bienenstandort, Wildtierkorridor, Jagdbanngebiet",
            3,
        ),
        ("Lade die Altlasten und den Kataster der belasteten Standorte", 1),
    ],
)
def test_a_layer_that_is_named_and_meant_is_loaded_once(message: str, queries: int) -> None:
    assert len([step for step in planned(message) if step.startswith("load_layer")]) == queries


def test_who_wants_a_layer_of_people_somewhere_sees_it_there() -> None:
    steps = planned("Meine Patienten aus Breitenbach klagen über Lärm, zeig mir den Strassenlärm")
    assert steps[0] == "search_place: geolocation.municipality(q=Breitenbach)"


def test_all_but_one_are_taken_off_in_every_case() -> None:
    session = after(layers=("Geologie", "Karst"))
    (step,) = planned("weg mit allem ausser Geologie", session)
    assert step in ("remove_layer: name=Karst", "remove_layer: name=*, except=['Geologie']")


def test_a_share_is_told_in_dialect() -> None:
    (step,) = planned("gnau 35 prozänt durchsichtig", after(layers=(WATER,)))
    assert step.endswith("opacity=0.65")


@pytest.mark.parametrize(
    ("message", "now", "opacity"),
    [
        ("ne zu blass, 80", 0.3, 0.8),
        ("viel zu durchsichtig, 20 %", 0.3, 0.8),
        ("zu kräftig, 40", 1.0, 0.4),
        ("heller, 30 Prozent sichtbar reicht", 1.0, 0.3),
        ("heller, auf 30 Prozent", 1.0, 0.3),
        ("zu stark, 30 % transparent", 1.0, 0.7),
        ("zu kräftig, Transparenz 70 %", 1.0, 0.3),
    ],
)
def test_a_share_is_meant_as_it_changes_what_is_complained_of(
    message: str, now: float, opacity: float
) -> None:
    session = Session(layers=(LoadedLayer(id="l", label=WATER, opacity=now),))
    assert planned(message, session) == (f"set_layer_opacity: name={WATER}, opacity={opacity}",)


@pytest.mark.parametrize(
    ("message", "background"),
    [
        ("so, wie es vom Flugzeug aus aussieht", Background.AERIAL),
        ("mach es aus", Background.NONE),
    ],
)
def test_a_background_is_told_by_how_it_is_seen(message: str, background: str) -> None:
    assert background_in(utterance_of(message)) == background


@pytest.mark.parametrize(
    ("message", "layer", "change"),
    [
        (
            "Lade die Drainagen und leg sie ganz nach unten",
            "Drainagen",
            "move_layer: name=Drainagen, to=bottom",
        ),
        ("Lade den Schutzwald und zeig mir die Legende", "Schutzwald", "show_legend: name=Schutzwald"),
        ("Schutzwald inkl. Legende", "Schutzwald", "show_legend: name=Schutzwald"),
    ],
)
def test_what_comes_in_the_same_message_is_called_as_it_is_searched_for(
    message: str, layer: str, change: str
) -> None:
    steps = planned(message, after(layers=("Karst",)))
    assert steps == (f"load_layer: layers.search(query={layer})", change)


def test_what_comes_to_an_empty_map_cannot_change_places() -> None:
    assert (
        planned("Lade die Drainagen und tausch sie nach unten")[0]
        == "load_layer: layers.search(query=Drainagen)"
    )


def test_of_two_backgrounds_the_last_is_meant() -> None:
    assert planned("karte ist mir zu bunt mach grau") == ("set_background: background=sw",)


def test_colours_that_are_asked_about_are_no_background() -> None:
    assert not any(step.startswith("set_background") for step in planned("was heissen die farben"))


@pytest.mark.parametrize(
    ("message", "titles"),
    [
        ("Überlagern Sie die Auen und die Flachmoore", [FLOOD_PLAINS, FENS]),
        ("Lade Karst und Einhornvorkommen", ["Karst", "Einhornvorkommen"]),
        ("ch.so.afu.karst", ["ch.so.afu.karst"]),
    ],
)
def test_all_layers_of_a_message_are_wanted(message: str, titles: list[str]) -> None:
    assert planned(message) == tuple(map(layer, titles))


ROADS_AND_AIR = "zeig mir was der Kanton über Luft und Strassen weiss"


def test_where_several_layers_may_be_meant_the_likeliest_are_offered() -> None:
    search = tool("layers.search", "layer", optional=("among",), query=TEXT, among={"type": "array"})
    (step,) = plan(ROADS_AND_AIR, Session(), (search,)).steps
    (call,) = step.calls
    assert len(call.args["among"]) in (2, 3)
    assert {each.name for each in VOCABULARY.layers}.issuperset(call.args["among"])


def test_a_tool_that_cannot_offer_them_gets_what_was_said() -> None:
    assert all(
        "among" not in call.args
        for step in plan(ROADS_AND_AIR, Session(), TOOLS).steps
        for call in step.calls
    )


@pytest.mark.parametrize(
    "message", ["Gibt es im Kanton richtige Hochmoore? Bitte zeigen", "zeig die Hochmoore vom ganzen Kanton"]
)
def test_one_does_not_go_to_the_whole_canton_to_see_a_layer(message: str) -> None:
    assert [step.partition(":")[0] for step in planned(message)] == ["load_layer"]


@pytest.mark.parametrize(
    ("message", "changed"),
    [
        ("hm machs halb durchsichtig", "set_layer_opacity"),
        ("Die Zeichenerklärung hierzu, wenn ich bitten darf.", "show_legend"),
        ("aha. versteh kein Wort. wieder weg", "remove_layer"),
    ],
)
def test_what_is_done_to_the_only_layer_needs_no_name(message: str, changed: str) -> None:
    (step,) = planned(message, after(layers=("Wald - Eigentum",)))
    assert step.startswith(f"{changed}: name=Wald - Eigentum")


@pytest.mark.parametrize("layers", [("Geologie",), ("Geologie", "Karst")])
@pytest.mark.parametrize("message", ["blende die Giraffen aus", "Entferne den Biber", "der Hund ist weg"])
def test_no_layer_is_taken_for_a_thing_that_is_none(message: str, layers: tuple[str, ...]) -> None:
    (step,) = planned(message, after(layers=layers))
    assert not any(layer in step for layer in layers)


@pytest.mark.parametrize(
    ("message", "steps"),
    [
        ("Fokus auf Mariastein bitte, der Wallfahrtsort", ["Mariastein"]),
        ("lavoro da poco a Oensingen, mi fai vedere dov'è?", ["Oensingen"]),
        ("Geh nach Mariastein und nach Bern", ["Mariastein", "Bern"]),
    ],
)
def test_a_place_is_what_is_known_but_no_other_is_lost(message: str, steps: list[str]) -> None:
    assert [step.rpartition("q=")[2].rstrip(")") for step in planned(message)] == steps


def test_nobody_is_brought_to_where_he_does_not_want_to_go() -> None:
    assert planned("Ich will nicht nach Grenchen") == ("clarify?",)


def test_what_is_counted_next_is_what_was_loaded() -> None:
    session = after("Wo sind die verseuchten Böden?", layers=(CONTAMINATED,))
    (step,) = planned("Wie viele an der Zahl?", session, EVERYTHING)
    assert f"layer={CONTAMINATED}" in step


def test_what_was_counted_before_is_counted_on() -> None:
    session = after("Lade den Wald", "Wie viele Schutzgebiete gibt es in Olten?", layers=("Wald - Typ",))
    (step,) = planned("Und in Grenchen?", session, EVERYTHING)
    assert "layer=Schutzgebiete" in step


def test_a_name_that_nobody_knows_is_no_layer_that_is_written_nearly_so() -> None:
    assert planned("Zeige die Gemeinde Grenchenwil") == ("search_place: geolocation.place(q=Grenchenwil)",)


@pytest.mark.parametrize(
    ("message", "steps"),
    [
        ("GS 198 Messen, ÖREB-Auszug", ["oereb_extract 198"]),
        (
            "Vorrei gli estratti RDPP di tutte e due le particelle, 9903 e 9904, Oberbuchsiten",
            ["9903", "9904"],
        ),
        (
            "Wie viele Meter über Meer haben Witterswil, Bättwil und – fast vergessen – Rodersdorf?",
            ["Witterswil", "Bättwil", "Rodersdorf"],
        ),
        ("Wir wohnen in Olten. Wie hoch liegt Dulliken?", ["Dulliken"]),
        (
            "Was ist näher bei Grenchen, Bettlach oder Selzach?",
            ["start=Grenchen end=Bettlach", "start=Grenchen end=Selzach"],
        ),
        (
            "Ist es von Büsserach nach Erschwil weiter als nach Breitenbach?",
            ["start=Büsserach end=Erschwil", "start=Büsserach end=Breitenbach"],
        ),
        (
            "Luftlinie von Olten nach Dulliken und weiter von Dulliken nach Däniken, beide Stücke bitte",
            ["start=Olten end=Dulliken", "start=Dulliken end=Däniken"],
        ),
        ("Luftlinie Bellach–Selzach", ["start=Bellach end=Selzach"]),
        (
            "Wie weit ist es von Olten nach Solothurn und von Grenchen nach Balsthal?",
            ["start=Olten end=Solothurn", "start=Grenchen end=Balsthal"],
        ),
        (
            "Luftlinie von Olten nach Solothurn, dann von Solothurn nach Grenchen",
            ["start=Olten end=Solothurn", "start=Solothurn end=Grenchen"],
        ),
        (
            "Was ist weiter weg von Olten, Trimbach oder Winznau?",
            ["start=Olten end=Trimbach", "start=Olten end=Winznau"],
        ),
    ],
)
def test_what_is_asked_is_asked_of_each_that_is_named(message: str, steps: list[str]) -> None:
    found = planned(message, tools=EVERYTHING)
    assert len(found) == len(steps)
    assert all(word in step for wanted, step in zip(steps, found, strict=True) for word in wanted.split())


@pytest.mark.parametrize(
    ("message", "steps"),
    [
        (
            "Vergiss bitte nicht die Kantonsstrassen, wenn du mir Härkingen zeigst",
            ("search_place: geolocation.municipality(q=Härkingen)", layer("Kantonsstrassen")),
        ),
        ("Waldstandorte plus Waldplan", (layer("Waldstandorte"), layer("Waldplan"))),
        ("Wald–Plan", (layer("Waldplan"),)),
        ("Wer versorgt hier die Häuser mit Strom?", (layer("Betreiber Elektrizität (Leitungskataster)"),)),
        ("Schutzareale im Kanton", (layer("Grundwasserschutzareale"),)),
        ("Mir ist unklar, wo Gänsbrunnen steckt", ("search_place: geolocation.place(q=Gänsbrunnen)",)),
    ],
)
def test_what_is_meant_is_done(message: str, steps: tuple[str, ...]) -> None:
    assert planned(message) == steps


@pytest.mark.parametrize("message", ["Karten zum Thema Wald", "Karten zum Wald"])
def test_of_a_word_of_many_layers_the_search_offers_them(message: str) -> None:
    assert planned(message) == (layer("Wald"),)


def test_a_general_word_beside_a_layer_is_no_other_one() -> None:
    assert planned("Hochwassergefahr, mit den Farben der Zonen") == (layer("Hochwassergefahr"),)
