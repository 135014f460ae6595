"""What a wish for a map layer really asks for, without the words that mean "layer"."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from german.words import words

from tools_geo.layers.fillers import COURTESIES

_MEANS_LAYER = """
    carta carte cartes couche couches daten ebene ebenen geodaten info informationen infos karte karten
    kartenebene kartenebenen kartenlayer kartenmaterial layer layers map mappa mappe maps plaene plan
    strati strato thema themen
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
    angeht anschauen ansehen betreffend betrifft bezueglich bitteschoen eben endlich evtl gewisse gewissen
    halt jeweils mindestens neu neue neuen neuer neues neueste neuesten neuester neuestes neuste neusten
    neuster neustes riesige riesigen riesiges schnell unbedingt vielleicht wegen wenigstens wissen
    bloede bloeden bloeder bloedes scheiss verdammte verdammten
"""
FILLERS = COURTESIES.union(_SAYS_NOTHING.split())
"""Folded words that say nothing about a layer, in four languages."""
_FOR = frozenset({"fuer", "wegen"})
_ARTICLE_WORDS = """
    das dem den der die ein eine einem einen einer eines mein meine meinem meinen meiner unser unsere unserem
    unseren unserer
"""
_ARTICLES = frozenset(_ARTICLE_WORDS.split())
_GREETINGS = frozenset({"abend", "mittag", "morgen", "nacht", "tag"})
_GREETED = frozenset({"gute", "gueten", "guten", "schoenen"})
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
    return meaningful(words(query))


def without_purpose(written: Sequence[str]) -> tuple[str, ...]:
    """`die Gemeindegrenzen für eine Präsentation`: what something is for says nothing about the layer.

    What has no article may be a place.
    """
    ends = (n for n, (one, two) in enumerate(pairwise(written)) if n and one in _FOR and two in _ARTICLES)
    return tuple(written[: next(ends, len(written))])


def meaningful(written: Sequence[str]) -> tuple[str, ...]:
    """As `spoken`, of folded words."""
    greeted = {two for one, two in pairwise(written) if one in _GREETED and two in _GREETINGS}
    return tuple(dict.fromkeys(w for w in written if w not in FILLERS and w not in greeted))[:_MAX_TERMS]


def beside(places: Collection[Sequence[str]], written: Sequence[str]) -> tuple[str, ...]:
    """The folded words without names of places: `wald balm bei messen` -> wald."""
    rest, left = list(written), []
    longest = max(map(len, places), default=0)
    while rest:
        count = next((n for n in range(longest, 0, -1) if tuple(rest[:n]) in places), 0)
        left += [] if count else rest[:1]
        rest = rest[count or 1 :]
    return tuple(left)


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
