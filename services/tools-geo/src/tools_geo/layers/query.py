"""What a wish for a map layer really asks for, without the words that mean "layer"."""

from collections.abc import Iterator

from tools_geo.spelling import words

_MEANS_LAYER = """
    daten ebene ebenen geodaten karte karten kartenebene kartenebenen kartenlayer layer layers plan thema
    themen
"""
_SAYS_NOTHING = """
    alle alles als am an anzeigen auf bitte da das dem den der des die ein eine einblenden einen fuer
    gibt hast im in kanton kantons lade laden mal mir mit oder so ueber und von welche zeig zeige zu
    zum zur
"""
_FILLERS = frozenset(_MEANS_LAYER.split() + _SAYS_NOTHING.split())
_COMPOUND_ENDINGS = """
    kartenebenen kartenebene kartenlayers kartenlayer ebenen ebene layers layer karten karte themen thema
    daten plaene plan gebiete gebiet bereiche bereich
"""
_ENDINGS = tuple(_COMPOUND_ENDINGS.split())
_MIN_TERM = 3


def layer_terms(query: str) -> tuple[str, ...]:
    """The folded words that carry meaning, in their order, each once."""
    return tuple(dict.fromkeys(word for word in words(query) if word not in _FILLERS))


def without_ending(term: str) -> Iterator[str]:
    """`gewaesserschutzkarte` -> gewaesserschutz; `ortsplanungsebene` -> ortsplanungs, ortsplanung."""
    for ending in _ENDINGS:
        rest = term.removesuffix(ending)
        if rest != term and len(rest) >= _MIN_TERM:
            yield rest
            if rest.endswith("s") and len(rest) > _MIN_TERM:
                yield rest[:-1]
            return
