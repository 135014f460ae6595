"""Messages that are written like letters: what stands around the wish says nothing about the map."""

from collections.abc import Sequence

from planner.rules.grammar.parts import Part, Sign
from planner.rules.reading.lexicon import Role

_TITLES = ("frau", "herr", "herren", "team", "zusammen")
_DEAR = frozenset({"geehrte", "geehrter", "werte", "werter", "wertes", "liebe", "liebes"})
_MAX_NAME_PARTS = 6


def body_of(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts without `Sehr geehrte Frau Muster,` before and the name after `Freundliche Grüsse`."""
    return _without_signature(_without_salutation(tuple(parts)))


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
