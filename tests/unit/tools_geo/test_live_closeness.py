"""How close a hit is to what was asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_geo.address_query import read_address, search_words
from tools_geo.live.closeness import Street, names_only_area, of_name, of_street, ranked
from tools_geo.name_query import name_query, written_words
from tools_geo.name_query import search_words as name_words

SOLOTHURN = frozenset({"solothurn"})


def street(name: str, area: frozenset[str] = SOLOTHURN, code: str = "4500") -> Street:
    return Street(name, code, area)


@pytest.mark.parametrize(
    ("query", "name", "expected"),
    [
        ("Rötistrasse 4, Solothurn", "Rötistrasse", 1.0),
        ("Rötistr. 4", "Rötistrasse", 1.0),
        ("Röti-Strasse 4, Solothrun", "Rötistrasse", 1.0),
        ("Rötistrasse 4, 4500", "Rötistrasse", 1.0),
        ("Rötistrasse 4, 4600 Solothurn", "Rötistrasse", 0.8),
        ("Im Hof 3, Solothurn", "Im Hof", 1.0),
        ("Solothurnstrasse 5", "Solothurnstrasse", 1.0),
        ("Rötistrasse 4, 4600", "Rötistrasse", None),
        ("Rötistrasse 4, Zürich", "Rötistrasse", None),
        ("Bahnhofstrasse 4", "Rötistrasse", None),
        ("Solothurn", "Rötistrasse", None),
    ],
)
def test_a_street_is_recognised(query: str, name: str, expected: float | None) -> None:
    assert of_street(street(name), read_address(query)) == expected


@pytest.mark.parametrize("query", ["Rötistrase 4", "Rötitsrasse 4, Solothurn", "Burgunder 4"])
def test_what_is_only_similar_is_less_than_certain(query: str) -> None:
    name = "Burgunderstrasse" if "Burgunder" in query else "Rötistrasse"
    close = of_street(street(name), read_address(query))
    assert close is not None and 0.5 <= close < 0.9


@pytest.mark.parametrize(
    ("name", "query", "expected"),
    [
        ("Grenchen", "grenchen", 1.0),
        ("Büren (SO)", "Bueren SO", 1.0),
        ("Wangen bei Olten", "Wangen b. Olten", 1.0),
        ("Wangen bei Olten", "Wangen", 0.9),
        ("Mümliswil-Ramiswil", "Ramiswil", 0.9),
        ("Grenchen", "Gemeinde Grenchen", 1.0),
        ("Grenchen", "Zürich", None),
        ("Egerkingen", "Eg", None),
    ],
)
def test_a_name_is_recognised(name: str, query: str, expected: float | None) -> None:
    assert of_name(name, name_query(query)) == expected


def test_a_name_may_stand_beside_its_area() -> None:
    assert of_name("Allmend", name_query("Allmend, Grenchen"), {"grenchen"}) == 1.0
    assert of_name("Allmend", name_query("Allmend, Olten"), {"grenchen"}) != 1.0


def test_typos_and_beginnings_are_worth_less_than_short_forms() -> None:
    for query in ("Grench", "Grenchn", "renchen"):
        close = of_name("Grenchen", name_query(query))
        assert close is not None and close < 0.9


def test_only_a_locality_is_no_street() -> None:
    assert names_only_area(street("Rötistrasse"), read_address("4500 Solothurn"))
    assert not names_only_area(street("Rötistrasse"), read_address("Rötistrasse Solothurn"))
    assert not names_only_area(street("Rötistrasse"), read_address("Dorf"))


def test_the_very_thing_stands_alone() -> None:
    assert ranked(["a", "bb", "c"], lambda hit: 1.0 if hit == "c" else 0.5) == [("c", 1.0)]
    assert ranked(["a", "bb", "c"], lambda hit: None if hit == "a" else len(hit) / 4) == [
        ("bb", 0.5),
        ("c", 0.25),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rötistrasse 4, 4500 Solothurn", ("Rötistrasse", "Solothurn")),
        ("in der Adresse: Rötistr. Nr. 22 A", ("Rötistr",)),
        ("Dorf 3", ("Dorf",)),
        ("Ro\u0308tistrasse", ("Rötistrasse",)),
        ("4500", ()),
    ],
)
def test_a_street_is_searched_as_it_is_written(text: str, expected: tuple[str, ...]) -> None:
    assert search_words(text) == expected


@pytest.mark.parametrize(
    ("text", "written", "searched"),
    [
        ("Gemeinde Balm b. Messen", ("Balm", "b", "Messen"), ("Balm", "Messen")),
        ("4566 Halten", ("Halten",), ("Halten",)),
        ("Büren SO", ("Büren",), ("Büren",)),
        ("Messen im Kanton Solothurn", ("Messen",), ("Messen",)),
        ("bei", ("bei",), ("bei",)),
        ("4500", (), ()),
    ],
)
def test_a_name_is_searched_as_it_is_written(
    text: str, written: tuple[str, ...], searched: tuple[str, ...]
) -> None:
    assert (written_words(text), name_words(text)) == (written, searched)


@given(st.text(max_size=60))
def test_any_text_can_be_asked_for(text: str) -> None:
    assert set(name_words(text)) <= set(written_words(text))
    assert all(word.strip() and ":" not in word for word in (*search_words(text), *name_words(text)))


@given(st.text(max_size=30), st.text(min_size=1, max_size=30))
def test_closeness_is_a_share(name: str, query: str) -> None:
    for close in (of_name(name, name_query(query)), of_street(street(name), read_address(query))):
        assert close is None or 0 < close <= 1
