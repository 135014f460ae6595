"""What a message names that is not understood otherwise: `Bettlach steht auf dem Zettel`, `altlasten wär gut`."""

from collections.abc import Iterator

from contracts.intents import Intent

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.rewriting import Wishes, moved
from planner.rules.grammar.targets import targets_of
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import Wish, visit
from planner.rules.planning.past import Past
from planner.rules.reading.lexicon import Role
from planner.rules.reading.topics import is_theme, topic_of
from planner.rules.references.layers import layer_named

_SAYS_MORE = frozenset(
    {Role.NOT, Role.NONE, Role.OTHER, Role.MEASURE, Role.QUESTION, Role.HELP, Role.REMOVE, Role.HIDE, Role.CLEAR}
)
_TAKES_BACK = frozenset({Role.CORRECTION, Role.NO})
_MAX_WORDS = 14
"""Who says more tells a story."""


def named_in(message: Utterance, past: Past) -> Wishes | None:
    """The one thing that a message names: a place, for what was wanted before where that lacks one or is
    taken back, or a layer; None where it asks, denies or says more."""
    words = message.words
    if message.asks or message.roles & _SAYS_MORE or len(words) > _MAX_WORDS or any(topic_of(w.folded) for w in words):
        return None
    clauses = message.spoken
    targets = {target for clause in clauses if clause.mentions for target in targets_of(clause)}
    layers = {name for clause in clauses for name in _layers(clause)}
    match tuple(targets), tuple(layers):
        case (target,), ():
            takes_back = not message.roles.isdisjoint(_TAKES_BACK)
            lacking = any(wish.needs_place and wish.target is None for wish in past.last)
            return (moved(past.last, target) if takes_back or lacking else None) or (visit(target),)
        case (), (layer,):
            return (Wish(Intent.LOAD_LAYER, query=layer),)
        case _:
            return None


def _layers(clause: Clause) -> Iterator[str]:
    for phrase in clause.phrases():
        said = [word for word in clause.content if word.text in phrase.split()]
        if any(is_theme(word.folded) for word in said) or layer_named([word.folded for word in said]):
            yield phrase
