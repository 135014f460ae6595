"""What of a message only tells something, and what says that something is wanted."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from contracts.intents import Intent
from german.fold import fold

from planner.rules.grammar.clause import Clause, Link
from planner.rules.grammar.openers import Opener, opener_of
from planner.rules.grammar.wishes import Wish
from planner.rules.reading.lexicon import ACTIONS, ASKS, CONCEPTS, REASONS, WANTS, Role
from planner.rules.reading.tokens import GERMAN
from planner.rules.references.layers import is_layer, may_name_layer
from planner.rules.references.places import Place

_DONE = ACTIONS | {Role.OTHER, Role.CHOOSE, Role.MEASURE}
_WANTED = _DONE | CONCEPTS | {Role.LAYER, Role.PARCEL}
_MIN_STORY_WORDS = 5
_MANY = 3
_MAX_WORDS_BEFORE_PLEASE = 15
_SPEAKER = "ich"
_SO_THAT = "damit"
_IT_IS_ABOUT = "es geht"
_SPEAKERS = ("ich", "wir", "mein", "unser")


def told_in(clauses: Sequence[Clause], *, beside_question: bool) -> tuple[Clause, ...]:
    """The clauses that only tell something or give a reason, where another one says what is wanted."""
    starts = [n for n, clause in enumerate(clauses) if n == 0 or clause.link is Link.SENTENCE]
    sentences = [clauses[a:b] for a, b in pairwise((*starts, len(clauses)))]
    reasons = tuple(clause for clause in clauses if len(clauses) > 1 and _gives_reason(clause))
    requests = [s for s in sentences if _requests(s)] or [s for s in sentences if _wants(s)]
    if not requests and not beside_question:
        return reasons
    wanting = [s for s in sentences if s in requests or (_wants(s) and _is_of_speaker(s))]
    told = (sentence for sentence in sentences if sentence not in wanting and _is_story(sentence))
    return (*reasons, *(clause for sentence in told for clause in sentence))


def _gives_reason(clause: Clause) -> bool:
    first = clause.words[0].folded if clause.words else ""
    return first in REASONS or (first == _SO_THAT and clause.link is Link.COMMA)


def _requests(sentence: Sequence[Clause]) -> bool:
    """Whether it asks somebody for something: a question, an imperative, a polite form."""
    if opener_of([part for clause in sentence for part in clause.parts]) is not Opener.NONE:
        return True
    words = [word.folded for clause in sentence for word in clause.words]
    polite = not ASKS.isdisjoint(words if len(words) <= _MAX_WORDS_BEFORE_PLEASE else words[:-1])
    ordered = (orders(clause) and not _is_of_speaker(sentence[:n]) for n, clause in enumerate(sentence))
    return polite or any(ordered)  # not "ich studiere und schreibe"


def _wants(sentence: Sequence[Clause]) -> bool:
    """Whether it says that somebody wants something that the map has."""
    words = [word for clause in sentence for word in clause.words]
    named = any(clause.mentions or may_name_layer(w.folded for w in clause.content) for clause in sentence)
    wants = any(w.folded in WANTS or w.folded.startswith(_IT_IS_ABOUT) for w in words)
    return wants and (named or any(w.role in _WANTED for w in words))


def _is_of_speaker(sentence: Sequence[Clause]) -> bool:
    return any(word.folded == _SPEAKER for clause in sentence for word in clause.words)


def orders(clause: Clause) -> bool:
    """Whether it begins with what is to be done, or is put politely: `zeigen Sie`, not `ich zeige`."""
    at = next((n for n, word in enumerate(clause.words) if word.role is not Role.FILLER), 0)
    if not clause.words or _is_of_speaker([replace(clause, parts=clause.words[:at])]):
        return False
    if any(verb.role in ACTIONS and who.folded == "sie" for verb, who in pairwise(clause.words)):
        return True
    first = clause.words[at]
    return first.role in _DONE and not first.folded.endswith("en")


def _is_story(sentence: Sequence[Clause]) -> bool:
    words = [word.folded for clause in sentence for word in clause.words]
    return len(words) >= _MIN_STORY_WORDS or any(word.startswith(_SPEAKERS) for word in words)


def with_names(wishes: tuple[Wish, ...], clauses: Sequence[Clause]) -> tuple[Wish, ...]:
    """Without what is called like nothing, beside a wish: `Zeig Olten, das ist mir zu wenig anschaulich`.

    Who writes nouns with capitals writes names with them, and no name has many words that no layer has.
    """
    words = [word for clause in clauses for word in clause.words[1:]]
    if any(word.language != GERMAN for word in words):
        return wishes
    small = any(word.text[:1].isupper() for word in words)
    named = tuple(wish for wish in wishes if not _is_called_like_nothing(wish, small=small))
    return named if any(not wish.is_talk for wish in named) else wishes


def _is_called_like_nothing(wish: Wish, *, small: bool) -> bool:
    place = wish.target.name if isinstance(wish.target, Place) and wish.target.kind == "unknown" else ""
    name = place or (wish.query if wish.intent == Intent.LOAD_LAYER else "")
    said = name.split()
    if not said or any(map(is_layer, fold(name).split())):
        return False
    lower = any(map(str.islower, said)) if place else name.islower()
    return len(said) >= _MANY or (small and lower)
