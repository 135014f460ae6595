"""The notation of what is accepted: facts joined by ` + `, and whether they are what has happened.

view X          the map goes to a place, address or coordinate called X
parcel X        a parcel is shown; all words of X are in its message
extract X       an ÖREB extract was made, or a question answered from it
plan X          a Grundbuchplan; likewise `geothermal X` and `height X`; X may be left out
load X          a layer or group whose label contains X was loaded
remove X        a loaded layer was removed, `remove *`: all; likewise `hide X` and `show X`
clear           the map was emptied
background B    B: ortho, color, sw, none
documents W     documents were searched with W in the query; that nothing was found is also `ask`
answer W        words only; all words of W are in the text, of `a|b` one
ask W           it asks back or says that it cannot; W as for `answer`
choose A | B    options, among them those with A and with B in their labels
identify X      it tells what is at a point; all words of X are told. Likewise `query X`, what was counted or
                found in a layer, and `distance X`
opacity X N     the layer is N % opaque, `opacity * N`: all are; `opacity X`: it has another opacity
move X P        the layer has another place in the order, or is said to lie there already (`answer`, too);
                P: `top`, `bottom`, or from 0 for the lowest
legend X        its legend is opened
zoom X          the map goes to the extent of a layer
unmark          markers, outlines and found features are gone
undo N          the last change of the map is taken back; with N so many

What is not in an outcome must not happen. Names are compared without case, umlauts and signs.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace

from contracts.intents import Background, Intent

NEEDS_WORDS = frozenset({"view", "load", "remove", "hide", "show", "background"})
NEEDS_WORDS |= {"opacity", "move", "zoom"}
_BARE = frozenset({"clear", "unmark"})
KINDS = (
    NEEDS_WORDS
    | _BARE
    | {"parcel", "extract", "plan", "geothermal", "height", "documents", "answer", "ask", "choose"}
    | {"identify", "query", "distance", "legend", "undo"}
)
QUESTIONS = frozenset({"ask", "choose"})
INTENTS = {
    "view": Intent.SEARCH_PLACE,
    "parcel": Intent.SHOW_PARCEL,
    "extract": Intent.OEREB_EXTRACT,
    "plan": Intent.CADASTRAL_PLAN,
    "geothermal": Intent.GEOTHERMAL_PROBE_ASSESSMENT,
    "height": Intent.HEIGHT_QUERY,
    "distance": Intent.MEASURE_DISTANCE,
    "identify": Intent.IDENTIFY,
    "query": Intent.QUERY_FEATURES,
    "documents": Intent.SEARCH_DOCUMENTS,
    "load": Intent.LOAD_LAYER,
    "remove": Intent.REMOVE_LAYER,
    "hide": Intent.HIDE_LAYER,
    "show": Intent.SHOW_LAYER,
    "opacity": Intent.SET_LAYER_OPACITY,
    "move": Intent.MOVE_LAYER,
    "legend": Intent.SHOW_LEGEND,
    "zoom": Intent.ZOOM_TO_LAYER,
    "background": Intent.SET_BACKGROUND,
    "clear": Intent.CLEAR_MAP,
    "unmark": Intent.REMOVE_MARKERS,
    "undo": Intent.UNDO,
    "answer": Intent.ANSWER,
    "ask": Intent.CLARIFY,
}
"""What is planned where one of these is wanted."""
_OF_LAYERS = frozenset({"load", "remove", "hide", "show"})
_PLACES_IN_ORDER = frozenset({"top", "bottom"})
WHAT_IT_IS = frozenset(
    {"gemeinde", "bezirk", "kanton", "ort", "ortschaft", "adresse", "koordinate"}
    | {"commune", "district", "canton", "comune", "distretto", "municipality"}
)


@dataclass(frozen=True)
class Fact:
    """What a user would accept."""

    kind: str
    words: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.words}".strip()


Outcome = tuple[Fact, ...]


@dataclass(frozen=True)
class Happening:
    """What a response does, in the terms of the notation; kinds that it does not know are never accepted."""

    kind: str
    names: tuple[str, ...] = ()
    """Of what is shown, loaded, removed or offered."""
    told: str = ""
    """What else is said of it."""
    all: bool = False
    """Of layers: no other was loaded."""
    only_asks: bool = False
    """Nothing was done: it asks back, or says that it cannot."""
    was_so: bool = False
    """Nothing had to be done, and it says so."""

    def __str__(self) -> str:
        shown = " | ".join(self.names) or " ".join(self.told.split())
        return f"{self.kind} {shown[:160]}".strip()


def parsed(text: str) -> Outcome:
    """Raises `ValueError` for what is not in the notation."""
    return tuple(_fact(part.strip()) for part in text.split(" + "))


def _fact(text: str) -> Fact:
    kind, _, words = text.partition(" ")
    words = words.strip()
    if kind not in KINDS:
        raise ValueError(f"unknown fact in the notation of outcomes: {text!r}")
    if bool(words) < (kind in NEEDS_WORDS) or bool(words) > (kind not in _BARE):
        raise ValueError(f"words missing or too many: {text!r}")
    if kind == "background" and words not in set(Background):
        raise ValueError(f"unknown background: {text!r}")
    return Fact(kind, words)


def is_question(outcome: Outcome) -> bool:
    """Whether nothing is done, only asked."""
    return all(fact.kind in QUESTIONS for fact in outcome)


def accepts(outcome: Outcome, happened: Iterable[Happening]) -> bool:
    """Whether each fact has happened, and nothing else. What concerns several layers is one fact or many."""
    together = tuple(happened)
    apart = tuple(part for each in together for part in _each_layer(each))
    return _is_same(outcome, together) or (apart != together and _is_same(outcome, apart))


def _each_layer(happening: Happening) -> tuple[Happening, ...]:
    if happening.kind not in _OF_LAYERS | {"opacity"} or len(happening.names) < 2:
        return (happening,)
    told = happening.told if happening.kind == "opacity" else ""
    return tuple(replace(happening, names=(name,), told=told, all=False) for name in happening.names)


def _is_same(outcome: Outcome, happened: tuple[Happening, ...]) -> bool:
    if not outcome or len(outcome) != len(happened):
        return not outcome and not happened
    first, *rest = outcome
    return any(
        _fits(first, each) and _is_same(tuple(rest), happened[:n] + happened[n + 1 :])
        for n, each in enumerate(happened)
    )


def _fits(fact: Fact, happening: Happening) -> bool:
    if fact.kind != happening.kind and (fact.kind, happening.kind) != ("ask", "documents"):
        return fact.kind == "answer" and happening.was_so and says(happening.told, fact.words)
    if fact.kind == "ask" and not happening.only_asks:
        return False
    match fact.kind:
        case "view":
            said = plain(" ".join((*happening.names, happening.told))).split()
            kinds = WHAT_IT_IS.intersection(plain(fact.words).split())
            return kinds <= set(said) and any(is_called(name, fact.words) for name in happening.names)
        case "background":
            return fact.words in happening.names
        case "choose":
            wanted = [part for part in fact.words.split("|") if part.strip()]
            return all(any(has_name(label, part) for label in happening.names) for part in wanted)
        case "load" | "remove" | "hide" | "show":
            return _fits_layers(fact.words, happening)
        case "opacity" | "move":
            name = named_layer(fact)
            value = fact.words.removeprefix(name).strip()
            fits = not name or _fits_layers(name, happening)
            return fits and (not value or value in happening.told.split())
    return says(" ".join((*happening.names, happening.told)), fact.words)


def named_layer(fact: Fact) -> str:
    """The layer that a fact is about: its words without how opaque it is, or where it lies."""
    name, _, value = fact.words.rpartition(" ")
    has_value = fact.kind in ("opacity", "move") and (value.isdigit() or value in _PLACES_IN_ORDER)
    return name if has_value else fact.words


def _fits_layers(words: str, happening: Happening) -> bool:
    if words == "*":
        return happening.all
    if all(has_name(name, words) for name in happening.names):
        return True
    return len(happening.names) > 1 and has_name(happening.told, words)


_DIGITS_OF_KILOMETRES = 4


def plain(text: str) -> str:
    """Words without case, umlauts (ä, ae and a are one) and signs, with single blanks."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(c for c in decomposed if not unicodedata.combining(c))
    joined = re.sub(r"(?<=\d)['’](?=\d)", "", re.sub("([aou])e+", r"\1", letters))
    return " ".join(re.findall(r"[^\W_]+", joined))


