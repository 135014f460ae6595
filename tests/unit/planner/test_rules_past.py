"""What a session remembers of a plan is enough to plan it once more."""

import pytest
from contracts.items import Distance, FeatureSet
from contracts.session import HistoryEntry, MapView, Session, StepResult, Wanted
from contracts.tools import ToolDescriptor

from planner.rules.grammar.wishes import Wish
from planner.rules.planning.again import wish_of
from planner.rules.planning.past import remembered
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

from .rules_kit import EVERYTHING, EXTRACT, NUMBER, after, planned, tool, turn, without


@pytest.mark.parametrize(
    "message",
    [
        "Gehe zur Rötistrasse 4 in Solothurn",
        "Zeige Balm bei Messen",
        "Zeige Grundstück 168 in Messen",
        "Erstelle den ÖREB-Auszug für CH955832730623",
        "Erstelle den Grundbuchplan für Parzelle 2084 in Biberist",
        "Wie hoch liegt Olten?",
        "Wie hoch liegt 2600513, 1215519?",
        "Lade den Waldplan",
        "Wie weit ist es von Olten nach Solothurn?",
        "Wie viele Jagdreviere gibt es in Olten?",
        "Welche Gemeinden haben 2023 die Mehrwertabgabe eingeführt?",
    ],
)
def test_once_more_is_the_same_plan(message: str) -> None:
    first = planned(message, tools=EVERYTHING)
    assert planned("nochmals", after(message), EVERYTHING) == first


def once_more(intent: str, chosen: str | None = None, **args: str) -> Wish:
    return wish_of(Wanted(intent=intent, args=args, chosen=chosen), Session(), EVERYTHING)


def test_what_was_chosen_stands_for_what_was_said() -> None:
    assert once_more("search_place", "Balm bei Günsberg", q="Balm").target == Place(
        "Balm bei Günsberg", "municipality"
    )
    assert once_more("load_layer", "Waldplan (Gruppe)", query="Wald").query == "Waldplan"


def test_what_lacks_something_says_what_it_lacks() -> None:
    assert once_more("show_parcel", municipality="Messen").target == Parcel(None, "Messen")
    height = once_more("height_query")
    assert height.needs_place and height.target is None
    asked = once_more("clarify", lacking="oereb_extract")
    assert (asked.intent, asked.is_talk) == ("oereb_extract", False)


def test_a_name_around_a_place_stays() -> None:
    assert once_more("search_place", q="Kantonsspital Olten").target == Place(
        "Kantonsspital Olten", "unknown"
    )


def test_beside_a_deed_talk_is_not_remembered() -> None:
    wanted = (Wanted(intent="answer"), Wanted(intent="load_layer", args={"query": "Karst"}))
    session = Session(history=(HistoryEntry(role="assistant", text="", wanted=wanted),))
    (answer,) = remembered(session)
    assert [wish.intent for wish in answer.wishes] == ["load_layer"]


def test_an_answer_of_an_older_version_tells_nothing() -> None:
    old = (
        HistoryEntry(role="user", text="Zeige Olten"),
        HistoryEntry(role="assistant", text="[search_place: ok]"),
    )
    assert remembered(Session(history=old)) == ()


def test_a_choice_tells_by_itself_what_led_to_it() -> None:
    session = after("Zeige Balm", "Danke", "Ich wähle: Balm bei Günsberg")
    balm = ("search_place: geolocation.place(q=Balm)",)
    assert planned("nein, die zweite", session) == balm


def test_after_a_question_which_layer_the_question_comes_again() -> None:
    assert planned("nochmals", after("Lade einen Layer")) == ("clarify?",)


def test_a_message_that_failed_is_read_again() -> None:
    session = after("Zeige Grenchen")
    failed = HistoryEntry(role="user", text="Zeige Olten")
    session = session.model_copy(update={"history": (*session.history, failed)})
    assert planned("nochmals", session) == planned("Zeige Olten")


def test_whatever_was_done_before_once_more_is_the_last_deed() -> None:
    far = Distance(id="d", label="Olten – Grenchen", metres=42_400, start="Olten", end="Grenchen")
    counted = FeatureSet(id="f", label="Belastete Standorte", layer="kbs", layer_label="Standorte", count=9)
    session = after(
        "ÖREB-Auszug für Grundstück 198 in Messen", selected=(far, counted, EXTRACT), layers=("Karst",)
    )
    intents = ("measure_distance", "measure_distance", "oereb_extract")
    results = tuple(StepResult(intent=intent, ok=True, text="") for intent in intents)
    again = planned("nochmals", session.model_copy(update={"results": results}))
    assert again == planned("ÖREB-Auszug für Grundstück 198 in Messen")


def test_the_same_question_is_asked_once() -> None:
    assert planned("Lade Wald und Karst", tools=without("layers.search")) == ("load_layer?",)


def test_what_the_map_shows_is_what_it_shows_now() -> None:
    extent = (2_600_000.0, 1_215_000.0, 2_601_000.0, 1_216_000.0)
    counted = Wanted(intent="query_features", args={"layer": "Jagdreviere", "extent": [0, 0, 1, 1]})
    session = Session(view=MapView(center=(2_600_500, 1_215_500), extent=extent, scale=10_000))
    assert wish_of(counted, session, EVERYTHING).args == {"layer": "Jagdreviere", "extent": extent}


def test_tools_of_other_servers_are_asked_again() -> None:
    trees = tool("trees.count", "tree", phrases=("wie viele bäume",), x=NUMBER, y=NUMBER)
    tools = (*EVERYTHING, trees)
    (first,) = planned("Wie viele Bäume gibt es in Olten?", tools=tools)
    session = with_turn("Wie viele Bäume gibt es in Olten?", tools)
    assert planned("nochmals", session, tools) == (first,)
    assert planned("Und Grenchen?", session, tools) == (first.replace("Olten", "Grenchen"),)


def with_turn(message: str, tools: tuple[ToolDescriptor, ...]) -> Session:
    return Session(history=turn(message, Session(), tools))
