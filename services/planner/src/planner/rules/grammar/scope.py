"""What is said not to be wanted: `nicht Olten, sondern Grenchen`, `statt Trimbach`, `kein Luftbild`.

A word that denies or replaces holds as far as its phrase goes. What it holds for is taken out of the message
if something else is left to wish for; the rest of the grammar never sees it. What an exception holds for
(`alles ausser dem Richtplan`) is kept apart.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from planner.rules.grammar.openers import Opener, opener_of
from planner.rules.grammar.parts import Mention, Part, Sign, Word
from planner.rules.reading.lexicon import ACTIONS, CONCEPTS, Role
from planner.rules.reading.tables import table

_WORDS: Final = table("words.toml")["scope"]
_DENIES: Final = frozenset(_WORDS["denies"].split())
_INSTEAD_OF: Final = frozenset(_WORDS["instead_of"].split())
_RATHER: Final = frozenset(_WORDS["rather"].split())
_THAN: Final = frozenset(_WORDS["than"].split())
_EXCEPT: Final = frozenset(_WORDS["except"].split())
_ENDS: Final = frozenset(_WORDS["ends"].split())
_ONLY: Final = "nur"
_NAMED = CONCEPTS | {Role.GREY, Role.COLOUR}
_END_OF_SENTENCE = frozenset(".!?;\n")


def without_denied(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts but for what is not wanted, where something else is."""
    kept: list[Part] = []
    for sentence in _sentences(parts):
        asks = opener_of(sentence) is not Opener.NONE or any(p == Sign("?") for p in sentence)
        rest = sentence if asks else tuple(_wanted(sentence))
        kept += rest if any(map(_is_named, rest)) else sentence
    return tuple(kept)


def exception_in(parts: Sequence[Part]) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """A clause before and after the word that makes an exception: `alles` and `dem Richtplan`."""
    at = next((n for n, part in enumerate(parts) if _is(part, _EXCEPT)), None)
    if at is None:
        return tuple(parts), ()
    end = next((n for n in range(at + 1, len(parts)) if _is_action(parts[n])), len(parts))
    return (*parts[:at], *parts[end:]), tuple(parts[at + 1 : end])


def _wanted(sentence: Sequence[Part]) -> Iterator[Part]:
    at = 0
    while at < len(sentence):
        if not _denies(sentence, at):
            yield sentence[at]
            at += 1
            continue
        end = _end_of_scope(sentence, at + 1)
        scope = sentence[at + 1 : end]
        layers = _is(sentence[at], _INSTEAD_OF) and not any(isinstance(part, Mention) for part in scope)
        if layers or not any(map(_is_named, scope)):  # one layer in the place of another is a wish
            yield sentence[at]
            end = at + 1
        at = end


def _denies(sentence: Sequence[Part], at: int) -> bool:
    if _is(sentence[at], _INSTEAD_OF):
        return True
    if _is(sentence[at], _THAN) and any(_is(part, _RATHER) for part in sentence[:at]):
        return True
    following = sentence[at + 1] if at + 1 < len(sentence) else None
    return _is(sentence[at], _DENIES) and not (isinstance(following, Word) and following.folded == _ONLY)


def _end_of_scope(sentence: Sequence[Part], start: int) -> int:
    """The first part beyond it: a sign, a word like `sondern`, a verb, or the next phrase."""
    named = False
    for n in range(start, len(sentence)):
        part = sentence[n]
        if isinstance(part, Sign) and part.text != "-":
            return n
        if _is(part, _ENDS) or _is_action(part):
            return n
        begins_anew = isinstance(part, Word) and (part.role is Role.FILLER or part.role is Role.FUNCTION)
        if named and begins_anew:
            return n
        named = named or _is_named(part)
    return len(sentence)


def _is_named(part: Part) -> bool:
    return isinstance(part, Mention) or (isinstance(part, Word) and (part.is_content or part.role in _NAMED))


def _is(part: Part, words: frozenset[str]) -> bool:
    return isinstance(part, Word) and part.folded in words


def _is_action(part: Part) -> bool:
    return isinstance(part, Word) and part.role in ACTIONS


def _sentences(parts: Sequence[Part]) -> Iterator[tuple[Part, ...]]:
    current: list[Part] = []
    for part in parts:
        current.append(part)
        if isinstance(part, Sign) and part.text in _END_OF_SENTENCE:
            yield tuple(current)
            current = []
    if current:
        yield tuple(current)
