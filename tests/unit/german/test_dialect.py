import pytest
from german.dialect import as_street, sound_of, standard_spellings


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


@pytest.mark.parametrize(
    ("dialect", "standard"),
    [
        ("gfahrecharte", "gefahrenkarte"),
        ("bodetyp", "bodentyp"),
        ("klimaeignig", "klimaeignung"),
        ("rohrleitige", "rohrleitungen"),
        ("gschaeft", "geschaefte"),
        ("bauzonegraenze", "bauzonengrenzen"),
        ("kantonsstroosse", "kantonsstrassen"),
        ("amphibielaichgebiet", "amphibienlaichgebiete"),
        ("waudplan", "waldplan"),
    ],
)
def test_what_is_said_in_dialect_sounds_like_what_is_written(dialect: str, standard: str) -> None:
    assert sound_of(dialect) == sound_of(standard)


@pytest.mark.parametrize(
    ("one", "other"), [("bruecken", "brauchen"), ("geologie", "geologe"), ("see", "sie")]
)
def test_other_words_sound_otherwise(one: str, other: str) -> None:
    assert sound_of(one) != sound_of(other)
