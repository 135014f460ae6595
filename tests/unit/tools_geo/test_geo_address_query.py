"""Taking apart what a user wrote as an address."""

import pytest

from tools_geo.address_query import AddressQuery, read_address


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("Langendorfstrasse 19b", "19b"),
        ("Langendorfstrasse 19 B", "19b"),
        ("Langendorfstrasse 19b.", "19b"),
        ("Rötistr.4", "4"),
        ("Rötistrasse Nr. 4", "4"),
        ("Rötistrasse 4 in Solothurn", "4"),
        ("Hauptstrasse 4 b. Olten", "4"),
        ("Rötistrasse 22/24", "22"),
    ],
)
def test_house_numbers_are_recognised(written: str, number: str) -> None:
    assert read_address(written).house_number == number


@pytest.mark.parametrize(
    "written",
    ["4500 Solothurn, Rötistrasse 22", "Rötistrasse 22, 4500 Solothurn", "Rötistrasse 22 Solothurn CH-4500"],
)
def test_the_postal_code_may_stand_anywhere(written: str) -> None:
    query = read_address(written)
    assert (query.house_number, query.postal_code) == ("22", "4500")
    assert sorted(query.words) == ["roetistrasse", "solothurn"]


def test_without_digits_there_are_only_words() -> None:
    assert read_address("Rötistr., Solothurn") == AddressQuery(("roetistr", "solothurn"))


def test_a_very_long_text_is_cut() -> None:
    assert len(read_address("wort " * 40).words) == 12
