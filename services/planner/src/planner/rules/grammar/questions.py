"""Whether a sentence asks about documents: about rules, costs, dates and decisions, not about the map.

The grammar of the map goes first: what it understands for certain stays its own. A question that it does not
understand, or of which it knows a single word only, is one for the documents.
"""

from collections.abc import Sequence

from contracts.intents import OF_LOADED_LAYERS, Intent
from contracts.session import Session
from contracts.tools import ToolDescriptor

from planner.rules.grammar.counting import UNITS
from planner.rules.grammar.intents import wishes_of
from planner.rules.grammar.openers import Opener, is_request
from planner.rules.grammar.parts import Mention, Word
from planner.rules.grammar.targets import spot_in_place
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import Wish, clarify
from planner.rules.reading.lexicon import ACTIONS, Role
from planner.rules.reading.topics import topic_of
from planner.rules.references.addresses import Address
from planner.rules.references.layers import is_layer
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_ON_THE_MAP = frozenset({Role.BACKGROUND, Role.AERIAL, Role.LOADED, Role.WHERE, Role.LOAD})
_ONLY_MAP = _ON_THE_MAP | {Role.HELP, Role.PLAN, Role.EXTRACT, Role.GEOTHERMAL, Role.PARCEL}
_AT_PLACE = frozenset({Role.OEREB, Role.PLAN, Role.EXTRACT, Role.GEOTHERMAL, Role.HEIGHT, Role.ASKED})
_HERE = frozenset({"hier", "dort", "hierhin", "dorthin", "egrid"})
_ABOUT_IT = frozenset({"dazu", "darueber", "hierzu"})
_DUTIES = frozenset({"muss", "muessen", "brauche", "brauchen", "braucht"})
_LIES = frozenset({"liegt", "liegen", "gelegen", "steht", "meter"})
_UNANSWERED = frozenset({"unclear", "no_data", "which_extract", "left_alone", "never_mind"})
"""What the map says without knowing what a question is about."""
_OF_THE_MAP = frozenset(
    {
        *(OF_LOADED_LAYERS - {Intent.SHOW_LAYER, Intent.HIDE_LAYER, Intent.REMOVE_LAYER}),
        *(Intent.UNDO, Intent.REMOVE_MARKERS, Intent.ZOOM_TO_LAYER),
        *(Intent.IDENTIFY, Intent.QUERY_FEATURES, Intent.MEASURE_DISTANCE),
    }
)
"""What is never said by chance."""
_UNCLEAR = clarify("unclear")
_HOW_DEEP = "wie tief"
_FEW_WORDS = 2
"""A question for a layer names it, and perhaps one more of its properties."""


def is_question(sentence: Utterance, session: Session, tools: Sequence[ToolDescriptor]) -> bool:
    """Whether a sentence with a subject of its own is a question that documents may answer."""
    opener, of_documents = sentence.opener, Role.DOCUMENT in sentence.roles
    if opener is Opener.NONE and (not sentence.asks or is_request(sentence.parts)):
        return False
    nouns = [noun for noun in sentence.nouns if not noun.is_place]
    if all(noun.folded.isdigit() or noun.folded in UNITS for noun in nouns) and not of_documents:
        return False
    wishes = _wishes(sentence, session, tools)
    many = len([noun for noun in nouns if not topic_of(noun.folded)]) >= _FEW_WORDS
    # Bis wann hat die Sammelstelle am Samstag offen?
    of_life = many and opener in {Opener.FACT, Opener.NORM}
    on_the_map = _ON_THE_MAP - {Role.LOADED, Role.LOAD} if of_life else _ON_THE_MAP
    if any(map(_speaks_of_map, wishes)) or _has(sentence, on_the_map) or _orders(sentence):
        return False
    if of_documents or all(wish == _UNCLEAR for wish in wishes):
        return True
    if _names_spot(sentence):
        return False
    if all(wish.is_guess or wish == _UNCLEAR for wish in wishes):
        return opener is not Opener.NONE or len(nouns) >= _FEW_WORDS
    if any(wish.text == "no_data" for wish in wishes):
        if opener is Opener.FACT and _says(sentence, _DUTIES):
            return True  # Was muss ich bei einem Pool beachten?
        return many
    if sentence.roles & _AT_PLACE and all(wish.intent != Intent.LOAD_LAYER for wish in wishes):
        return _is_beside_place(sentence)
    return _is_beside_map(sentence)


def asks_of_told(
    sentence: Utterance, told: Utterance, session: Session, tools: Sequence[ToolDescriptor]
) -> bool:
    """`Unser Nachbar fällt die Hecke. Darf er das?`, `Ich schreibe über Radon. Was habt ihr dazu?`: its
    subject stands in what was told before."""
    if not sentence.asks or is_request(sentence.parts) or told.asks or _orders(told):
        return False
    if any(isinstance(part, Mention) for part in (*told.parts, *sentence.parts)):
        return False
    if any(_has(each, _ONLY_MAP) or _says(each, _HERE) for each in (told, sentence)):
        return False
    wishes = [*_wishes(told, session, tools), *_wishes(sentence, session, tools)]
    enough = 1 if _says(sentence, _ABOUT_IT) else _FEW_WORDS
    return len(told.nouns) >= enough and all(wish.is_guess or wish == _UNCLEAR for wish in wishes)


