"""Rules for clauses that need no tool: the map itself, and talk."""

from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from typing import Final

from contracts.intents import Background, Intent
from contracts.session import Session
from german.fold import fold

from planner.rules.grammar.clause import TALK, Clause
from planner.rules.grammar.loaded import BOTH, gives_up
from planner.rules.grammar.openers import Opener, opener_of
from planner.rules.grammar.targets import target_of, visits
from planner.rules.grammar.wishes import Wish, answer, clarify
from planner.rules.reading.lexicon import ACTIONS, CONCEPTS, GLUE, Role
from planner.rules.reading.tables import table
from planner.rules.reading.topics import is_about_machine, is_rude, is_theme

_EXPLAINS = ("erklaer", "erlaeuter")
_EXPLAINED: dict[Role, Intent] = {
    Role.OEREB: Intent.OEREB_EXTRACT,
    Role.PLAN: Intent.CADASTRAL_PLAN,
    Role.GEOTHERMAL: Intent.GEOTHERMAL_PROBE_ASSESSMENT,
    Role.REGISTER: Intent.SHOW_PARCEL,
}
_ASKS_WHEN_AND_WHO = frozenset({"wann", "wer", "woher", "warum", "wieso", "weshalb"})
_BACKGROUNDS: dict[Role, Background] = {
    Role.AERIAL: Background.AERIAL,
    Role.COLOUR: Background.COLOR,
    Role.GREY: Background.GREY,
}
_PUTS: Final = frozenset(table("words.toml")["arranging"]["moves"].split())
_BELOW: Final = frozenset(table("words.toml")["background"]["below"].split())
_AWAY = frozenset({Role.REMOVE, Role.HIDE, Role.NONE})
_HOW = "wie"
_WHO = frozenset({"ich", "man", "mir"})
_GETS: Final = frozenset(table("words.toml")["helping"]["gets"].split())
_AROUND_ABILITIES = GLUE | TALK | {None, Role.QUESTION, Role.EVERYTHING, Role.LIST, Role.HERE}
_CAN = frozenset({"kannst", "koennt", "kann", "koennen", "koenntest"})
_WHAT = frozenset({"was", "wobei", "womit", "wofuer", "welche"})
_YOU = frozenset({"ich", "du", "sie", "ihr", "man", "bot", "ki", "assistent", "chatbot"})
_ALSO = "auch"
_PLEASE = "bitte"
_PLURALS = ("auszuege", "plaene")
"""What is made of one parcel at a time: who says several asks whether it can be done."""
_ZOOMS: Final = frozenset(table("words.toml")["zooming"]["verbs"].split())
_DIRECTIONS: Final = frozenset(table("words.toml")["zooming"]["directions"].split())
_TRAVELS: Final = tuple(table("topics.toml")["travels"])
_CANCELS = frozenset({"annulliere", "annullieren", "annullier"})
_REFUSALS = frozenset({Role.NO, Role.NONE, Role.NOT})
_KNOWS: Final = frozenset(table("words.toml")["helping"]["knows"].split())
_YOURS = frozenset({"dein", "deine", "deiner", "deinen", "deinem", "dich"})
_POLITE = frozenset({Role.GREETING, Role.THANKS, Role.BYE, Role.CLOSING})
_CHATTED = GLUE | TALK | {Role.EVERYTHING, Role.LIST}
_MAX_UNKNOWN_WORDS = 2
_MAX_KIND_WORDS = 8
_TALK: tuple[tuple[Role, str], ...] = (
    (Role.HELP, "abilities"),
    (Role.BYE, "goodbye"),
    (Role.CLOSING, "goodbye"),
    (Role.GREETING, "greeting"),
    (Role.THANKS, "welcome"),
)


def manipulation(clause: Clause) -> tuple[Wish, ...] | None:
    talks_of_machine = any(is_about_machine(w.folded) for w in clause.content)
    return (clarify("only_maps"),) if talks_of_machine else None


