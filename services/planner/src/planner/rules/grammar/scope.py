"""What is said not to be wanted: `nicht Olten, sondern Grenchen`, `statt Trimbach`, `kein Luftbild`.

A word that denies or replaces holds as far as its phrase goes. What it holds for is taken out of the message
if something else is left to wish for; the rest of the grammar never sees it.
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
_ENDS: Final = frozenset(_WORDS["ends"].split())
_ONLY: Final = "nur"
_NAMED = CONCEPTS | {Role.GREY, Role.COLOUR}
_END_OF_SENTENCE = frozenset(".!?;\n")


def without_denied(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts but for what is not wanted, where something else is."""
    kept: list[Part] = []
    for sentence in sentences_in(parts):
        asks = opener_of(sentence) is not Opener.NONE or any(p == Sign("?") for p in sentence)
        done = sentence if asks else tuple(_done(sentence))
        rest = done if asks else tuple(_wanted(done))
        kept += rest if any(map(_is_named, rest)) else done
    return tuple(kept)


def sentences_in(parts: Sequence[Part]) -> Iterator[tuple[Part, ...]]:
    """A message cut after the signs that end a sentence."""
    current: list[Part] = []
    for part in parts:
        current.append(part)
        if isinstance(part, Sign) and part.text in _END_OF_SENTENCE:
            yield tuple(current)
            current = []
    if current:
        yield tuple(current)


def _done(sentence: Sequence[Part]) -> Iterator[Part]:
    """Without a denied verb that stands alone beside another: `nur verstecken, nicht löschen`."""
    verbs = sum(map(_is_action, sentence))
    for n, part in enumerate(sentence):
        before, after = sentence[n - 1] if n else None, sentence[n + 1] if n + 1 < len(sentence) else None
        denies = _is(part, _DENIES) and after is not None and _is_action(after)
        denied = before is not None and _is(before, _DENIES) and _is_action(part)
        opens = sentence[: n - 1] if denied else sentence[:n]
        alone = not opens or isinstance(opens[-1], Sign) or _is_joint(opens[-1])
        if verbs < 2 or not (denies or denied) or not alone:
            yield part


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
        if layers or not any(
            _is_named(part) or _is_layer(part) for part in scope
        ):  # one layer in the place of another is a wish
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


def _is_layer(part: Part) -> bool:
    return isinstance(part, Word) and part.role is Role.LAYER


def _is(part: Part, words: frozenset[str]) -> bool:
    return isinstance(part, Word) and part.folded in words


def _is_joint(part: Part) -> bool:
    return isinstance(part, Word) and part.role in {Role.AND, Role.FILLER}


def _is_action(part: Part) -> bool:
    return isinstance(part, Word) and part.role in ACTIONS
