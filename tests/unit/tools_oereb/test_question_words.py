"""Questions in French, Italian and English are understood as the German ones, also about a German extract."""

import pytest
from contracts.oereb import ExtractContent, LawStatus, Restriction, Theme
from servicekit.wording import answering_in

from tools_oereb.replies import reply
from tools_oereb.words import TOPICS

from .claims import claims_of, extract_of, told
from .test_questions import CONTENT

ALIKE = (
    (
        "In welcher Zone liegt die Parzelle?",
        "Dans quelle zone se trouve la parcelle?",
        "In quale zona si trova la particella?",
        "Which zone is the parcel in?",
    ),
    (
        "In welcher Zone liegt 2084 in Biberist?",
        "Dans quelle zone se trouve la parcelle 2084 à Biberist?",
        "In quale zona si trova la particella 2084 a Biberist?",
        "In what zone is parcel 2084 in Biberist?",
    ),
    (
        "Welche Beschränkungen gibt es?",
        "Quelles restrictions y a-t-il?",
        "Quali restrizioni ci sono?",
        "Which restrictions are there?",
    ),
    ("Was ist geplant?", "Qu’est-ce qui est prévu?", "Che cosa è previsto?", "What is planned?"),
    (
        "Welche Gesetze gelten dafür?",
        "Quelles lois s’appliquent à la parcelle?",
        "Quali leggi valgono per la particella?",
        "Which laws apply to the parcel?",
    ),
    ("Wer ist zuständig?", "Qui est compétent?", "Chi è competente?", "Who is responsible?"),
    (
        "Wozu gibt es keine Daten?",
        "Où n’y a-t-il pas de données?",
        "Per che cosa non ci sono dati?",
        "For what is there no data?",
    ),
    (
        "Welche Themen sind nicht betroffen?",
        "Quels thèmes ne touchent pas l’immeuble?",
        "Quali temi non riguardano il fondo?",
        "Which topics do not affect the parcel?",
    ),
    (
        "Wie gross ist die Parzelle?",
        "Quelle est la surface de la parcelle?",
        "Qual è la superficie della particella?",
        "How large is the parcel?",
    ),
    (
        "Hat es Altlasten?",
        "Y a-t-il des sites pollués?",
        "Ci sono siti inquinati?",
        "Are there polluted sites?",
    ),
    ("Gibt es Lärm?", "Y a-t-il du bruit?", "C’è rumore?", "Is there noise?"),
    (
        "Wie viel liegt in einer Grundwasserschutzzone?",
        "Quelle part est dans une zone de protection des eaux souterraines?",
        "Quale parte è in una zona di protezione delle acque sotterranee?",
        "What share is in the groundwater?",
    ),
    (
        "Darf ich hier ein Haus bauen?",
        "Est-ce que je peux construire ici?",
        "Posso costruire qui?",
        "May I build here?",
    ),
    (
        "Wem gehört die Parzelle?",
        "À qui appartient la parcelle?",
        "A chi appartiene la particella?",
        "Who is the owner of the parcel?",
    ),
    (
        "Ist die Parzelle von Hochwasser betroffen?",
        "La parcelle est-elle touchée par une inondation?",
        "La particella è toccata da alluvioni?",
        "Is the parcel affected by floods?",
    ),
    (
        "Ist die Parzelle von Fledermäusen betroffen?",
        "La parcelle est-elle touchée par une fourmilière?",
        "La particella è toccata dai pipistrelli?",
        "Is the parcel affected by bats?",
    ),
)


@pytest.mark.parametrize("questions", ALIKE, ids=[questions[0] for questions in ALIKE])
def test_a_question_has_the_same_answer_in_each_language(questions: tuple[str, ...]) -> None:
    extract = extract_of(CONTENT)
    answers = [claims_of(reply(extract, CONTENT, question)) for question in questions]
    assert all(answer == answers[0] for answer in answers)


WATER = Theme(code="ch.Grundwasserschutzzonen", title="Zones de protection des eaux souterraines")
NOISE = Theme(code="ch.Laermempfindlichkeitsstufen", title="Degrés de sensibilité au bruit")
FRENCH = ExtractContent(
    concerned=(WATER,),
    not_concerned=(NOISE,),
    restrictions=(Restriction(theme=WATER, text="Zone S3", law_status=LawStatus.IN_FORCE, percent=8.1),),
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Est-ce que la parcelle est dans une zone de protection des eaux souterraines?", "Oui."),
        ("Est-ce que l’immeuble est dans une zone de protection des eaux souterraines?", "Oui."),
        ("Est-ce que la parcelle est touchée par le degré de sensibilité au bruit?", None),
        ("Est-ce que la parcelle n’est pas dans une zone de protection des eaux souterraines?", None),
        ("Est-ce que la parcelle est hors d’une zone de protection des eaux souterraines?", None),
        ("Est-ce que toute la parcelle est dans une zone de protection des eaux souterraines?", None),
        ("Est-ce que la parcelle est près d’une zone de protection des eaux souterraines?", None),
        ("Dans quelle zone de protection des eaux souterraines est la parcelle?", None),
        ("Is the parcel in zones de protection des eaux souterraines?", "Oui."),
        ("Is the parcel not in zones de protection des eaux souterraines?", None),
        ("Is the parcel outside of zones de protection des eaux souterraines?", None),
        ("Non c’è una zone de protection des eaux souterraines?", None),
        ("C’è solo una zone de protection des eaux souterraines?", None),
    ],
)
def test_yes_is_only_told_where_every_word_is_understood(question: str, answer: str | None) -> None:
    with answering_in("fr"):
        lines = told(reply(extract_of(FRENCH), FRENCH, question)).splitlines()
    assert [line for line in lines if line in ("Oui.", "Non.")] == ([answer] if answer else [])
    assert any(line.startswith("Zones de protection") or "touché par" in line for line in lines)


def test_what_is_announced_to_planners_is_in_no_everyday_word_of_another_language() -> None:
    """A topic counts wherever it stands in a word."""
    for word in (
        "lawine",
        "loipe",
        "bahnhof",
        "legende",
        "lageplan",
        "landschaft",
        "relief",
        "natura",
        "montagne",
    ):
        assert not any(topic in word for topic in TOPICS), word
    for word in (
        "zone",
        "restriction",
        "affectation",
        "restrizioni",
        "vincoli",
        "restrictions",
        "groundwater",
    ):
        assert any(topic in word for topic in TOPICS), word
