"""How opaque a layer is to be, and where in the order it is to lie."""

import re
from collections.abc import Sequence
from itertools import pairwise

from contracts.intents import Intent
from contracts.session import LoadedLayer

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.wishes import Wish
from planner.rules.heard.meant import Layers, meant_layers
from planner.rules.reading.lexicon import Role
from planner.rules.reading.numerals import number_in_words

_THROUGH = (
    *(
        "transparen",
        "trasparen",
        "durchsicht",
        "durchschein",
        "durchsieh",
        "durchseh",
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
_AFTER_NUMBER = re.compile(r"\d ?(?:%|prozent|procent)? ([a-z]+)")
_STEP, _LEAST = 0.25, 0.1
_TEN = 10
_NOUNS = ("transparen", "deckkraft", "opazit", "durchsichtigkeit", "sichtbarkeit")
_LESS = frozenset({"weniger", "runter", "reduzieren", "zurueck"})
_MORE = frozenset({"mehr", "noch", "etwas", "um"})
_FULLY = frozenset({"voll", "volle", "voller", "vollstaendig", "komplett", "normal"})
_WHOLLY = _FULLY | {"ganz", "wieder"}
_DENIES = frozenset({Role.NOT, Role.NONE})
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
    return any(map(is_how, clause.said)) or _share(_text((clause,))) is not None


def says_order(clause: Clause) -> bool:
    """Whether it says where something is to lie."""
    return any(_is_up(word) or _is_down(word) or word.startswith(_SWAPS) for word in clause.said)


def opacity_in(clauses: Sequence[Clause], now: float) -> float | None:
    """From 0 to 1: `transparenz 90` is 0.1, `zu kräftig` less than now; None for `Transparenz ändern`."""
    said = [piece for clause in clauses for word in clause.words for piece in word.folded.split()]
    through = any(word.startswith(_THROUGH) for word in said)
    covers = not through and any(word.startswith(_COVERS) for word in said)
    text = _text(clauses)
    share = _share(text)
    too = next((other for one, other in pairwise(said) if one == "zu" and is_how(other)), "")
    if share is not None and "um" not in said:
        if any(word.startswith(_COVERS) for word in _AFTER_NUMBER.findall(text)):
            return share
        if too and not any(word.startswith(_THROUGH) for word in said if word != too):
            # zu blass, 80: whichever of the two helps
            less = not too.startswith(_THROUGH)
            helps = share < now or 1 - share >= now if less else share > now or 1 - share <= now
            return round(share if helps else 1 - share, 2)
        return round(1 - share if through else share, 2)
    denied = any(_DENIES & clause.roles for clause in clauses)
    inverts = bool(too) or not _LESS.isdisjoint(said) or (denied and "so" in said)
    if not denied and not (_FULLY if inverts else _WHOLLY).isdisjoint(said):
        return 0.0 if through and not inverts else 1.0
    by_degrees = inverts or not _MORE.isdisjoint(said) or any(is_how(w) and w.endswith("er") for w in said)
    if denied and not inverts:
        return 1.0 if through else 0.5
    if share is None and not by_degrees:
        if any(word.startswith(_NOUNS) for word in said):
            return None
        if not covers and now == 1:
            return 0.5
    more = inverts if through else covers and not inverts
    return round(min(1.0, max(_LEAST, now + (share or _STEP) * (1 if more else -1))), 2)


def opacity_from_start(clauses: Sequence[Clause]) -> float | None:
    """`Lade den Wald mit 40 % Deckkraft`: of what is to be loaded only a share is meant so."""
    says = any(is_how(word) for clause in clauses for word in clause.said)
    return opacity_in(clauses, 1.0) if says and _share(_text(clauses)) is not None else None


def is_how(word: str) -> bool:
    """Whether a folded word says how opaque something is, or how much shines through."""
    return word.startswith(_THROUGH + _COVERS)


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
    if layers and any(word.startswith(_SWAPS) for word in said):
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
