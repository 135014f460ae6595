"""What is understood of a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_docs.question import MAX_WORDS, named, understand

KINDS = ("Botschaft und Entwurf", "Antwort auf Interpellation", "Jahresbericht")
BODIES = ("Regierungsrat", "Amt für Umwelt", "Umwelt-, Bau- und Wirtschaftskommission")


def weights(question: str) -> dict[str, float]:
    return {word.text: word.weight for word in understand(question, KINDS, BODIES).words}


def test_words_that_say_nothing_are_left_out() -> None:
    found = weights("Kannst du mir bitte sagen, welche Dokumente es zum Gewässerschutz gibt?")
    assert found.keys() == {"Gewässerschutz"}


def test_nouns_count_more_than_other_words() -> None:
    found = weights("Wer muss dem Kanton einen günstigen Wohnraum melden?")
    assert found["Wohnraum"] == found["Kanton"] > found["günstigen"] == found["melden"] > 0


@pytest.mark.parametrize("question", ["günstiger wohnraum im kanton", "GÜNSTIGER WOHNRAUM IM KANTON"])
def test_who_writes_in_one_case_says_nothing_by_it(question: str) -> None:
    assert len(set(weights(question).values())) == 1


def test_how_high_is_no_subject() -> None:
    found = weights("Wie hoch ist die Abgabe?")
    assert found["hoch"] < 0.2 < found["Abgabe"]


def test_the_sort_of_document_hardly_counts_as_a_word() -> None:
    found = understand("Was sagt der Regierungsrat in der Botschaft zur Abgabe?", KINDS, BODIES)
    assert found.kinds == {"Botschaft und Entwurf"}
    assert found.bodies == {"Regierungsrat"}
    assert {word.text: word.weight for word in found.words} == {
        "Regierungsrat": 0.25,
        "Botschaft": 0.25,
        "Abgabe": 1.0,
    }


def test_an_authority_is_named_by_its_whole_name() -> None:
    assert understand("Wie geht es der Umwelt?", KINDS, BODIES).bodies == frozenset()
    assert understand("Was sagt das Amt für Umwelt?", KINDS, BODIES).bodies == {"Amt für Umwelt"}


@pytest.mark.parametrize(
    ("wanted", "kinds"),
    [
        ("Botschaft", ("Botschaft und Entwurf",)),
        ("botschaften", ("Botschaft und Entwurf",)),
        ("Interpellation", ("Antwort auf Interpellation",)),
        ("Bericht", ("Jahresbericht",)),
        ("Berichte", ("Jahresbericht",)),
        ("Roman", ()),
        ("und", ()),
        ("", ()),
    ],
)
def test_a_filter_means_kinds_of_the_index(wanted: str, kinds: tuple[str, ...]) -> None:
    assert named(wanted, KINDS) == kinds


@pytest.mark.parametrize(
    "quoted", ["«Tempo dreissig»", "„Tempo dreissig“", "“Tempo dreissig”", '"Tempo dreissig"']
)
def test_quotes_keep_words_together(quoted: str) -> None:
    assert understand(f"Wo gilt {quoted}?").phrases == (("tempo", "dreissig"),)


def test_times_are_read() -> None:
    asked = understand("Was wurde 2023 und vor März 2024 beschlossen?")
    assert [str(p.last) for p in asked.periods] == ["2023-12-31", "2024-02-29"]


def test_a_star_marks_the_beginning_of_a_word() -> None:
    assert [(w.text, w.is_prefix) for w in understand("gewässer* Zone").words] == [
        ("gewässer", True),
        ("Zone", False),
    ]


@given(st.text(max_size=300))
def test_anything_can_be_asked(question: str) -> None:
    found = understand(question, KINDS, BODIES)
    assert len(found.words) <= MAX_WORDS
    assert all(0 < word.weight <= 1 and word.term for word in found.words)
