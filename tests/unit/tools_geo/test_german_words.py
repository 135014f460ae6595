"""Stems and the parts of compounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_geo.layers.german import parts_of, stem
from tools_geo.spelling import words

KNOWN = frozenset(
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
    ("one", "other"),
    [
        ("Wildtierkorridor", "Wildtierkorridore"),
        ("Jagdrevier", "Jagdreviere"),
        ("Baulinie", "Baulinien"),
        ("Wald", "Wälder"),
        ("Bach", "Bäche"),
        ("Boden", "Böden"),
        ("Lärm", "Laerm"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    (first,), (second,) = words(one), words(other)
    assert stem(first) == stem(second)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=40))
def test_any_word_has_a_stem(word: str) -> None:
    assert len(stem(word)) <= len(word)


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
    assert parts_of(compound, KNOWN) == (parts, True)


def test_a_compound_with_an_unknown_part_is_no_certain_one() -> None:
    assert parts_of("laermwand", KNOWN) == (("laerm",), False)


@pytest.mark.parametrize("word", ["laerm", "kindergarten", "waldkindergarten", "", "wal"])
def test_what_is_mostly_unknown_or_no_compound_has_no_parts(word: str) -> None:
    assert parts_of(word, KNOWN)[0] == ()


@given(st.text(alphabet="laermschutz", max_size=60))
def test_the_parts_are_known_and_in_their_order(word: str) -> None:
    parts, _ = parts_of(word, KNOWN)
    assert set(parts) <= KNOWN
    assert "".join(parts) == "" or len("".join(parts)) <= len(word)
