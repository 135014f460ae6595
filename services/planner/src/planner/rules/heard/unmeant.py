"""What is meant of all that a message names: `Olten kenne ich, bring mich nach Wisen`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from contracts.intents import OF_LOADED_LAYERS
from contracts.session import Session

from planner.rules.grammar.loaded import BOTH, is_loaded
from planner.rules.grammar.parts import Part
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import Wish
from planner.rules.learned.model import MEANT, thing_model
from planner.rules.learned.things import Thing, rivals, surroundings, things_in
from planner.rules.reading.lexicon import Role
from planner.rules.references.layers import title_called

_SMALL: Final = frozenset({Role.FUNCTION, Role.FILLER})
_HARDLY: Final = 0.2
"""What is less probable is only told of, taken back or left to others."""
_LIKELY: Final = 0.5
"""So probable has to be something else of the same sort."""


def meant_of(said: Utterance, read: Wishes, session: Session) -> tuple[Utterance, Wishes]:
    """A message without the things that it hardly means, and what was read without what is about these.

    Nothing is left out where it names but one thing, means none, or says `beide`; nor is a layer that is
    loaded, or about which something was read that is done with such, since it may be to go.
    """
    if any(word.folded in BOTH for word in said.words):
        return said, read
    things = things_in(said.parts)
    changed = {subject for wish in read if wish.intent in OF_LOADED_LAYERS for subject in _subjects(wish)}
    left_out = {
        each
        for each in _not_meant(said, things)
        if each.what not in changed and not _is_loaded(each, session)
    }
    if not left_out:
        return said, read
    gone = {at for thing in left_out for at in range(_since_denied(said.parts, thing.start), thing.end)}
    kept = {thing.what for thing in things if thing not in left_out}
    unmeant = {thing.what for thing in left_out} - kept
    meant = tuple(wish for wish in read if unmeant.isdisjoint(_subjects(wish)))
    parts = tuple(part for n, part in enumerate(said.parts) if n not in gone)
    return replace(said, parts=parts), meant


def _since_denied(parts: Sequence[Part], start: int) -> int:
    """Where `non più` begins before a thing: without it, it would deny the next one."""
    at = start
    for n in range(start - 1, -1, -1):
        if parts[n].role is Role.NOT:
            at = n
        elif parts[n].role not in _SMALL:
            break
    return at


def _not_meant(said: Utterance, things: Sequence[Thing]) -> Iterator[Thing]:
    for sort in rivals(things):
        probable = {n: _probable(said, things, n) for n in sort}
        if max(probable.values()) > _LIKELY:
            yield from (things[n] for n in sort if probable[n] < _HARDLY)


def _is_loaded(thing: Thing, session: Session) -> bool:
    return isinstance(thing.what, str) and is_loaded(thing.what, session)


def _probable(said: Utterance, things: Sequence[Thing], n: int) -> float:
    return thing_model().probabilities(surroundings(said.parts, things, n))[MEANT]


def _subjects(wish: Wish) -> Iterator[object]:
    """What a wish is about: places, numbers, titles."""
    yield wish.target
    yield from (title_called(name) for name in (wish.query, str(wish.args.get("name", ""))) if name)
