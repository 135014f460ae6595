"""Spelling, stems and compounds of German."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_docs.german.compounds import part_candidates, split
from tools_docs.german.lexicon import stop_terms, synonyms
from tools_docs.german.spelling import fold, words
from tools_docs.german.stems import term_of, terms
from tools_docs.german.vocabulary import CorpusWord, compounds


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zürich", "ZUERICH"),
        ("Strasse", "Straße"),
        ("Gewässer", "gewaesser"),
        ("Gewa\u0308sser", "Gewässer"),
        ("CO₂", "CO2"),
        ("Café", "cafe"),
        ("Behörde", "behoerde"),
    ],
)
def test_one_word_has_one_spelling(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize("word", ["Neuenburg", "Bauer", "Quelle", "Steuer", "neue"])
def test_ue_that_is_no_umlaut_stays(word: str) -> None:
    assert fold(word) == word.lower()


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
    assert len({term_of(form) for form in forms}) == 1, [term_of(form) for form in forms]


def test_different_words_stay_different() -> None:
    assert len({term_of(w) for w in ("Wasser", "was", "Wald", "Wand", "Wahl", "Haus", "Hauptmann")}) == 7


def test_numbers_with_apostrophes_are_one_word() -> None:
    assert terms("1'264 Gesuche, 5,9 Millionen, am 14.10.2023") == [
        *("1264", "gesuch", "5", "9", "million", "am", "14", "10", "2023"),
    ]


def test_hyphens_separate() -> None:
    assert [word.text for word in words("Luft-Wasser-Wärmepumpe")] == ["Luft", "Wasser", "Wärmepumpe"]


def test_a_sign_that_stands_for_a_blank_and_a_mark_is_no_word() -> None:
    assert terms("Der \ufc5e Wald \ufe70") == ["der", "wald"]


@given(st.text(max_size=200))
def test_any_text_has_terms_of_letters_and_digits(text: str) -> None:
    found = terms(text)
    assert len(found) == len(list(words(text)))
    assert all(" " not in term and '"' not in term and "'" not in term for term in found)


@given(st.text(max_size=60))
def test_folding_twice_changes_nothing_that_counts(text: str) -> None:
    assert terms(fold(text)) == terms(fold(fold(text)))


KNOWN = frozenset(
    term_of(word) for word in ("Grundwasser", "Wasser", "Schutz", "Zone", "Velo", "Abfluss", "Oberfläche")
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
    assert {term_of(part) for part in parts} <= found
    assert found <= part_candidates(word)


@pytest.mark.parametrize(
    "word",
    ["Strategie", "Beratung", "Urlaub", "Wasser", "Gemeinde", "2024", "Verordnung", "Bewilligung", "öV"],
)
def test_simple_words_are_left_whole(word: str) -> None:
    assert split(word, KNOWN.__contains__) == frozenset()


@given(st.text(alphabet="abdeghilmnorstuäöüß", min_size=1, max_size=60))
def test_any_word_can_be_tried(word: str) -> None:
    assert term_of(word) not in split(word, lambda _: True)


def test_a_new_word_takes_older_ones_apart() -> None:
    old = CorpusWord("schutzgebiet", term_of("schutzgebiet"), 3, is_new=False)
    word = CorpusWord("teichrohr", term_of("teichrohr"), 1, is_new=False)
    assert compounds([old, word]).terms == frozenset()
    fresh = [CorpusWord(w, term_of(w), 2, is_new=True) for w in ("teich", "rohr")]
    found = compounds([old, word, *fresh])
    assert word.term in found.terms
    assert old.term not in found.terms
    assert {part for part, whole in found.parts if whole == word.term} == {"teich", "rohr"}


def test_a_word_that_occurs_once_takes_nothing_apart() -> None:
    rare = [CorpusWord(w, term_of(w), 1, is_new=True) for w in ("teich", "rohr", "teichrohr")]
    assert compounds(rare).parts == []


def test_synonyms_stand_for_one_another_or_lead_one_way() -> None:
    assert term_of("Fahrrad") in synonyms()[term_of("Velo")]
    assert term_of("Velo") in synonyms()[term_of("Fahrrad")]
    assert term_of("Starkregen") in synonyms()[term_of("Gewitter")]
    assert term_of("Gewitter") not in synonyms().get(term_of("Starkregen"), ())


def test_synonyms_are_no_stop_words() -> None:
    assert not synonyms().keys() & stop_terms()
