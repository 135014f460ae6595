"""One spelling for all ways to write a word."""

import unicodedata

import pytest
from german.fold import bare, fold
from german.words import words
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    "written",
    ["Rötistraße", "ROETISTRASSE", "rötistrasse", unicodedata.normalize("NFD", "Rötistrasse")],
)
def test_umlauts_transcriptions_and_sharp_s_are_one_spelling(written: str) -> None:
    assert fold(written) == "roetistrasse"


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert words(" ".join(words(text))) == words(text)


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
def test_umlauts_and_what_stands_for_them_are_one_letter(one: str, other: str) -> None:
    assert bare(one) == bare(other)


@pytest.mark.parametrize("word", ["Neuenburg", "Bauer", "Quelle", "Steuer", "neue"])
def test_ue_that_is_no_umlaut_stays(word: str) -> None:
    assert bare(word) == word.lower()


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("ÖREB", "oereb"),
        ("Straße", "strasse"),
        ("Genève, Zernez-Plattas, Côte", "geneve, zernez-plattas, cote"),
        ("m²", "m2"),
        ("Sørensen", "soerensen"),
    ],
)
def test_umlauts_are_spelled_out_and_other_accents_left_out(written: str, folded: str) -> None:
    assert fold(written) == folded
