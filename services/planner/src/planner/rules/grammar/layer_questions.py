"""What only a layer answers: `Wer hat hier das Stromnetz?`."""

from dataclasses import replace

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.targets import visits
from planner.rules.grammar.wishes import Wish, load
from planner.rules.reading.lexicon import Role
from planner.rules.reading.topics import layer_asked_for
from planner.rules.references.places import Place

_NOT_OF_LAYERS = frozenset({Role.DOCUMENT, Role.PARCEL, Role.OEREB, Role.BUILD})
_MIN_QUESTION_WORDS, _MAX_QUESTION_WORDS = 3, 16


def asked_of_layer(clause: Clause) -> tuple[Wish, ...] | None:
    """`Wer hat hier das Stromnetz?`, `Wie laut ist es in Olten?`: what a layer tells, and nobody else."""
    if not _MIN_QUESTION_WORDS <= len(clause.words) <= _MAX_QUESTION_WORDS:
        return None
    if clause.roles & _NOT_OF_LAYERS:
        return None
    if any(not isinstance(m.what, Place) for m in clause.mentions):
        return None
    somewhere = bool(clause.mentions) or Role.HERE in clause.roles
    about = [word.folded for word in clause.content]
    query = layer_asked_for(clause.said, about, somewhere=somewhere)
    return (*visits(clause), replace(load(query), is_asked=True)) if query else None
