"""What is asked about a parcel, for the tool that answers from the extract of the cadastre.

What such an extract says anything about, only the tool knows: it announces its topics. Here is decided whose
question it is; beside a parcel every question is for the tool that nobody else answers, elsewhere only one
that names a topic.
"""

from collections.abc import Sequence

from contracts.intents import Intent
from contracts.session import Session
from contracts.tools import ToolDescriptor

from planner.rules.grammar.bare_parcels import parcels_beside_places
from planner.rules.grammar.clause import Clause
from planner.rules.grammar.openers import Opener, opener_of
from planner.rules.grammar.pointing import pointer_of
from planner.rules.grammar.targets import targets_of
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import Wish
from planner.rules.planning.routes import EXTRACT
from planner.rules.planning.threads import Hold, hold_of
from planner.rules.reading.lexicon import CONCEPTS, Role
from planner.rules.reading.topics import topic_of
from planner.rules.references.addresses import Address
from planner.rules.references.coordinates import Coordinate
from planner.rules.references.finding import Egrid, Reference, most_precise
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_MEANS_OTHERS = {Role.PLAN, Role.GEOTHERMAL, Role.DOCUMENT, Role.LOAD, Role.SHOW, Role.REMOVE, Role.CLEAR}
_MEANS_OTHERS |= {Role.GO, Role.FIND, Role.BACKGROUND, Role.AERIAL, Role.LOADED, Role.HELP}
_REPORTS = frozenset({"ob", "dass"})
_HERE = frozenset({"hier", "dort"})
_IN_IT = frozenset({"darin", "drin", "drinnen", "auszug"})
"""`Was steht über den Wald drin?`, right after an extract."""
_THEME = "them"
_SHOWN_BEFORE = (f"[{Intent.OEREB_EXTRACT}:", f"[{Intent.SHOW_PARCEL}:")
"""How the answer to such a step begins in a history."""
_SAID_BETWEEN = (f"[{Intent.ANSWER}:", f"[{Intent.CLARIFY}:")


def questions_about_parcels(
    sentence: Utterance, session: Session, tools: Sequence[ToolDescriptor], before: Sequence[Utterance] = ()
) -> tuple[Wish, ...]:
    """The wishes to have a sentence answered from the extract of each parcel that it is about.

    `before` is what the message says before it.
    """
    tool = next((tool for tool in tools if tool.capability == EXTRACT and tool.topics), None)
    words, roles = sentence.words, sentence.roles
    reports = any(word.folded in _REPORTS for word in words) or any(map(_asks, sentence.clauses))
    if tool is None or not (sentence.asks or reports or sentence.opener is not Opener.NONE):
        return ()
    on_topic = Role.BUILD in roles or any(topic in word.folded for word in words for topic in tool.topics)
    targets = _targets(sentence.spoken)
    of_parcel = isinstance(targets[0], Parcel | Egrid)
    if _is_for_others(sentence, on_topic=on_topic, of_parcel=of_parcel):
        return ()
    named = _last_named(before)
    at_spot = isinstance(targets[0], Coordinate | Address) or any(word.folded in _HERE for word in words)
    if of_parcel or (Role.PARCEL in roles and not at_spot):
        says = any(not word.folded.isdigit() for word in sentence.content)
        is_meant = on_topic or bool(says or roles & {Role.OEREB, Role.BUILD, Role.LAYER, Role.QUESTION})
    elif at_spot:
        is_meant = on_topic
    elif targets == (None,) and not isinstance(named, Place):
        shown = _SHOWN_BEFORE[1] if named else _last_answer(session)
        is_meant = _goes_on(sentence, shown, tool, on_topic=on_topic)
        targets = (named,)
    else:
        is_meant = False
    pointer = pointer_of(words)
    wishes = (Wish(Intent.OEREB_EXTRACT, each, sentence.written, pointer=pointer) for each in targets)
    return tuple(wishes) if is_meant else ()


def _asks(clause: Clause) -> bool:
    """`…, in welcher Zone 198 in Messen liegt`"""
    return opener_of(clause.parts) in {Opener.FACT, Opener.LIST}


def _is_for_others(sentence: Utterance, *, on_topic: bool, of_parcel: bool) -> bool:
    """Height and size are those of the parcel itself, but not those of a zone or a building."""
    roles = sentence.roles
    themes = of_parcel and any(word.folded.startswith(_THEME) for word in sentence.words)
    measures = bool(roles & {Role.HEIGHT, Role.SIZE, Role.MEASURE}) and not on_topic
    unknown = any(topic_of(word.folded) for word in sentence.content) and not (of_parcel and on_topic)
    explained = Role.EXPLAIN in roles and bool(roles & (CONCEPTS | {Role.REGISTER}))
    others = bool(roles & _MEANS_OTHERS) or (sentence.names_layer and not themes)
    return others or measures or unknown or explained


def _targets(clauses: Sequence[Clause]) -> tuple[Reference | None, ...]:
    """The parcels that all of it is about, or the one place; at least None."""
    found = [target for clause in clauses for target in targets_of(clause)]
    found += parcels_beside_places(clauses)
    best = most_precise(found)
    several = (target for target in found if type(target) is type(best))
    return tuple(dict.fromkeys(several)) if isinstance(best, Parcel | Egrid) else (best,)


def _goes_on(sentence: Utterance, shown: str, tool: ToolDescriptor, *, on_topic: bool) -> bool:
    """`Welche Gesetze gelten dafür?`, `Gilt das schon?`: right after a parcel, and about nothing else."""
    about = tuple(tool.topics)
    if shown == _SHOWN_BEFORE[0] and any(word.folded in _IN_IT for word in sentence.words):
        return True
    if not shown or any(not (n.is_aspect or n.folded.startswith(about)) for n in sentence.nouns):
        return False
    return on_topic or (shown == _SHOWN_BEFORE[0] and hold_of(sentence, asks=True) is Hold.TIGHT)


def _last_named(before: Sequence[Utterance]) -> Reference | None:
    """The place or parcel that is named last."""
    clauses = (clause for piece in before for clause in piece.clauses if clause.mentions)
    targets = [target for clause in clauses for target in targets_of(clause)]
    return targets[-1] if targets else None


def _last_answer(session: Session) -> str:
    """Which step has told of a parcel last, if nothing else was done since; else nothing."""
    answers = (entry.text for entry in reversed(session.history) if entry.role == "assistant")
    last = next((text for text in answers if not text.startswith(_SAID_BETWEEN)), "")
    return next((step for step in _SHOWN_BEFORE if step in last), "")
