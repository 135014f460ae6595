"""How opaque a layer is to be, and where in the order it is to lie."""

import re
from collections.abc import Sequence
from itertools import pairwise

from contracts.intents import Intent
from contracts.session import LoadedLayer

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.wishes import Wish
from planner.rules.heard.meant import Layers, meant_layers
from planner.rules.reading.numerals import number_in_words

_THROUGH = (
    *(
        "transparen",
        "trasparen",
        "durchsicht",
        "durchschein",
        "durchschimmer",
        "durchlaess",
        "halbtransparen",
    ),
    *("blass", "blaess", "zart", "schwach", "schwaech", "abschwaech", "hell", "licht", "sanft", "dezent"),
)
_COVERS = (
    *("deck", "opa", "undurch", "kraeftig", "stark", "staerk", "satt", "dick", "intensiv", "sichtbar"),
    "dominant",
)
_NUMBER = re.compile(r"(?<![\d.])(?P<parts>0? ?\. ?\d{1,2})\b|\b(?P<whole>\d{1,3})\b(?! ?er)")
_SHARES = (
    (re.compile(r"\b(?:drei ?viertel[ns]?|3 viertel[ns]?)\b"), 0.75),
    (re.compile(r"\b(?:zwei|2) drittel[ns]?\b"), 0.67),
    (re.compile(r"\bdrittel[ns]?\b"), 0.33),
    (re.compile(r"\bviertel[ns]?\b"), 0.25),
    (re.compile(r"\bhalb\w*|\bhaelfte\b"), 0.5),
)
_PERCENT = re.compile("%|prozent|procent")
_STEP, _LEAST = 0.25, 0.1
_TEN = 10
_LESS = frozenset({"weniger", "runter", "reduzieren", "zurueck", "zu"})
_WHOLLY = frozenset({"ganz", "voll", "volle", "voller", "vollstaendig", "komplett", "normal", "wieder"})
_UP = (
    *("oben", "zuoberst", "oberst", "vorn", "hinauf", "rauf", "herauf", "hoch", "hoeher", "vordergrund"),
    *("obendrauf", "obenauf", "drueber", "darueber", "drauf"),
)
_DOWN = (
    *(
        "unten",
        "zuunterst",
        "unterst",
        "hinten",
        "dahinter",
        "hinunter",
        "runter",
        "herunter",
        "tief",
        "nach hinten",
    ),
    *("hintergrund", "drunter", "darunter", "schluss", "letztes", "ende", "zuhinterst"),
)
_BY_ONE = frozenset({"eins", "stufe", "etwas", "platz", "position", "schritt", "weiter"})
_ABOVE, _BELOW = frozenset({"ueber", "oberhalb", "vor", "auf"}), frozenset({"unter", "hinter", "unterhalb"})
_ALL = frozenset({"alle", "allem", "allen", "alles"})
_SWAPS = ("umdreh", "tausch", "vertausch", "umgekehrt", "umkehr", "wechsl")
_HIDES = ("verdeck", "ueberlager", "ueberdeck", "zudeck", "abdeck", "stoer")


def says_opacity(clause: Clause) -> bool:
    """Whether it says how opaque something is to be."""
    how = any(word.startswith(_THROUGH + _COVERS) for word in clause.said)
    return how or _share(_text((clause,))) is not None


def says_order(clause: Clause) -> bool:
    """Whether it says where something is to lie."""
    return any(_is_up(word) or _is_down(word) or word.startswith(_SWAPS) for word in clause.said)


def opacity_in(clauses: Sequence[Clause], now: float) -> float:
    """From 0 to 1: `transparenz 90` is 0.1, `zu kräftig` less than now."""
    said = [word.folded for clause in clauses for word in clause.words]
    through = any(word.startswith(_THROUGH) for word in said)
    covers = not through and any(word.startswith(_COVERS) for word in said)
    share = _share(_text(clauses))
    if share is not None and "um" not in said:
        return round(1 - share if through else share, 2)
    step = share or _STEP
    if through or not covers or not _LESS.isdisjoint(said):
        lessens = through or share or now < 1 or not _LESS.isdisjoint(said)
        return round(max(_LEAST, now - step), 2) if lessens else 0.5
    return 1.0 if not _WHOLLY.isdisjoint(said) else round(min(1.0, now + step), 2)


