"""How layers lie above each other."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from contracts.intents import Intent
from german.fold import fold
from german.spelling import Spellings

from planner.rules.grammar.parts import Part
from planner.rules.grammar.wishes import Wish
from planner.rules.reading.tables import table

_WORDS: Final[dict[str, str]] = table("words.toml")["arranging"]
_BEGINS: Final = tuple(_WORDS["begins"].split())
_SPELLINGS: Final = Spellings(_WORDS["misspelled"].split())
_OTHERS: Final = frozenset(f"{_WORDS['others']} {_WORDS['percent']} {_WORDS['moves']}".split())
_MIN_MISSPELLED_CHARS = 8


def says_how(part: Part) -> bool:
    """Whether a word says how a layer lies there, and so is the name of none."""
    said = part.folded.split()
    return _is_of_opacity(part.folded) or (bool(said) and _OTHERS.issuperset(said))


@lru_cache(maxsize=1_024)
def _is_of_opacity(word: str) -> bool:
    """`durchsichtiger`, `trasnparent`"""
    found = _SPELLINGS.nearest(word, 1) if len(word) >= _MIN_MISSPELLED_CHARS else None
    return word.startswith(_BEGINS) or (found is not None and found[0].startswith(_BEGINS))


def with_opacity(wishes: Sequence[Wish]) -> tuple[Wish, ...]:
    """`Lade den Wald, aber nur 40 % deckend`: what is to be loaded can have it from the start."""
    result: list[Wish] = []
    for wish in wishes:
        fades = wish.intent == Intent.SET_LAYER_OPACITY and not wish.is_talk
        coming = [n for n, each in enumerate(result) if each.intent == Intent.LOAD_LAYER] if fades else []
        name = set(fold(str(wish.args.get("name", ""))).split())
        meant = [n for n in coming if name <= set(fold(result[n].query).split())]
        for n in meant:
            result[n] = replace(result[n], args={"opacity": wish.args["opacity"]})
        result += () if meant else (wish,)
    return tuple(result)
