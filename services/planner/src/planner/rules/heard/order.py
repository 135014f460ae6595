"""Where in the order of the layers one is to lie, as a message says it."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from contracts.intents import Intent
from contracts.session import LoadedLayer

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.wishes import Wish
from planner.rules.heard.meant import meant_layers, other_layers, without_names
from planner.rules.heard.positions import Layers
from planner.rules.reading.tables import table

_WORDS: Final[dict[str, str]] = table("words.toml")["order"]
_UP: Final = tuple(_WORDS["up"].split())
_DOWN: Final = tuple(_WORDS["down"].split())
_UP_WORDS: Final = frozenset(_WORDS["up_words"].split())
_DOWN_WORDS: Final = frozenset(_WORDS["down_words"].split())
_BY_ONE: Final = frozenset(_WORDS["by_one"].split())
_ABOVE: Final = frozenset(_WORDS["above"].split())
_BELOW: Final = frozenset(_WORDS["below"].split())
_ALL: Final = frozenset(_WORDS["all"].split())
_ARTICLES: Final = frozenset(_WORDS["articles"].split())
_SWAPS: Final = tuple(_WORDS["swaps"].split())
_HIDES: Final = tuple(_WORDS["hides"].split())
_SEES: Final = tuple(_WORDS["sees"].split())
_HARDLY: Final = frozenset(_WORDS["hardly"].split())
_GOES_UNDER: Final = ("verschw",)
_SIDES: Final = _ABOVE | _BELOW
_LOOSE: Final = frozenset({"auf"})
"""What says where something lies only between two names."""
_ORDER: Final = "reihenfolge"
_PAIR: Final = 2


def says_order(clause: Clause) -> bool:
    """Whether it says where something is to lie."""
    return any(_is_up(word) or _is_down(word) or is_swap(word) for word in clause.said)


def is_swap(word: str) -> bool:
    """`umgekehrt`, `tauschen`: whether a folded word says that what lies below is to lie above."""
    return word.startswith(_SWAPS)


def moves_in(clauses: Sequence[Clause], named: Layers, layers: Layers) -> tuple[Wish, ...]:
    """Where the layers that are named are to lie; none if nothing says it."""
    said = _said(clauses, layers)
    if layers and any(map(is_swap, said)):
        return (_swapped(named, layers),)
    if len(each := _each(clauses, layers)) > 1:
        return each
    if beside := _beside(clauses, named, layers):
        return (beside,)
    to = _direction(said)
    if not to and (uncovered := _uncovered(said)):
        return tuple(_move(layer, to=uncovered) for layer in named[:1])
    if not to and _ORDER in said and len(layers) == _PAIR:
        return (_swapped((), layers),)  # eine andere Reihenfolge
    moved = named[:1] if any(word.startswith(_HIDES) for word in said) else named
    return tuple(_move(layer, to=to) for layer in moved) if to else ()


def _said(clauses: Sequence[Clause], layers: Layers) -> list[str]:
    """Without the names of the layers: `nach oben mit dem Unterboden`."""
    words = (word for clause in without_names(clauses, layers) for word in clause.words)
    return [piece for word in words for piece in word.folded.split()]


def _swapped(named: Layers, layers: Layers) -> Wish:
    """The lower of two comes to lie above the other."""
    if len(named) > 1 and len(layers) > _PAIR:
        lower, upper = [layer for layer in layers if layer in named][:_PAIR]
        return Wish(Intent.MOVE_LAYER, args={"name": lower.label, "above": upper.label})
    return _move(layers[0] if len(layers) <= _PAIR or not named else named[0], to="top")


def _each(clauses: Sequence[Clause], layers: Layers) -> tuple[Wish, ...]:
    """`Pflanzen runter, Tiere rauf`: each where its own clause says."""
    found = ((meant_layers((clause,), layers), _direction(_said((clause,), layers))) for clause in clauses)
    return tuple(_move(named[0], to=to) for named, to in found if len(named) == 1 and to)


def _uncovered(said: Sequence[str]) -> str:
    """`A wird von B verdeckt`, `A verdeckt mir alles`, `ich sehe A nicht mehr`"""
    if any(word.startswith(_HIDES) for word in said):
        covered = "von" in said or any(word.startswith(("werd", "wird", "wurd")) for word in said)
        return "top" if covered else "bottom"
    hidden = any(word.startswith(_SEES) for word in said) and not _HARDLY.isdisjoint(said)
    return "top" if hidden or any(word.startswith(_GOES_UNDER) for word in said) else ""


def _direction(said: Sequence[str]) -> str:
    """What is said last: `ganz runter, äh nein, hinauf damit`."""
    found = [to for word in said if (to := "top" if _is_up(word) else "bottom" if _is_down(word) else "")]
    above_all = [a for a, b in pairwise(w for w in said if w not in _ARTICLES) if a in _SIDES and b in _ALL]
    found += ["top" if above in _ABOVE else "bottom" for above in above_all]
    if not found:
        return ""
    to_the_end = any("oberst" in word or "unterst" in word for word in said)
    by_one = not (_BY_ONE.isdisjoint(said) or above_all or to_the_end)
    return {"top": "up", "bottom": "down"}[found[-1]] if by_one else found[-1]


def _is_up(word: str) -> bool:
    return word.startswith(_UP) or word in _UP_WORDS or "oberst" in word


def _is_down(word: str) -> bool:
    return word.startswith(_DOWN) or word in _DOWN_WORDS or "unterst" in word


def _beside(clauses: Sequence[Clause], named: Layers, layers: Layers) -> Wish | None:
    """`A über B`, but for `ganz nach unten`; of two layers it is enough to name one: `unter die Linien`."""
    for clause in clauses:
        at = next((n for n, part in enumerate(clause.parts) if part.folded in _SIDES), None)
        if at is None or (clause.parts[at].folded in _LOOSE and _direction(_said((clause,), layers))):
            continue
        before, after = clause.parts[:at], [p for p in clause.parts[at + 1 :] if p.folded not in _ARTICLES]
        if after[:1] and after[0].folded in _ALL:
            continue
        first, second = (meant_layers((Clause(tuple(side)),), layers) for side in (before, after))
        if clause.parts[at].folded not in _LOOSE:
            if not second and any(part.is_content for part in after):
                second = _only_other(first or named, layers)
            first = (
                first or tuple(each for each in named if each not in second) or _only_other(second, layers)
            )
        if first and second and first[0] != second[0]:
            side = "above" if clause.parts[at].folded in _ABOVE else "below"
            return Wish(Intent.MOVE_LAYER, args={"name": first[0].label, side: second[0].label})
    return None


def _only_other(one: Layers, layers: Layers) -> Layers:
    others = other_layers(one, layers)
    return others if len(one) == len(others) == 1 else ()


def _move(layer: LoadedLayer, *, to: str) -> Wish:
    return Wish(Intent.MOVE_LAYER, args={"name": layer.label, "to": to})
