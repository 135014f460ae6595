"""Whether a sentence asks about documents: about rules, costs, dates and decisions, not about the map.

The grammar of the map goes first: what it understands for certain stays its own. A question that it does not
understand, or of which it knows a single word only, is one for the documents.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.intents import OF_LOADED_LAYERS, Intent
from contracts.session import Session
from contracts.tools import ToolDescriptor

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.clauses import clauses_of, said
from planner.rules.grammar.intents import wishes_of
from planner.rules.grammar.nouns import Noun, nouns_in
from planner.rules.grammar.openers import Opener, is_request, opener_of
from planner.rules.grammar.parts import Mention, Part, Word, parts_of
from planner.rules.grammar.sentences import Sentence
from planner.rules.grammar.targets import spot_in_place
from planner.rules.grammar.wishes import Wish, clarify
from planner.rules.reading.lexicon import ACTIONS, Role
from planner.rules.reading.topics import is_theme, is_unheard_of, topic_of
from planner.rules.references.addresses import Address
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_ON_THE_MAP = frozenset({Role.BACKGROUND, Role.AERIAL, Role.LOADED, Role.WHERE, Role.LOAD})
_ONLY_MAP = _ON_THE_MAP | {Role.HELP, Role.PLAN, Role.EXTRACT, Role.GEOTHERMAL, Role.PARCEL}
_AT_PLACE = frozenset({Role.OEREB, Role.PLAN, Role.EXTRACT, Role.GEOTHERMAL, Role.HEIGHT, Role.ASKED})
_HERE = frozenset({"hier", "dort", "hierhin", "dorthin", "egrid"})
_DUTIES = frozenset({"muss", "muessen", "brauche", "brauchen", "braucht"})
_LIES = frozenset({"liegt", "liegen", "gelegen", "steht", "meter"})
_UNANSWERED = frozenset({"unclear", "no_data", "which_extract"})
"""What the map says without knowing what a question is about."""
_HOW_DEEP = "wie tief"
_FEW_WORDS = 2
"""A question for a layer names it, and perhaps one more of its properties."""
_MIN_OTHER_NOUNS = 2


@dataclass(frozen=True)
class _Reading:
    """A sentence as the map understands it."""

    parts: tuple[Part, ...]
    clauses: tuple[Clause, ...]
    wishes: tuple[Wish, ...]
    nouns: tuple[Noun, ...]

    @property
    def roles(self) -> frozenset[Role]:
        return frozenset(role for clause in self.clauses for role in clause.roles)

    @property
    def content(self) -> tuple[Word, ...]:
        return tuple(p for p in self.parts if isinstance(p, Word) and p.is_content)

    @property
    def is_here(self) -> bool:
        return any(isinstance(p, Word) and p.folded in _HERE for p in self.parts)


def is_question(sentence: Sentence, session: Session, tools: Sequence[ToolDescriptor]) -> bool:
    """Whether a sentence with a subject of its own is a question that documents may answer."""
    parts = tuple(parts_of(sentence.text))
    opener = opener_of(parts)
    nouns = tuple(noun for noun in nouns_in(parts) if not noun.is_place)
    if opener is Opener.NONE and (not sentence.asks or is_request(parts)):
        return False
    of_documents = any(isinstance(part, Word) and part.role is Role.DOCUMENT for part in parts)
    if all(noun.folded.isdigit() for noun in nouns) and not of_documents:
        return False
    reading = _read(sentence, parts, nouns, session, tools)
    wishes = reading.wishes
    if any(_speaks_of_map(wish) for wish in wishes) or _is_on_map(reading, opener):
        return False
    if all(wish == clarify("unclear") for wish in wishes) or of_documents:
        return True
    if _names_spot(parts):
        return False
    if all(wish.is_guess or wish == clarify("unclear") for wish in wishes):
        return opener is not Opener.NONE or len(nouns) >= _FEW_WORDS
    if any(wish.text == "no_data" for wish in wishes):
        return _is_more_than_topic(reading)
    if reading.roles & _AT_PLACE and all(wish.intent != Intent.LOAD_LAYER for wish in wishes):
        return _is_beside_place(reading, opener)
    return _is_beside_map(reading, opener, asks=sentence.asks)


def is_understood(sentence: Sentence, session: Session, tools: Sequence[ToolDescriptor]) -> bool:
    """Whether the map makes anything of a sentence."""
    reading = _read(sentence, (), (), session, tools)
    return any(wish != clarify("unclear") for wish in reading.wishes)


def wants_map(parts: Sequence[Part]) -> bool:
    """Whether a sentence has words that only fit the map, whatever was talked about before."""
    words = [part for part in parts if isinstance(part, Word)]
    roles = {word.role for word in words}
    named = any(word.role is Role.LAYER and word.stem is None for word in words)
    here = any(word.folded in _HERE or word.folded.startswith("oereb") for word in words)
    lies = Role.HEIGHT in roles and any(set(word.folded.split()) & _LIES for word in words)
    orders = bool(roles & ACTIONS) and Role.DOCUMENT not in roles and opener_of(parts) is Opener.NONE
    return named or here or lies or orders or bool(roles & _ONLY_MAP) or _names_spot(parts)


def _read(
    sentence: Sentence,
    parts: tuple[Part, ...],
    nouns: tuple[Noun, ...],
    session: Session,
    tools: Sequence[ToolDescriptor],
) -> _Reading:
    clauses = said(clauses_of(sentence.text))
    wishes = tuple(wish for clause in clauses for wish in wishes_of(clause, session, tools))
    return _Reading(parts, clauses, wishes, nouns)


def _speaks_of_map(wish: Wish) -> bool:
    """A tool that others bring, or an answer in words."""
    return wish.tool is not None or (wish.is_talk and wish.text not in _UNANSWERED)


def _names_spot(parts: Sequence[Part]) -> bool:
    """A parcel, a coordinate, a house: more than the name of a place or a street."""
    for part in parts:
        if isinstance(part, Mention) and not isinstance(part.what, Place):
            what = part.what
            street = isinstance(what, Address) and not what.house_number
            if not street and not (isinstance(what, Parcel) and not what.number):
                return True
    return False


def _is_on_map(reading: _Reading, opener: Opener) -> bool:
    """Words that only fit the map."""
    words = [part for part in reading.parts if isinstance(part, Word)]
    layer = any(word.role is Role.LAYER and word.stem is None for word in words)
    layer = layer and Role.DOCUMENT not in reading.roles
    orders = opener is Opener.NONE and reading.roles & ACTIONS
    return bool(layer or orders or reading.roles & _ON_THE_MAP)


def _is_more_than_topic(reading: _Reading) -> bool:
    """Whether a question in which the map knows a topic without data is about more than that."""
    topics = {noun.folded: topic for noun in reading.nouns if (topic := topic_of(noun.folded))}
    if any(is_unheard_of(topic) for topic in topics.values()):
        return False
    return len([noun for noun in reading.nouns if noun.folded not in topics]) >= _MIN_OTHER_NOUNS


def _is_beside_place(reading: _Reading, opener: Opener) -> bool:
    """`Wie hoch ist die Abgabe?`: what is asked for at a place elsewhere, about something that is none."""
    words = [part for part in reading.parts if isinstance(part, Word)]
    subjects = [word for word in reading.content if not word.folded.isdigit()]
    if reading.is_here or Role.PARCEL in reading.roles or not subjects:
        return False
    duty = words[0].folded in _DUTIES  # Muss ich eine Erdwärmesonde bewilligen lassen?
    if not (duty or opener in {Opener.FACT, Opener.LIST}) or any(
        w.folded.startswith(_HOW_DEEP) for w in words
    ):
        return False
    if any(spot_in_place(clause) for clause in reading.clauses):
        return False
    return not any(set(word.folded.split()) & _LIES for word in words)


def _is_beside_map(reading: _Reading, opener: Opener, *, asks: bool) -> bool:
    """Whether the words that the map has understood are only some of a question."""
    if reading.is_here or (Role.PARCEL in reading.roles and len(reading.content) <= _FEW_WORDS):
        return False
    match opener:
        case Opener.FACT | Opener.NORM:
            return True
        case Opener.LIST:
            themed = any(is_theme(word.folded) for word in reading.content)
            return len(reading.content) > _FEW_WORDS or not themed
        case Opener.WHERE:
            return _ends_in_verb(reading)
        case Opener.STATE:
            takes_away = {Intent.CLEAR_MAP, *OF_LOADED_LAYERS}
            many = len(reading.content) > _FEW_WORDS
            return many or any(wish.intent in takes_away for wish in reading.wishes)
        case Opener.NONE:
            return asks and _begins_with_verb(reading)


def _ends_in_verb(reading: _Reading) -> bool:
    """`Wo sind Bohrungen verboten`: something is said of what is looked for."""
    words = [part for part in reading.parts if isinstance(part, Word)]
    if not any(word.is_capitalised for word in words[1:]):
        return False
    return words[-1].role is None and not words[-1].is_capitalised and words[-1].folded.isalpha()


def _begins_with_verb(reading: _Reading) -> bool:
    """`Kommt ein Verbot`: a word that nobody knows, before an article or a preposition."""
    first, second = (*reading.parts[:2], None, None)[:2]
    unknown = isinstance(first, Word) and first.role is None and not is_theme(first.folded)
    small = isinstance(second, Word) and second.role in {Role.FUNCTION, Role.FILLER}
    return unknown and small and len(reading.nouns) >= 1
