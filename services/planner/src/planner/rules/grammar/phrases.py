"""Tools that the grammar has no words for: their own phrases tell when they are meant."""

from collections.abc import Sequence

from contracts.intents import CLAIMED
from contracts.tools import ToolDescriptor
from rapidfuzz.distance import OSA

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.parts import Word
from planner.rules.grammar.wishes import Wish
from planner.rules.reading.lexicon import Role
from planner.rules.reading.tokens import tokens_of

_MIN_FUZZY_CHARS = 6
_MIN_COMPOUND_CHARS = 5
_SKIPPED = frozenset({Role.FILLER, Role.FUNCTION})


def match(clause: Clause, tools: Sequence[ToolDescriptor]) -> Wish | None:
    """The wish for the foreign tool whose phrase fits best, with the other words as its query."""
    foreign = [tool for tool in tools if tool.capability not in CLAIMED]
    matches = [(tool, _find(phrase, clause.words)) for tool in foreign for phrase in tool.phrases]
    tool, words = max(matches, key=lambda match: sum(len(w.folded) for w in match[1]), default=(None, ()))
    if tool is None or not words:
        return None
    taken = {id(word) for word in words}
    rest = Clause(tuple(p for p in clause.parts if id(p) not in taken))
    places = " ".join(m.text for m in clause.mentions)
    return Wish(tool.capability.replace(".", "_"), query=rest.phrase() or places, tool=tool)


def _find(phrase: str, words: Sequence[Word]) -> tuple[Word, ...]:
    """The words of a clause that say a phrase, in its order; small words in between do not matter."""
    wanted = [t.folded for t in tokens_of(phrase) if t.is_word]
    spoken = [(piece, word) for word in words for piece in word.folded.split()]
    starts = [n for n, (piece, _) in enumerate(spoken) if wanted and _says(piece, wanted[0])]
    return next((found for n in starts if (found := _find_from(wanted, spoken[n:]))), ())


def _find_from(wanted: Sequence[str], spoken: Sequence[tuple[str, Word]]) -> tuple[Word, ...]:
    found: list[Word] = []
    for piece, word in spoken:
        if _says(piece, wanted[len(found)]):
            found.append(word)
            if len(found) == len(wanted):
                return tuple(found)
        elif word.role not in _SKIPPED:
            return ()
    return ()


def _says(word: str, wanted: str) -> bool:
    if word == wanted or (len(wanted) >= _MIN_COMPOUND_CHARS and word.startswith(wanted)):
        return True
    return len(wanted) >= _MIN_FUZZY_CHARS and OSA.distance(word, wanted, score_cutoff=1) <= 1
