"""Forms of a word are one stem."""

import pytest
from german.fold import bare
from german.stems import stem, stems
from german.words import words, words_in
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    "forms",
    [
        ("Gewässer", "Gewässern", "Gewässers", "gewaesser"),
        ("Haus", "Häuser", "Häusern", "Hauses"),
        ("Antrag", "Anträge", "Anträgen", "Antrags"),
        ("Velo", "Velos"),
        ("Bus", "Busse", "Bussen"),
        ("Verhältnis", "Verhältnisse", "Verhältnissen"),
        ("Zone", "Zonen"),
        ("bewilligt", "bewilligen", "Bewilligung", "Bewilligungen"),
        ("Strasse", "Strassen", "Straße"),
    ],
)
def test_forms_of_a_word_are_one_term(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1, [stem(form) for form in forms]


def test_different_words_stay_different() -> None:
    assert len({stem(w) for w in ("Wasser", "was", "Wald", "Wand", "Wahl", "Haus", "Hauptmann")}) == 7


def test_numbers_with_apostrophes_are_one_word() -> None:
    assert stems("1'264 Gesuche, 5,9 Millionen, am 14.10.2023") == [
        *("1264", "gesuch", "5", "9", "million", "am", "14", "10", "2023"),
    ]


def test_hyphens_separate() -> None:
    assert [word.text for word in words_in("Luft-Wasser-Wärmepumpe")] == ["Luft", "Wasser", "Wärmepumpe"]


def test_a_sign_that_stands_for_a_blank_and_a_mark_is_no_word() -> None:
    assert stems("Der \ufc5e Wald \ufe70") == ["der", "wald"]


@given(st.text(max_size=200))
def test_any_text_has_terms_of_letters_and_digits(text: str) -> None:
    found = stems(text)
    assert len(found) == len(list(words_in(text)))
    assert all(" " not in term and '"' not in term and "'" not in term for term in found)


@given(st.text(max_size=60))
def test_folding_twice_changes_nothing_that_counts(text: str) -> None:
    assert stems(bare(text)) == stems(bare(bare(text)))


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