def explanation(clause: Clause) -> tuple[Wish, ...] | None:
    told = any(word.folded.startswith(_EXPLAINS) for word in clause.words[:1])
    if not (told or Role.EXPLAIN in clause.roles) or clause.mentions:
        return None
    intent = next((intent for role, intent in _EXPLAINED.items() if role in clause.roles), None)
    return (answer("explained", intent=intent),) if intent else None


def help_wanted(clause: Clause) -> tuple[Wish, ...] | None:
    """`Hilfe`, `Wie finde ich ein Grundstück?`, `Kannst du auch Auszüge erstellen?`"""
    if clause.mentions or any(w.folded not in _GETS | _WHAT | _CAN for w in clause.content):
        return None
    if Role.HELP in clause.roles or _asks_what_you_can(clause):
        return (answer("welcome" if Role.THANKS in clause.roles else "abilities"),)
    said = [w.folded for w in clause.words if w.folded != _PLEASE]
    things = clause.has_action or clause.roles & CONCEPTS
    how = said[:1] == [_HOW] and not _WHO.isdisjoint(said) and things
    several = _ALSO in said or any(word.endswith(_PLURALS) for word in said)
    whether = not _CAN.isdisjoint(said[:1]) and several
    return (answer("abilities"),) if (how or whether) and Role.HERE not in clause.roles else None


def _asks_what_you_can(clause: Clause) -> bool:
    """`Wobei können Sie mir alles helfen?`, `was du denn so kannst`: what, who, and a verb of being able."""
    others = {word.role for word in clause.words if word.folded not in _GETS} - _AROUND_ABILITIES
    return not others and all(map(clause.said.intersection, (_WHAT, _YOU, _CAN)))


def courtesy(clause: Clause) -> tuple[Wish, ...] | None:
    """`Hallo Leute`, `Super gemacht`, `Du Idiot`: talk with words that nobody knows."""
    if clause.mentions or not clause.roles <= _CHATTED or len(clause.words) > _MAX_KIND_WORDS:
        return None
    if any(is_rude(w.folded) for w in clause.content):
        return (replace(clarify("calm"), is_guess=True),)
    themed = any(is_theme(w.folded) for w in clause.content)
    if themed or not clause.roles & _POLITE or len(clause.content) > _MAX_UNKNOWN_WORDS:
        return None
    return tuple(replace(wish, is_guess=True) for wish in talk_of(clause.roles) or ())


def about_machine(clause: Clause) -> tuple[Wish, ...] | None:
    """`Verstehst du Französisch?`, `Woher kommen deine Daten?`"""
    words = [piece for w in clause.words for piece in w.folded.split()]
    asked = any(verb.endswith("st") and you == "du" for verb, you in pairwise(words) if verb not in _KNOWS)
    themed = any(is_theme(w.folded) for w in clause.content)
    if clause.mentions or themed or clause.roles & (ACTIONS | CONCEPTS) or not (asked or _YOURS & {*words}):
        return None
    return (clarify("no_answer"),) if opener_of(clause.parts) is not Opener.NONE or asked else None


def journey(clause: Clause) -> tuple[Wish, ...] | None:
    """`Wie komme ich nach Olten?`"""
    travels = any(f" {phrase} " in f" {fold(clause.text)} " for phrase in _TRAVELS)
    return (clarify("no_data", topic="routes"),) if travels and target_of(clause) else None


def talk(clause: Clause) -> tuple[Wish, ...] | None:
    if not clause.is_talk:
        return None
    wishes = talk_of(clause.roles)
    if wishes is None and Role.CORRECTION in clause.roles:
        return (clarify("what_instead"),)
    return wishes


def talk_of(roles: Collection[Role]) -> tuple[Wish, ...] | None:
    """What to say to who greets, thanks or takes leave."""
    return next(((answer(text),) for role, text in _TALK if role in roles), None)


def refusal(clause: Clause, session: Session) -> tuple[Wish, ...] | None:
    """`nein`, `doch nicht`, `keine davon`, `abbrechen`, and nothing else; `annulla` of an open choice."""
    if session.choices and not clause.content and not _CANCELS.isdisjoint(clause.said):
        return (answer("never_mind"),)
    others = clause.roles - GLUE - _REFUSALS - {Role.HERE, Role.EVERYTHING, Role.THANKS}
    if others or clause.content or clause.mentions or not clause.roles & _REFUSALS:
        return None
    return (answer("never_mind"),)


