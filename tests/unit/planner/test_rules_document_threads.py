"""Questions that hang on the one before."""

import re

import pytest
from contracts.agents import Agent
from contracts.languages import LANGUAGES
from contracts.session import HistoryEntry, Session, Wanted

from .documents_kit import QUESTIONS, ROOT, after_turns, filters_of, made_for, query_of, searches
from .rules_kit import after

AGENTS: tuple[Agent, ...] = ("map", "riskiagent")
UMFAHRUNG = "Was kostet die Umfahrung Gnappwil?"
ABGABE = "Wie hoch ist die Mehrwertabgabe?"


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    ("first", "second", "query"),
    [
        (ABGABE, "Seit wann gilt das?", "Mehrwertabgabe: Seit wann gilt das?"),
        (ABGABE, "Und was kostet das?", "Mehrwertabgabe: Was kostet das?"),
        (ABGABE, "Und für Gemeinden?", "Mehrwertabgabe für Gemeinden?"),
        (ABGABE, "und für gemeinden", "Mehrwertabgabe für gemeinden"),
        (ABGABE, "Gibt es dazu auch Anträge?", "Mehrwertabgabe: Gibt es dazu auch Anträge?"),
        (ABGABE, "Warum?", "Mehrwertabgabe: Warum?"),
        (ABGABE, "Wie hoch sind die Kosten?", "Mehrwertabgabe: Wie hoch sind die Kosten?"),
        (UMFAHRUNG, "Wann wird sie gebaut?", "Umfahrung Gnappwil: Wann wird sie gebaut?"),
        (UMFAHRUNG, "Wer hat das beschlossen?", "Umfahrung Gnappwil: Wer hat das beschlossen?"),
        (UMFAHRUNG, "Warum ist diese Strasse nötig?", "Umfahrung Gnappwil: Warum ist diese Strasse nötig?"),
        ("Suche Dokumente zum Thema Radwege", "Was kosten sie?", "Radwege: Was kosten sie?"),
        ("was kostet die umfahrung", "und wer bezahlt das", "umfahrung: Wer bezahlt das"),
        (
            "Welche Verluste hatte das Leitungsnetz im Jahr 2023?",
            "Und im Jahr davor?",
            "Welche Verluste hatte das Leitungsnetz im Jahr 2022?",
        ),
        (
            "Welche Verluste hatte das Leitungsnetz im Jahr 2023?",
            "Und 2021?",
            "Welche Verluste hatte das Leitungsnetz im Jahr 2021?",
        ),
        ("Suche Dokumente zum Thema Radwege", "Und zu Velobahnen?", "Velobahnen"),
        (
            "Was hat der Regierungsrat zu Radwegen beschlossen?",
            "Und zu Velobahnen?",
            "Was hat der Regierungsrat zu Velobahnen beschlossen?",
        ),
    ],
)
def test_a_question_takes_its_subject_from_the_one_before(
    first: str, second: str, query: str, agent: Agent
) -> None:
    assert query_of(second, after_turns([first], agent), agent) == query


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    "second",
    [
        "Und wann kommt Tempo 30 auf der Hauptstrasse in Murnikon?",
        "Wann kommt Tempo 30 auf der Hauptstrasse in Murnikon?",
        "Was kostet eine Radonmessung, und wer bezahlt das?",
        "Wie misst man Radon im Haus und was kostet eine Messung?",
        "Welche Gemeinden müssen Bauland auszonen und werden die Eigentümer dafür entschädigt?",
        "Wie breit müssen Türen sein, damit man mit dem Rollstuhl durchkommt?",
        "Wie hoch ist das Budget der Fachstelle dieses Jahr?",
        "Können Sie mir sagen, wann die Kantonsschule fertig ist?",
    ],
)
def test_a_question_with_its_own_subject_takes_nothing_over(second: str, agent: Agent) -> None:
    query = query_of(second, after_turns([UMFAHRUNG], agent), agent)
    assert "Umfahrung" not in query and "Gnappwil" not in query
    assert second.removeprefix("Und ").endswith(query[1:])


@pytest.mark.parametrize("agent", AGENTS)
def test_a_conversation_keeps_its_subject(agent: Agent) -> None:
    asked = [ABGABE, "Seit wann gilt das?", "Und für Gemeinden?", "Danke!"]
    assert query_of("Wer hat das beschlossen?", after_turns(asked, agent), agent) == (
        "Mehrwertabgabe für Gemeinden: Wer hat das beschlossen?"
    )


def test_a_restriction_can_be_added() -> None:
    session = after_turns(["Suche Dokumente zum Thema Radwege"])
    assert searches("Und seit 2022?", session) == [
        {"query": "Radwege seit 2022?", "filters": {"from": "2022-01-01"}}
    ]
    assert filters_of("Gibt es dazu auch Merkblätter?", session) == {"type": "Merkblatt"}