def _text(clauses: Sequence[Clause]) -> str:
    """With digits for numbers in words, but for the small ones, which count layers: `die zwei`."""
    parts = " ".join(part.folded or part.text for clause in clauses for part in clause.parts)
    percent = _PERCENT.search(parts)
    numbers = ((word, number_in_words(word) or "") for word in parts.split())
    return " ".join(number if len(number) > 1 or (number and percent) else word for word, number in numbers)


def _share(text: str) -> float | None:
    """The last that is told: `60 % Deckkraft, wart, 80`"""
    for pattern, share in _SHARES:
        if pattern.search(text):
            return share
    *_, found = (None, *_NUMBER.finditer(text))
    if found is None:
        return None
    if found["parts"]:
        digits = found["parts"].rpartition(".")[2].strip()
        return float(f"0.{digits}")
    whole = int(found["whole"])
    if 0 < whole < _TEN and not _PERCENT.search(text):
        return whole / _TEN  # opacity .6
    return min(whole, 100) / 100


def moves_in(clauses: Sequence[Clause], named: Layers, layers: Layers) -> tuple[Wish, ...]:
    """Where the layers that are named are to lie; none if nothing says it."""
    said = [word.folded for clause in clauses for word in clause.words]
    if any(word.startswith(_SWAPS) for word in said):
        lower = next((layer for layer in layers if layer in named), layers[0])
        return (_move(lower if len(named) > 1 else layers[0], to="top"),)
    if len(named) > 1 and (beside := _beside(clauses, layers)):
        return (beside,)
    if any(word.startswith(_HIDES) for word in said) and not _direction(said):
        return _uncovered(said, named)
    to = _direction(said)
    moved = named[:1] if any(word.startswith(_HIDES) for word in said) else named
    return tuple(_move(layer, to=to) for layer in moved) if to else ()


def _uncovered(said: Sequence[str], named: Layers) -> tuple[Wish, ...]:
    """`A wird von B verdeckt`, `A verdeckt mir alles`"""
    covered = "von" in said or any(word.startswith(("werd", "wird", "wurd")) for word in said)
    return tuple(_move(layer, to="top" if covered else "bottom") for layer in named[:1])


def _direction(words: Sequence[str]) -> str:
    """What is said last: `ganz runter, äh nein, hinauf damit`."""
    said = [piece for word in words for piece in word.split()]
    found = [to for word in said if (to := "top" if _is_up(word) else "bottom" if _is_down(word) else "")]
    found += ["top"] if any(a in _ABOVE and b in _ALL for a, b in pairwise(said)) else []
    if not found:
        return ""
    by_one = not _BY_ONE.isdisjoint(said)
    return {"top": "up", "bottom": "down"}[found[-1]] if by_one else found[-1]


def _is_up(word: str) -> bool:
    return word.startswith(_UP) or "oberst" in word


def _is_down(word: str) -> bool:
    return word.startswith(_DOWN) or "unterst" in word


def _beside(clauses: Sequence[Clause], layers: Layers) -> Wish | None:
    """`A über B`, but for `ganz nach unten`."""
    for clause in clauses:
        at = next((n for n, part in enumerate(clause.parts) if part.folded in _ABOVE | _BELOW), None)
        if at is None:
            continue
        sides = (clause.parts[:at], clause.parts[at + 1 :])
        first, second = (meant_layers((Clause(side),), layers) for side in sides)
        if first and second and first[0] != second[0]:
            above = clause.parts[at].folded in _ABOVE
            side = "above" if above else "below"
            return Wish(Intent.MOVE_LAYER, args={"name": first[0].label, side: second[0].label})
    return None


def _move(layer: LoadedLayer, *, to: str) -> Wish:
    return Wish(Intent.MOVE_LAYER, args={"name": layer.label, "to": to})
