"""What a wish for a map layer really asks for, without the words that mean "layer"."""

from collections.abc import Iterator, Sequence

from german.words import words

_MEANS_LAYER = """
    daten ebene ebenen geodaten info infos informationen karte karten kartenebene kartenebenen kartenlayer
    kartenmaterial layer layers plaene plan thema themen
"""
_SAYS_NOTHING = """
    aktuell aktuelle aktuellen alle alles als am an anzeigen auf aus aussah befinden befindet bei beim bin
    bitte bzw da damit dann darf darfst das dass dein deine dem den denn der des die dies diese diesem
    dieser dir doch dort du duerfen durch eigentlich ein einblenden eine einem einen einer eines er es etwa
    etwas finde finden fuer gab geben gehe gelten genau gerade gerne gibt gilt hab habe haben hast hat hatte
    her hier hierher hin ich ihr im immer in ins ist ja jetzt kann kannst kanton kantons koennen koennte
    kommt kriege lade laden liegen liegt mal man mein meine meinem meinen meiner meines mich mir mit moechte
    moeglich muessen muss nach naehe nein noch nun nur ob oder paar sah schon sehen sein seine sich sie
    sieht sind so soll sollte sowie steht such suche ueber ueberhaupt um und uns unser
    unsere unserem unserer usw viel viele vom von vor waere war waren was welche welchem welchen welcher
    welches wenn wer werden wie will wir wird wirklich wo woher wohin zeig zeige zu zum zur zwischen
"""
_FILLERS = frozenset(_SAYS_NOTHING.split())
_LAYERS = frozenset(_MEANS_LAYER.split())
_COMPOUND_ENDINGS = """
    kartenebenen kartenebene kartenlayers kartenlayer ebenen ebene layers layer karten karte themen thema
    daten plaene plan gebiete gebiet bereiche bereich
"""
_ENDINGS = tuple(_COMPOUND_ENDINGS.split())
_MIN_TERM = 3
_MAX_TERMS = 12


def spoken(query: str) -> tuple[str, ...]:
    """The folded words that carry meaning, also those that mean "layer", in their order, each once."""
    return tuple(dict.fromkeys(word for word in words(query) if word not in _FILLERS))[:_MAX_TERMS]


def layer_terms(terms: Sequence[str]) -> tuple[str, ...]:
    """The words that say which layer: `zeige alle Karten zum Wald` -> wald."""
    return tuple(term for term in terms if term not in _LAYERS)


def without_ending(term: str) -> Iterator[str]:
    """`gewaesserschutzkarte` -> gewaesserschutz; `ortsplanungsebene` -> ortsplanungs, ortsplanung."""
    for ending in _ENDINGS:
        rest = term.removesuffix(ending)
        if rest != term and len(rest) >= _MIN_TERM:
            yield rest
            if rest.endswith("s") and len(rest) > _MIN_TERM:
                yield rest[:-1]
            return


def readings(term: str) -> Iterator[str]:
    """A word as it is, then without an ending that means "layer"."""
    yield term
    yield from without_ending(term)