def test_it_counts_what_was_searched_for_and_not_what_was_said() -> None:
    """Another planner may have understood the question before in another way."""
    wanted = (Wanted(intent="search_documents", args={"query": "Wann beginnt der Bau des Bushofs?"}),)
    said = HistoryEntry(role="user", text="Und das andere?")
    session = Session(history=(said, HistoryEntry(role="assistant", text="So ist es.", wanted=wanted)))
    assert query_of("Was kostet das?", session) == "Bau, Bushofs: Was kostet das?"


def test_a_long_question_is_known_in_full() -> None:
    long = f"Welche {'sehr ' * 20}teuren Projekte gibt es beim Bau der Umfahrung Gnappwil?"
    assert "Gnappwil" in query_of("Wer bezahlt das?", after_turns([long]))


def test_between_the_map_and_documents_one_can_go_back_and_forth() -> None:
    session = after_turns([UMFAHRUNG, "Zeige mir Grenchen"])
    assert query_of("Und was kostet das?", session) == "Umfahrung Gnappwil: Was kostet das?"
    assert [step.intent for step in made_for("Und Olten?", session).steps] == ["search_place"]


def test_after_a_layer_documents_can_be_about_the_same() -> None:
    session = after_turns(["Lade den Gewässerschutz"])
    assert query_of("Gibt es dazu Dokumente?", session) == "Gewässerschutz: Gibt es dazu Dokumente?"
    assert query_of("Suche Dokumente dazu", session) == "Gewässerschutz"
    assert [step.intent for step in made_for("Was kostet das?", session).steps] == ["clarify"]


def test_after_an_assessment_a_question_is_about_the_same() -> None:
    session = after_turns(["Kann ich hier eine Erdwärmesonde bohren?"])
    assert query_of("Und wie teuer ist die Bewilligung dafür?", session) == (
        "Erdwärmesonde: Wie teuer ist die Bewilligung dafür?"
    )


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("Zeige mir Olten", "search_place"),
        ("Wo ist Olten?", "search_place"),
        ("Und wie hoch liegt das?", "height_query"),
        ("Was gilt hier?", "oereb_extract"),
        ("Danke", "answer"),
        ("Was kannst du?", "answer"),
        ("Wie heisst du?", "clarify"),
        ("Das ist gut so", "answer"),
    ],
)
def test_after_documents_the_map_is_still_there(message: str, intent: str) -> None:
    assert [step.intent for step in made_for(message, after_turns([UMFAHRUNG])).steps] == [intent]


def test_without_an_earlier_question_nothing_is_taken_over() -> None:
    assert [step.intent for step in made_for("Was kostet das?", after("Hallo")).steps] == ["clarify"]
    assert query_of("Was kostet das?", after("Hallo"), "riskiagent") == "Was kostet das?"


def test_the_message_itself_may_already_be_in_the_history() -> None:
    second = "Wer bezahlt das?"
    history = (*after_turns([UMFAHRUNG]).history, HistoryEntry(role="user", text=second))
    assert query_of(second, Session(history=history)) == "Umfahrung Gnappwil: Wer bezahlt das?"


def test_in_one_message_too_a_question_hangs_on_the_one_before() -> None:
    assert [args["query"] for args in searches(f"{UMFAHRUNG} Und wer bezahlt das?")] == [
        UMFAHRUNG,
        "Umfahrung Gnappwil: Wer bezahlt das?",
    ]


def test_a_correction_asks_about_something_else() -> None:
    session = after_turns([UMFAHRUNG])
    assert query_of("Sorry, ich meinte die Velobahn", session) == "Velobahn"
    assert query_of("nochmals", session) == UMFAHRUNG


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("entry", QUESTIONS["followups"], ids=lambda entry: entry["second"])
def test_the_second_question_of_a_conversation_stands_for_itself(entry: dict[str, str], agent: Agent) -> None:
    """It has a noun that says what it is about: its own, or one of the question before."""
    query = query_of(entry["second"], after_turns([entry["first"]], agent), agent)
    known = f"{entry['first']} {entry['second']}".split()
    assert len([word for word in query.split() if word.strip(",:?") in {w.strip("?") for w in known}]) >= 2
    assert any(word[0].isupper() for word in query.split()[1:])


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_asks_for_more_with_words_that_are_understood(language: str, agent: Agent) -> None:
    texts = (ROOT / f"packages/ask-copilot/src/texts/{language}.ts").read_text(encoding="utf-8")
    found = re.search(r'"chat.goOn.message": "(.*)\{asked\}"', texts)
    assert found is not None
    assert "Mehrwertabgabe" in query_of(found[1] + ABGABE, agent=agent)