def view(clause: Clause) -> tuple[Wish, ...] | None:
    """What nobody can do from here: nearer and farther."""
    if clause.mentions or clause.content or clause.roles & (CONCEPTS | {Role.HERE}):
        return None
    words = {w.folded for w in clause.words if w.role is not Role.FILLER}
    return (clarify("zoom"),) if words & _ZOOMS or (words and words <= _DIRECTIONS) else None


def whereabouts(clause: Clause, session: Session) -> tuple[Wish, ...] | None:
    """`Wo bin ich?`"""
    if Role.WHERE not in clause.roles or clause.content or clause.mentions:
        return None
    place = next((item.label for item in session.selections if item.family == "place"), "")
    return (answer("you_are_at", place=place) if place else clarify("you_are_nowhere"),)


def clear(clause: Clause) -> tuple[Wish, ...] | None:
    roles = clause.roles
    nothing_named = not clause.phrase() and not clause.mentions and not clause.spared
    both = any(word.folded in BOTH for word in clause.words)
    everything = Role.EVERYTHING in roles and Role.LAYER not in roles and not both
    whole_map = any(w.folded == "karte" for w in clause.words) and not roles & _BACKGROUNDS.keys()
    empties = Role.CLEAR in clause.own_roles or (Role.CLEAR in roles and nothing_named)
    if empties and Role.NOT in roles:
        return (answer("left_alone"),)
    if empties or (Role.REMOVE in roles and nothing_named and (everything or whole_map)):
        return (Wish(Intent.CLEAR_MAP),)
    return None


def background(clause: Clause) -> tuple[Wish, ...] | None:
    roles = clause.roles
    named = Role.BACKGROUND in roles or Role.AERIAL in roles
    coloured = bool(roles & _BACKGROUNDS.keys()) and (Role.LAYER in roles or not clause.mentions)
    of_origin = any(word.folded in _ASKS_WHEN_AND_WHO for word in clause.words[:2])
    of_colours = not named and _WHAT.issuperset(word.folded for word in clause.words[:1])
    if of_origin or of_colours or not (named or coloured):
        return None
    named_else = any(word.folded not in _PUTS for word in clause.content)
    if named_else and (not named or roles & {Role.LAYER, Role.LOAD}):
        return None  # a layer that is called so: Orthofoto CIR, farbige Bodenkarte
    unwanted = gives_up(clause)
    if Role.NOT in roles and clause.has_action and not unwanted:
        return (answer("left_alone"),)
    if Role.NOT in roles and Role.AERIAL in roles and Role.LAYER in clause.own_roles:
        # Nicht das Luftbild, sondern die Karte.
        return (Wish(Intent.SET_BACKGROUND, args={"background": Background.COLOR}),)
    unwanted = unwanted or Role.NOT in roles
    off = any(w.folded == "aus" for w in clause.words[-1:]) and opener_of(clause.parts) is Opener.NONE
    below = any(word.folded in _BELOW for word in clause.words)
    away = (clause.own_roles if below else roles) & _AWAY
    none = away and not (Role.LOAD in roles and away == {Role.NONE})
    if none or unwanted or off:
        return (Wish(Intent.SET_BACKGROUND, args={"background": Background.NONE}),)
    values = [_BACKGROUNDS[word.role] for word in clause.words if word.role in _BACKGROUNDS]
    value = values[-1] if values else next((b for role, b in _BACKGROUNDS.items() if role in roles), None)
    if value is None:
        asks = roles & {Role.LIST, Role.QUESTION}
        return (answer("which_background") if asks else clarify("which_background"),)
    themed = any(is_theme(w.folded) for w in clause.content)
    on_it = (Wish(Intent.LOAD_LAYER, query=clause.phrase()),) if themed else ()
    return (*visits(clause), Wish(Intent.SET_BACKGROUND, args={"background": value}), *on_it)
