"""Messages that are written like letters: what stands around the wish says nothing about the map."""

from collections.abc import Sequence

from planner.rules.grammar.parts import Part, Sign, Word
from planner.rules.reading.lexicon import Role

_TITLES = ("frau", "herr", "herren", "team", "zusammen")
_MAX_NAME_PARTS = 6


def body_of(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts without `Sehr geehrte Frau Muster,` before and the name after `Freundliche Grüsse`."""
    return _without_signature(_without_salutation(tuple(parts)))


def _without_salutation(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    first = parts[0] if parts else None
    if not (isinstance(first, Word) and first.role is Role.GREETING):
        return parts
    titled = (part.folded for part in parts[:2] if isinstance(part, Word))
    if not any(words.endswith(_TITLES) for words in titled):
        return parts
    signs = (n for n, part in enumerate(parts[: _MAX_NAME_PARTS + 1]) if isinstance(part, Sign))
    end = next(signs, None)
    rest = parts[end + 1 :] if end is not None else ()
    return rest or parts


def _without_signature(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    end = next((n for n, part in enumerate(parts) if isinstance(part, Word) and part.role is Role.CLOSING), 0)
    return parts[:end] if end and any(not isinstance(part, Sign) for part in parts[:end]) else parts
