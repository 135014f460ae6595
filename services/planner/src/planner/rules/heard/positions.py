"""Which layers a message means by where they lie, or how old they are: `die zweitoberste`, `das ältere`."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from contracts.session import LoadedLayer
from german.dates import years_in
from german.fold import fold

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.parts import Part, Word
from planner.rules.reading.lexicon import Role

Layers = tuple[LoadedLayer, ...]
_NTH: Final = {"zweit": 2, "zwoeit": 2, "zwoit": 2, "vor": 2, "dritt": 3, "viert": 4}
_FIRST: Final = {"erst": 1, "erscht": 1, **{word: n for word, n in _NTH.items() if word != "vor"}}
_ENDING: Final = r"(?:e|i|a|s|en|er|es|em|eren|ere|eres|erer|erem|genannte[nrs]?)"
_ENDMOST: Final = re.compile(
    rf"(?P<nth>{'|'.join(_NTH)})?(?:(?P<top>oberst|obersch|ober|letzt|letscht|vorderst)"
    rf"|(?P<bottom>unterst|untersch|unter|hinterst|hinter)){_ENDING}"
)
_COUNTED: Final = re.compile(rf"(?P<nth>{'|'.join(_FIRST)}){_ENDING}")
_CONTRACTED: Final = frozenset({"unters", "hinters", "unterem", "hinterem"})
"""`unters Strassennetz`"""
_MIDDLE: Final = re.compile(r"mittler\w{0,3}|mitte|mittl?i")
_MANY: Final = {"zwei": 2, "zwo": 2, "beiden": 2, "beide": 2, "drei": 3}
_FROM_TOP: Final = ["von", "oben"]
_LIES_TOP: Final = frozenset({"oben", "zuoberst", "obendrauf", "obenauf"})
_LIES_BOTTOM: Final = frozenset({"unten", "zuunterst"})
_THE: Final = frozenset({"der", "die", "das", "den", "dem", "was"})
_OLDER: Final = re.compile(r"(?:aelter|aeltest|eltest)\w{0,3}|alte[nrsm]?")
_NEWER: Final = re.compile(r"(?:neuer|neuest|neust|juenger|juengst)\w{0,3}|neue[nrsm]?")
_HISTORIC: Final = "historisch"
_MAPS: Final = frozenset({Role.LAYER, Role.PLAN_SHORT, Role.PLAN})
_YEAR: Final = "jahr"


def ordered(clause: Clause, among: Layers) -> Layers:
    """`die erste`, `das obere`, `die zwei in der Mitte`, `die dritte von unten`"""
    words = clause.words
    for n, word in enumerate(words):
        many = next((_MANY[w.folded] for w in words[max(0, n - 3) : n + 2] if w.folded in _MANY), 1)
        after = [piece for w in words[n + 1 : n + 3] for piece in w.folded.split()]
        if found := _at(word.folded, after, many, among):
            return found
    return ()


def _at(word: str, after: Sequence[str], many: int, among: Layers) -> Layers:
    if word in _CONTRACTED:
        return ()
    if found := _ENDMOST.fullmatch(word):
        first = _NTH.get(found["nth"] or "", 1) - 1
        return _from_top(first, many, among) if found["top"] else among[first : first + many]
    if found := _COUNTED.fullmatch(word):
        first = _FIRST[found["nth"]] - 1
        return _from_top(first, many, among) if after[:2] == _FROM_TOP else among[first : first + many]
    if _MIDDLE.fullmatch(word) and (len(among) - many) % 2 == 0 and len(among) > many:
        start = (len(among) - many) // 2
        return among[start : start + many]
    return ()


def _from_top(first: int, many: int, among: Layers) -> Layers:
    end = len(among) - first
    return among[max(0, end - many) : end] if end > 0 else ()


def lying(clauses: Sequence[Clause], among: Layers) -> Layers:
    """`die zuoberst`, `das ganz unten`: what stands for a layer, and says where it is."""
    for clause in clauses:
        said = [piece for word in clause.words for piece in word.folded.split() if piece != "ganz"]
        for the, where in pairwise(said):
            if the in _THE and where in _LIES_TOP | _LIES_BOTTOM:
                return among[-1:] if where in _LIES_TOP else among[:1]
    return ()


def aged(clauses: Sequence[Clause], among: Layers) -> Layers:
    """`die ältere`, `der alte Plan`: by the years in their titles; but not `die alten Häuser`."""
    for clause in clauses:
        for word, after in pairwise((*clause.words, Word(""))):
            if _is_of_map(after):
                if _OLDER.fullmatch(word.folded):
                    return _historic(among) or _by_year(among)[:1]
                if _NEWER.fullmatch(word.folded):
                    return _by_year(among)[-1:]
    return ()


def _is_of_map(after: Part) -> bool:
    return not (isinstance(after, Word) and after.is_noun) or after.role in _MAPS or after.folded == _YEAR


def _historic(among: Layers) -> Layers:
    found = tuple(layer for layer in among if _HISTORIC in fold(layer.label))
    return found if len(found) == 1 else ()


def _by_year(among: Layers) -> Layers:
    years = {layer.id: found[0] for layer in among if (found := years_in(layer.label))}
    dated = (layer for layer in among if layer.id in years)
    return tuple(sorted(dated, key=lambda layer: years[layer.id])) if len({*years.values()}) > 1 else ()