def has_name(label: str, name: str) -> bool:
    """Whether the name is a part of the label; a number is no part of a longer one, but for a coordinate.

    `2'635` begins one of seven digits.
    """
    wanted = re.escape(plain(name))
    ends = r"(?!\d)" if len(wanted) != _DIGITS_OF_KILOMETRES else r"(?!\d)|\d{3}(?!\d)"
    return re.search(rf"(?<!\d){wanted}(?:{ends})" if wanted.isdigit() else wanted, plain(label)) is not None


def is_called(name: str, words: str) -> bool:
    """Whether a place is called so: `Wangen b. Olten` is Wangen, but not Olten."""
    parts = [_short(part) for part in plain(name).split() if part not in WHAT_IT_IS]
    wanted = [_short(part) for part in plain(words).split() if part not in WHAT_IT_IS]
    if not parts or not wanted:
        return plain(words) in plain(name).split()
    if plain(words).isdigit():
        return has_name(name, words)
    return set(wanted) <= set(parts) and parts[0] in wanted


def _short(word: str) -> str:
    return {"bei": "b", "sankt": "st", "saint": "st", "strasse": "str"}.get(word, word)


def says(text: str, words: str) -> bool:
    """Whether one of the alternatives is in the text with all its words; `a|b` is one word or the other."""
    if not words:
        return True
    alternatives = words.split(" | ")
    return any(all(_says_one(text, word) for word in each.split()) for each in alternatives)


def _says_one(text: str, word: str) -> bool:
    return any(has_name(text, each) for each in word.split("|"))
