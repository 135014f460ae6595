"""Keys of places and streets, and a limit for what counts as a typo."""

import pytest
from german.spelling import forgiven_edits
from german.words import words

from tools_geo.spelling import mended_street_key, place_key, street_forgiven_edits, street_key


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
