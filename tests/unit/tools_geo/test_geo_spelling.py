"""One spelling for all ways to write a name, and a limit for what counts as a typo."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_geo.spelling import (
    closest,
    fold,
    forgiven_edits,
    mended_street_key,
    place_key,
    street_forgiven_edits,
    street_key,
    words,
)


@pytest.mark.parametrize(
    "written",
    ["Rötistraße", "ROETISTRASSE", "rötistrasse", unicodedata.normalize("NFD", "Rötistrasse")],
)
def test_umlauts_transcriptions_and_sharp_s_are_one_spelling(written: str) -> None:
    assert fold(written) == "roetistrasse"


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert words(" ".join(words(text))) == words(text)


@pytest.mark.parametrize("written", ["Rötistr.", "Röti Str.", "Röti-Strasse", "RÖTISTR", "Roeti strasse"])
def test_abbreviated_streets_have_the_key_of_the_full_name(written: str) -> None:
    assert street_key(words(written)) == "roetistrasse"


@pytest.mark.parametrize("written", ["roetistrase", "roetistras", "roetistrassse", "roetistraase"])
def test_a_mistyped_street_ending_is_mended(written: str) -> None:
    assert mended_street_key(written) == "roetistrasse"


def test_a_lone_ending_is_no_street() -> None:
    assert street_key(("str",)) == "str"


@pytest.mark.parametrize("written", ["Balm b. Messen", "balm bei messen", "Balm-bei-Messen"])
def test_abbreviated_neighbourhoods_are_one_place(written: str) -> None:
    assert place_key(written) == "balmbeimessen"


@pytest.mark.parametrize("written", ["Büren (SO)", "Büren SO", "bueren"])
def test_the_canton_in_a_name_does_not_matter(written: str) -> None:
    assert place_key(written) == "bueren"


def test_short_names_forgive_no_typo() -> None:
    assert [forgiven_edits(length) for length in (3, 4, 8, 14)] == [0, 1, 2, 3]


def test_the_common_ending_of_streets_does_not_buy_typos() -> None:
    assert street_forgiven_edits("roetistrasse") == forgiven_edits(len("roeti"))


def test_swapped_letters_are_one_typo() -> None:
    assert closest("sloothurn", ["solothurn", "olten"]) == (("solothurn", 1),)


def test_only_the_closest_entries_are_taken() -> None:
    assert closest("balsthall", ["balsthal", "balsthalx", "balsthai"]) == (("balsthal", 1), ("balsthalx", 1))


def test_nothing_is_close_to_a_foreign_word() -> None:
    assert closest("zuerich", ["solothurn", "olten", "messen"]) == ()