def wants_map(sentence: Utterance, session: Session, tools: Sequence[ToolDescriptor]) -> bool:
    """Whether a sentence has words that only fit the map, whatever was talked about before."""
    if any(wish.intent in _OF_THE_MAP for wish in _wishes(sentence, session, tools)):
        return True
    lies = Role.HEIGHT in sentence.roles and _says(sentence, _LIES)
    orders = _orders(sentence) and Role.DOCUMENT not in sentence.roles
    return lies or orders or _says(sentence, _HERE) or _has(sentence, _ONLY_MAP)


def is_of_map(sentence: Utterance, session: Session, tools: Sequence[ToolDescriptor]) -> bool:
    """Whether a layer is asked, not the extract of a parcel, although that speaks of the same."""
    asks = sentence.asks or sentence.opener is not Opener.NONE
    wishes = _wishes(sentence, session, tools) if asks else ()
    return any(
        wish.intent == Intent.IDENTIFY
        or (wish.intent == Intent.QUERY_FEATURES and (len(wish.args) > 1 or _is_in_town(wish, session)))
        for wish in wishes
    )


def _is_in_town(wish: Wish, session: Session) -> bool:
    """`Welche Gebäude sind dort geschützt?`, where no parcel and no point has been selected."""
    spots = ({"x", "egrid"} & item.bindings().keys() for item in session.selections)
    return wish.target is None and session.view is None and not any(spots)


def _wishes(sentence: Utterance, session: Session, tools: Sequence[ToolDescriptor]) -> tuple[Wish, ...]:
    return tuple(wish for clause in sentence.spoken for wish in wishes_of(clause, session, tools))


def _speaks_of_map(wish: Wish) -> bool:
    """A tool that others bring, what only a layer answers, or an answer in words."""
    return (
        wish.tool is not None or wish.intent in _OF_THE_MAP or (wish.is_talk and wish.text not in _UNANSWERED)
    )


def _orders(sentence: Utterance) -> bool:
    return sentence.opener is Opener.NONE and bool(sentence.roles & ACTIONS)


def _has(sentence: Utterance, roles: frozenset[Role]) -> bool:
    """Whether it has words with one of these roles, or names a layer where no document is meant."""
    layer = sentence.names_layer and Role.DOCUMENT not in sentence.roles
    return layer or bool(sentence.roles & roles)


def _names_spot(sentence: Utterance) -> bool:
    """A parcel, a coordinate, a house: more than the name of a place or a street."""
    named = [part.what for part in sentence.parts if isinstance(part, Mention)]
    vague = (
        isinstance(what, Place)
        or (isinstance(what, Address) and not what.house_number)
        or (isinstance(what, Parcel) and not what.number)
        for what in named
    )
    return not all(vague)


def _says(sentence: Utterance, words: frozenset[str]) -> bool:
    return any(not words.isdisjoint(word.folded.split()) for word in sentence.words)


def _is_beside_place(sentence: Utterance) -> bool:
    """`Wie hoch ist die Abgabe?`: what is asked for at a place elsewhere, about something that is none."""
    duty = sentence.words[0].folded in _DUTIES  # Muss ich eine Erdwärmesonde bewilligen lassen?
    if not sentence.content or not (duty or sentence.opener in {Opener.FACT, Opener.LIST}):
        return False
    deep = any(word.folded.startswith(_HOW_DEEP) for word in sentence.words)
    return not (deep or _says(sentence, _HERE | _LIES) or any(map(spot_in_place, sentence.spoken)))


def _is_beside_map(sentence: Utterance) -> bool:
    """Whether the words that the map has understood are only some of a question."""
    many = len(sentence.content) > _FEW_WORDS
    if _says(sentence, _HERE) or (Role.PARCEL in sentence.roles and not many):
        return False
    match sentence.opener:
        case Opener.FACT | Opener.NORM:
            return True
        case Opener.LIST:
            aspect = any(noun.is_aspect for noun in sentence.nouns)  # Welche Frist gilt für die Schutzzonen?
            themed = Role.GEOTHERMAL in sentence.roles or any(is_layer(w.folded) for w in sentence.content)
            return many or aspect or not themed
        case Opener.STATE | Opener.NONE:
            return many
        case Opener.WHERE:
            return _ends_in_verb(sentence.words)


def _ends_in_verb(words: Sequence[Word]) -> bool:
    """`Wo sind Bohrungen verboten`: something is said of what is looked for."""
    named = any(word.is_noun for word in words[1:])
    return named and words[-1].role is None and not words[-1].is_noun and words[-1].folded.isalpha()
