"""Messages about layers, or the background, that were talked about before: `weg damit`, `das andere auch`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contracts.intents import OF_LOADED_LAYERS, Background, Intent
from contracts.session import Session

from planner.rules.grammar.arranging import arranged, says_how, shines_through, zoomed
from planner.rules.grammar.clause import TALK, Clause
from planner.rules.grammar.loaded import (
    BOTH,
    OTHER,
    change_in,
    gives_up,
    is_loaded,
    loaded_as,
    name_in,
    title_of,
)
from planner.rules.grammar.messages import wishes_in
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.utterance import utterance_of
from planner.rules.grammar.wishes import Wish
from planner.rules.planning.past import Past
from planner.rules.reading.lexicon import ACTIONS, GLUE, Role

_ABOUT_LAYERS = OF_LOADED_LAYERS | {Intent.LOAD_LAYER, Intent.CLEAR_MAP}
_VERBS = frozenset(
    {Role.REMOVE, Role.HIDE, Role.UNHIDE, Role.LOAD, Role.SHOW, Role.CHANGE, Role.CREATE, Role.CHOOSE}
)
ONE = frozenset({"ihn", "den", "das", "es", "damit"})
"""What stands for one thing."""
_ALSO = frozenset({"auch", "ebenfalls"})
_PAIR = 2
_PERCENT_DIGITS = 3
_THOSE = frozenset({"die", "den", "das", "sie", "ihn", "es", "diese", "diesen", "dieses", "layer", "karte"})
_ONCE_MORE = frozenset({"wieder", "nochmals", "nochmal", "erneut", "noch einmal"})
_SEVERAL = frozenset({"alle", "alles", "layers", "layern", "karten", "ebenen"})
_CORRECTIONS = frozenset({Role.CORRECTION, Role.NO})


def layers_after(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """What is to be done to them; empty where they are meant and the message tells by itself which; None if
    they are not meant."""
    if not clauses:
        return None
    if other := _other_opacity(clauses, past):
        return other
    if len(clauses) == 1 and (wishes := _arranged_last(clauses[0], past)):
        return wishes
    if intent := _done_to_it(clauses):
        return _background_again(intent, past) or _to_last_layers(intent, clauses, past) or ()
    return _done_to_another(clauses, past) or _done_first(clauses, past)


def _done_to_it(clauses: Sequence[Clause]) -> Intent | None:
    """`weg damit`, `blende sie wieder ein`, `lade es nochmals`: the layers are those of a message before."""
    roles = frozenset(role for clause in clauses for role in clause.roles)
    unnamed = not any(clause.content or clause.mentions for clause in clauses)
    words = {word.folded for clause in clauses for word in clause.words}
    more = {Role.LAYER, Role.HERE, Role.AGAIN} | ({Role.EVERYTHING} if words & BOTH else set())
    if not unnamed or not roles <= GLUE | TALK | _VERBS | more or (words & _SEVERAL and not words & BOTH):
        return None
    again = Intent.LOAD_LAYER if Role.LOAD in roles and words & _ONCE_MORE else None
    return next(filter(None, map(change_in, clauses)), again)


def _done_first(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """`Die brauche ich nicht mehr, dafür die Geotope`: first those of a message before, then what is new."""
    first, rest = clauses[:1], clauses[1:]
    given_up = first and _gives_up_those(first[0], past)
    intent = Intent.REMOVE_LAYER if given_up else _done_to_it(first) if rest else None
    if intent not in (Intent.REMOVE_LAYER, Intent.HIDE_LAYER) or not past.session.layers:
        return None
    last = _to_last_layers(intent, first, past) or (Wish(intent, args={"name": ""}),)
    return (*last, *(wishes_in(rest, past.session, past.tools) if rest else ()))


def _gives_up_those(clause: Clause, past: Past) -> bool:
    """`Die brauchts nicht mehr`, right after something was done to layers; to an offer it is a refusal."""
    unnamed = not clause.content and not clause.mentions and not clause.roles & ACTIONS
    said = {word.folded for word in clause.words}
    if past.session.choices or not (unnamed and gives_up(clause) and said & _THOSE):
        return False
    return any(wish.intent in _ABOUT_LAYERS for wish in past.last)


def _background_again(intent: Intent, past: Past) -> Wishes | None:
    """`Doch wieder ein`, after the background was taken away."""
    if intent != Intent.SHOW_LAYER or not any(
        wish.args.get("background") == Background.NONE for wish in past.last
    ):
        return None
    shown = past.latest(lambda wish: wish.args.get("background", Background.NONE) != Background.NONE)
    return tuple(wish for wish in shown if wish.intent == Intent.SET_BACKGROUND) or None


def _other_opacity(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """`Nein, lieber 30 %` after `Karst 50 % durchsichtig`: of what shines through, as it was said before."""
    if not any(clause.roles & _CORRECTIONS for clause in clauses):
        return None
    words = [word for clause in clauses for word in clause.content if not says_how(word)]
    numbers = [int(word.text) for word in words if word.text.isdigit() and len(word.text) <= _PERCENT_DIGITS]
    if len(numbers) != 1 or len(words) > 1 or any(clause.mentions for clause in clauses):
        return None
    before = [wish for wish in past.last if "opacity" in wish.args]
    said_before = [part for part in utterance_of(past.last_text).words if shines_through(part)]
    share = min(numbers[0], 100) / 100
    opacity = round(1 - share if said_before else share, 2)
    return tuple(
        Wish(Intent.SET_LAYER_OPACITY, args={"name": wish.query, **wish.args, "opacity": opacity})
        for wish in before
    )


def _done_to_another(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """`Und den Karst auch`, after the forest was hidden."""
    clause = clauses[0]
    also = any(word.folded in _ALSO for word in clause.words) and clause.roles <= GLUE and not clause.mentions
    name = name_in(clause, past.session) if also and past.session.layers else ""
    if len(clauses) > 1 or name in ("", "*") or not is_loaded(name, past.session):
        return None
    before = [wish for wish in past.last if wish.intent in OF_LOADED_LAYERS]
    return tuple(replace(wish, args={**_unspared(wish), "name": name}) for wish in before[-1:]) or None


def _unspared(wish: Wish) -> dict[str, Any]:
    return {name: value for name, value in wish.args.items() if name != "except"}


def _to_last_layers(intent: Intent, clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """None when the loaded layers leave no doubt, or the messages no hint."""
    loaded = len(past.session.layers)
    latest = past.latest(lambda wish: wish.intent in _ABOUT_LAYERS)
    takes = intent in (Intent.REMOVE_LAYER, Intent.HIDE_LAYER)
    if (loaded == 1 and intent != Intent.LOAD_LAYER) or (takes and (not loaded or _takes_off(latest))):
        return None
    words = {word.folded for clause in clauses for word in clause.words}
    named = past.latest(_names_layers, many=2 if words & BOTH else 1)
    if words & OTHER:
        return tuple(Wish(intent, args={"name": name}) for name in _other_than(named, past.session)) or None
    wishes = tuple(_once_more(intent, wish, past.session) for wish in named if _names_layers(wish))
    return (wishes[-1:] if words & ONE else wishes) or None


def _arranged_last(clause: Clause, past: Past) -> Wishes | None:
    """`mach sie durchsichtiger`, `zoom auf den Layer`: of several layers those of a message before."""
    rules = (arranged, zoomed)
    found = next((wishes for rule in rules if (wishes := rule(clause, past.session))), ())
    unnamed = all(wish.args.get("name") == "" or wish.text == "which_layer" for wish in found)
    if not found or not unnamed or len(past.session.layers) < 2:
        return None
    both = any(word.folded in BOTH for word in clause.words)
    latest = [wish for wish in past.latest(_names_layers, many=2 if both else 1) if _names_layers(wish)]
    names = [str(wish.args.get("name") or wish.query) for wish in latest if wish.args.get("name") != "*"]
    last = [name for name in names if is_loaded(name, past.session)][0 if both else -1 :]
    if any(word.folded in OTHER for word in clause.words):
        last = _other_than(latest, past.session)
    called = [title_of(name, past.session) for name in last]
    every = [rule(clause, past.session, name) for name in called for rule in rules]
    return tuple(wish for wishes in every for wish in wishes or ()) or None


def _other_than(wishes: Wishes | Sequence[Wish], session: Session) -> list[str]:
    """`Das andere`: of two layers the one that was not talked about last."""
    names = [str(wish.args.get("name") or wish.query) for wish in wishes if _names_layers(wish)][-1:]
    known = {layer.id for name in names for layer in loaded_as(name, session)}
    others = [layer.label for layer in session.layers if layer.id not in known]
    return others if known and len(session.layers) == _PAIR else []


def _takes_off(wishes: Wishes) -> bool:
    return not any(wish.intent == Intent.LOAD_LAYER for wish in wishes) and any(
        wish.intent in (Intent.REMOVE_LAYER, Intent.CLEAR_MAP) for wish in wishes
    )


def _once_more(intent: Intent, wish: Wish, session: Session) -> Wish:
    """What was done to a layer becomes something else that is done to it; what is gone is loaded."""
    args = {"name": wish.query, **wish.args}
    if intent != Intent.SET_LAYER_OPACITY:
        args.pop("opacity", None)
    name = str(args["name"])
    shown = intent == Intent.SHOW_LAYER and is_loaded(name, session)
    if intent in (Intent.LOAD_LAYER, Intent.SHOW_LAYER) and not shown and name != "*":
        return Wish(Intent.LOAD_LAYER, query=name)
    return Wish(intent, args={**args, "name": title_of(name, session)})


def _names_layers(wish: Wish) -> bool:
    named = wish.query if wish.intent == Intent.LOAD_LAYER else wish.args.get("name")
    return wish.intent in _ABOUT_LAYERS and bool(named)
