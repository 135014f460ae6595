"""Words that are made of words."""

import pytest
from german.compounds import part_candidates, parts_of, split
from german.stems import stem
from hypothesis import given
from hypothesis import strategies as st

KNOWN = frozenset(
    stem(word) for word in ("Grundwasser", "Wasser", "Schutz", "Zone", "Velo", "Abfluss", "Oberfläche")
)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("Grundwasserschutzzonen", {"Grundwasser", "Schutz", "Zone", "Schutzzone", "Grundwasserschutz"}),
        ("Wärmepumpen", {"Wärme", "Pumpe"}),
        ("Kantonsrat", {"Kanton", "Rat"}),
        ("Landschaftsschutz", {"Landschaft", "Schutz"}),
        ("Baubewilligung", {"Bau", "Bewilligung"}),
        ("Oberflächenabfluss", {"Oberfläche", "Abfluss"}),
        ("Gewässerschutzzone", {"Gewässer", "Schutzzone", "Gewässerschutz"}),
    ],
)
def test_compounds_are_taken_apart(word: str, parts: set[str]) -> None:
    found = split(word, KNOWN.__contains__)
    assert {stem(part) for part in parts} <= found
    assert found <= part_candidates(word)


@pytest.mark.parametrize(
    "word",
    ["Strategie", "Beratung", "Urlaub", "Wasser", "Gemeinde", "2024", "Verordnung", "Bewilligung", "öV"],
)
def test_simple_words_are_left_whole(word: str) -> None:
    assert split(word, KNOWN.__contains__) == frozenset()


@given(st.text(alphabet="abdeghilmnorstuäöüß", min_size=1, max_size=60))
def test_any_word_can_be_tried(word: str) -> None:
    assert stem(word) not in split(word, lambda _: True)


NAMES = frozenset(
    (
        "laerm",
        "schutz",
        "strasse",
        "wald",
        "brand",
        "gefahr",
        "nutzung",
        "plan",
        "solar",
        "schutzzone",
        "biene",
    )
)


@pytest.mark.parametrize(
    ("compound", "parts"),
    [
        ("strassenlaerm", ("strasse", "laerm")),
        ("nutzungsplan", ("nutzung", "plan")),
        ("waldbrandgefahr", ("wald", "brand", "gefahr")),
        ("laermschutzzone", ("laerm", "schutzzone")),
    ],
)
def test_a_compound_is_made_of_the_fewest_known_words(compound: str, parts: tuple[str, ...]) -> None:
    assert parts_of(compound, NAMES) == (parts, True)


def test_a_compound_with_an_unknown_part_is_no_certain_one() -> None:
    assert parts_of("laermwand", NAMES) == (("laerm",), False)


@pytest.mark.parametrize("word", ["laerm", "kindergarten", "waldkindergarten", "", "wal"])
def test_what_is_mostly_unknown_or_no_compound_has_no_parts(word: str) -> None:
    assert parts_of(word, NAMES)[0] == ()


@given(st.text(alphabet="laermschutz", max_size=60))
def test_the_parts_are_known_and_in_their_order(word: str) -> None:
    parts, _ = parts_of(word, NAMES)
    assert set(parts) <= NAMES
    assert "".join(parts) == "" or len("".join(parts)) <= len(word)
