"""Messages that are written like letters: what stands around the wish says nothing about the map."""

from collections.abc import Sequence
from itertools import pairwise

from planner.rules.grammar.parts import Part, Sign
from planner.rules.reading.lexicon import Role

_TITLES = ("frau", "herr", "herren", "team", "zusammen")
_YOU = "du"
_ASKED = "st"
_ENDS = ((), *((Sign(sign),) for sign in ".!,\n"))
_DEAR = frozenset({"geehrte", "geehrter", "werte", "werter", "wertes", "liebe", "liebes"})
_MAX_NAME_PARTS = 6


def body_of(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts without `Sehr geehrte Frau Muster,` before and the name after `Freundliche Grüsse`."""
    return _without_names(_without_signature(_without_salutation(tuple(parts))))


def _without_names(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """`Zeig mir Olten, du Depp`: without what somebody is called at the end of a sentence, beside more."""
    gone: set[int] = set()
    for n, (you, name) in enumerate(pairwise(parts)):
        asked = n > 0 and parts[n - 1].folded.endswith(_ASKED)  # Verstehst du Latein
        if you.folded == _YOU and name.is_content and not asked and parts[n + 2 : n + 3] in _ENDS:
            gone |= {n, n + 1}
    rest = tuple(part for n, part in enumerate(parts) if n not in gone)
    return rest if any(not isinstance(part, Sign) for part in rest) else parts


def _without_salutation(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    titled = any(part.folded.endswith(_TITLES) for part in parts[:2])
    dear = [part.folded in _DEAR or part.is_content for part in parts[:2]] == [True, True]
    if not (dear and parts[0].folded in _DEAR) and not (titled and parts[0].role is Role.GREETING):
        return parts
    signs = (n for n, part in enumerate(parts[: _MAX_NAME_PARTS + 1], start=1) if isinstance(part, Sign))
    return parts[next(signs, 0) :] or parts


def _without_signature(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    end = next((n for n, part in enumerate(parts) if part.role is Role.CLOSING), 0)
    return parts[:end] if any(not isinstance(part, Sign) for part in parts[:end]) else parts
