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
from planner.rules.grammar.clauses import clauses_of, said
from planner.rules.grammar.nouns import nouns_in
from planner.rules.grammar.openers import Opener, opener_of
from planner.rules.grammar.parts import Part, Word, parts_of
from planner.rules.grammar.sentences import Sentence
from planner.rules.grammar.targets import targets_of
from planner.rules.grammar.wishes import Wish
from planner.rules.planning.routes import EXTRACT
from planner.rules.reading.lexicon import Role
from planner.rules.reading.topics import topic_of
from planner.rules.references.addresses import Address
from planner.rules.references.coordinates import Coordinate
from planner.rules.references.finding import Egrid, Reference, most_precise
from planner.rules.references.parcels import Parcel

_MEANS_OTHERS = frozenset(
    {
        Role.PLAN,
        Role.GEOTHERMAL,
        Role.DOCUMENT,
        Role.LOAD,
        Role.SHOW,
        Role.REMOVE,
        Role.CLEAR,
        Role.BACKGROUND,
        Role.AERIAL,
        Role.LOADED,
        Role.HELP,
        Role.EXPLAIN,
    }
)
_WHETHER = "ob"
_HERE = frozenset({"hier", "dort"})
_SHOWN_BEFORE = frozenset({f"[{Intent.OEREB_EXTRACT}:", f"[{Intent.SHOW_PARCEL}:"})
"""How the answer to such a step begins in a history."""


def questions_about_parcels(
    sentence: Sentence, session: Session, tools: Sequence[ToolDescriptor]
) -> tuple[Wish, ...]:
    """The wishes to have a sentence answered from the extract of each parcel that it is about."""
    tool = next((tool for tool in tools if tool.capability == EXTRACT and tool.topics), None)
    parts = parts_of(sentence.text)
    words = [part for part in parts if isinstance(part, Word)]
    opener = opener_of(parts)
    asks = sentence.asks or opener is not Opener.NONE or any(word.folded == _WHETHER for word in words)
    if tool is None or not asks or opener is Opener.WHERE:
        return ()
    on_topic = any(word.role is Role.BUILD or _is_topic(word.folded, tool) for word in words)
    sized = any(word.role is Role.SIZE for word in words) and len(words) == len(parts)
    on_topic = on_topic or (sized and _lacks_area(session))
    if _is_for_others(words, on_topic=on_topic):
        return ()
    targets = _targets(said(clauses_of(sentence.text)), on_topic=on_topic)
    if isinstance(targets[0], Parcel | Egrid):
        is_meant = on_topic or _asks_something(words)
    elif isinstance(targets[0], Coordinate | Address) or any(word.folded in _HERE for word in words):
        is_meant = on_topic
    elif any(word.role is Role.PARCEL for word in words):
        is_meant = on_topic or _asks_something(words)
    else:
        is_meant = targets == (None,) and on_topic and _goes_on(parts, session, tool)
    wishes = (Wish(Intent.OEREB_EXTRACT, target, query=sentence.written) for target in targets)
    return tuple(wishes) if is_meant else ()


def _is_for_others(words: Sequence[Word], *, on_topic: bool) -> bool:
    """Height and size are those of the parcel itself, but not those of a zone or a building."""
    roles = {word.role for word in words}
    named_layer = any(word.role is Role.LAYER and word.stem is None for word in words)
    measures = bool(roles & {Role.HEIGHT, Role.SIZE}) and not on_topic
    unknown = any(topic_of(word.folded) for word in words if word.is_content)
    return bool(roles & _MEANS_OTHERS) or named_layer or measures or unknown


def _targets(clauses: Sequence[Clause], *, on_topic: bool) -> tuple[Reference | None, ...]:
    """The parcels that all of it is about, or the one place; at least None."""
    found = [target for clause in clauses for target in targets_of(clause)]
    if on_topic:
        found += parcels_beside_places(clauses)
    best = most_precise(found)
    several = (target for target in found if type(target) is type(best))
    return tuple(dict.fromkeys(several)) if isinstance(best, Parcel | Egrid) else (best,)


def _is_topic(word: str, tool: ToolDescriptor) -> bool:
    return any(topic in word for topic in tool.topics)


def _asks_something(words: Sequence[Word]) -> bool:
    """More than which parcel it is: `Was ist auf Parzelle 198 geplant?`."""
    return any(word.is_content or word.role in {Role.OEREB, Role.BUILD} for word in words)


def _lacks_area(session: Session) -> bool:
    """Whether nobody but the extract can say how large the selected parcel is."""
    selected = [item for item in session.selections if "egrid" in item.bindings()]
    return bool(selected) and not any(item.type == "parcel" and item.area_m2 for item in selected)


def _goes_on(parts: Sequence[Part], session: Session, tool: ToolDescriptor) -> bool:
    """`Welche Gesetze gelten dafür?`, right after a parcel, and about nothing else."""
    answers = [entry.text for entry in session.history if entry.role == "assistant"]
    after_parcel = any(answers and start in answers[-1] for start in _SHOWN_BEFORE)
    about = tuple(tool.topics)
    return after_parcel and all(noun.folded.startswith(about) for noun in nouns_in(parts))
