import pytest
from german.dialect import as_street, standard_spellings


@pytest.mark.parametrize(
    ("dialect", "standard"),
    [
        ("parzaelle", "parzelle"),
        ("charte", "karte"),
        ("uszueg", "auszuege"),
        ("iiblaende", "einblenden"),
        ("schwarzwiss", "schwarzweiss"),
        ("oute", "olten"),
        ("graenche", "grenchen"),
        ("derendige", "derendingen"),
        ("balschtu", "balsthal"),
        ("waeuschenrohr", "welschenrohr"),
        ("luftbueud", "luftbild"),
        ("schutzzoone", "schutzzone"),
        ("fruchtfougeflaechi", "fruchtfolgeflaeche"),
        ("wanderwaega", "wanderwege"),
        ("balschtl", "balsthal"),
        ("zeigu", "zeigen"),
        ("wiit", "weit"),
        ("gfaehrlech", "gefaehrlich"),
    ],
)
def test_sounds_are_spelled_as_in_standard_german(dialect: str, standard: str) -> None:
    assert standard in standard_spellings(dialect)


def test_short_words_and_numbers_have_no_other_spelling() -> None:
    assert standard_spellings("e") == standard_spellings("198") == standard_spellings("a" * 500) == ()


def test_streets() -> None:
    assert as_street("Rötistross") == as_street("Rötistrass") == "Rötistrasse"
    assert as_street("Rötistrasse") == "Rötistrasse"
