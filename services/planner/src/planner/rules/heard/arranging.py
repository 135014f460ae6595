"""What is done to layers that are on the map, and to the map as a whole."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from contracts.actions import MAX_UNDO_STEPS
from contracts.intents import OF_NEW_LAYERS, Intent
from contracts.session import LoadedLayer

from planner.rules.grammar.arranging import says_how
from planner.rules.grammar.clause import Clause
from planner.rules.grammar.intents import LEGENDS
from planner.rules.grammar.loaded import loaded_as
from planner.rules.grammar.parts import Word
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.utterance import utterance_of
from planner.rules.grammar.wishes import Wish, clarify, load
from planner.rules.heard.background import background_again
from planner.rules.heard.given import Given, Maker
from planner.rules.heard.layers import layers_meant
from planner.rules.heard.loading import TAKES_OFF, topics_in
from planner.rules.heard.meant import (
    both_before,
    called_in,
    group_before,
    meant_layers,
    named_last,
    other_layers,
    pointed_layers,
    says_both,
    says_rest,
    without_names,
)
from planner.rules.heard.opacity import is_how, opacity_in, says_opacity, says_value
from planner.rules.heard.order import is_swap, moves_in, says_order
from planner.rules.heard.positions import Layers, aged, lying
from planner.rules.reading.lexicon import Role
from planner.rules.references.layers import title_called

_NUMBERS = {"zwei": 2, "beiden": 2, "beide": 2, "zweimal": 2, "drei": 3, "dreimal": 3, "vier": 4, "fuenf": 5}
_MAX_DIGITS = 2
_EXPLAINED = LEGENDS | {"farbe", "farben", "signatur", "signaturen", "bedeutet", "heisst"}
_DETERMINERS = frozenset(
    {"der", "die", "das", "den", "dem", "mein", "meine", "meinen", "d", "dr", "s", "le", "la", "les"}
    | {"il", "lo", "i", "gli", "the", "my"}
)
_ON_MAPS = frozenset(
    {"flaeche", "flaechen", "farbe", "farben", "linie", "linien", "punkt", "punkte", "zone", "zonen", "zeug"}
)
_OF_ANY = frozenset({"farbe", "farben", "zeug"})
"""What every layer has."""
_ZOOMS = ("zoom", "ausdehnung", "ganz", "gesamt")
_ROLES: Mapping[str, frozenset[Role]] = {
    Intent.HIDE_LAYER: frozenset({Role.HIDE}),
    Intent.SHOW_LAYER: frozenset({Role.UNHIDE, Role.SHOW}),
    Intent.REMOVE_LAYER: frozenset({Role.REMOVE}),
}
_DESCRIBED = 0.5
"""So probable has to be what is meant by what it shows."""
_SAID = _ROLES.keys() | {
    Intent.SET_LAYER_OPACITY,
    Intent.MOVE_LAYER,
    Intent.SHOW_LEGEND,
    Intent.ZOOM_TO_LAYER,
}
"""What a clause can say by itself."""


def _says(intent: str, clause: Clause) -> bool:
    """Whether it is this clause that wants it: `… und die Denkmäler etwas zarter` of the opacity."""
    match intent:
        case Intent.SET_LAYER_OPACITY:
            return says_opacity(clause)
        case Intent.MOVE_LAYER:
            return says_order(clause)
        case Intent.SHOW_LEGEND:
            return bool(clause.said & _EXPLAINED)
        case Intent.ZOOM_TO_LAYER:
            return any(word.startswith(_ZOOMS) for word in clause.said)
    return bool(clause.own_roles & _ROLES[intent])


def _meant(intent: str, given: Given, among: Layers) -> Layers:
    """The layers that are named beside what is to be done, or else anywhere; or else what is described."""
    clauses = given.said.clauses
    saying = tuple(clause for clause in clauses if _says(intent, clause)) if len(given.wanted) > 1 else ()
    found = meant_layers(saying, among) if saying else ()
    others = given.wanted & _SAID - {intent}
    left = [clause for clause in clauses if not any(_says(other, clause) for other in others)]
    found = found or meant_layers(left, among) or aged(left, among)
    found = found or (lying(left, among) if intent != Intent.MOVE_LAYER else ())
    found = given.concerned.without_unlikely(intent, found)
    return found or (given.concerned.by(intent, among, least=_DESCRIBED) if _describes(intent, given) else ())


def _describes(intent: str, given: Given) -> bool:
    """Whether one may be meant by what it shows: `die Frösche`; of the only one not `den Fussball weg`."""
    if group_before(given.past) or (intent in OF_NEW_LAYERS and Intent.LOAD_LAYER in given.wanted):
        return False
    several = len(given.past.session.layers) > 1
    said = (word for word in given.said.words if word.is_content and not says_how(word))
    return (several or intent not in TAKES_OFF) and any(word.folded not in _OF_ANY for word in said)


def _pointed(intent: str, given: Given, among: Layers) -> Layers:
    """What is meant where nothing that is loaded is named; nothing where something else is."""
    several = len(among) > 1 and group_before(given.past)
    return () if several or _unknown(intent, given) else pointed_layers(given.said, given.past, among)


def _coming(given: Given) -> Layers:
    """The layer that the same message loads last: `Lade die Drainagen und leg sie ganz nach unten`."""
    topics = [*topics_in(given.said)][-1:] if Intent.LOAD_LAYER in given.wanted else []
    return tuple(LoadedLayer(id=topic, label=topic) for topic in topics)


def _unknown(intent: str, given: Given) -> str:
    """What is named, or meant, but is none of the loaded layers: another one, or a thing: `den Fussball`."""
    if Intent.LOAD_LAYER in given.wanted:
        return ""
    read = (str(wish.args.get("name", "")) for wish in given.read if wish.intent == intent)
    called = (each for each in (*topics_in(given.said), *read) if title_called(each))
    saying = (clause for clause in given.said.clauses if _says(intent, clause))
    alone = len(given.past.session.layers) == 1
    things = (word.text for clause in saying for word in _things_in(clause, told=alone))
    named = (*called, *layers_meant(given.said.parts), *things)
    return next((each for each in named if not loaded_as(each, given.past.session)), "")


def _things_in(clause: Clause, *, told: bool) -> Iterator[Word]:
    """Nouns that are no general word for what is on a map; `told`: only those that are told as known."""
    for before, word in pairwise((Word(""), *clause.words)):
        known = before.folded in _DETERMINERS or not told
        says = says_how(word) or is_how(word.folded) or is_swap(word.folded) or word.folded in _ON_MAPS
        if known and word.is_content and word.is_noun and not says:
            yield word


def _changed(intent: str, given: Given) -> Wishes:
    layers = given.past.session.layers
    visible = intent != Intent.SHOW_LAYER
    among = tuple(layer for layer in layers if layer.visible is visible) or layers
    if intent == Intent.SHOW_LAYER and (gone := _gone(given)):
        return (load(gone),)
    if not layers:
        return background_again(given.past) if intent == Intent.SHOW_LAYER else ()
    chosen = _chosen(intent, given, among)
    if chosen is None:
        unknown = _unknown(intent, given)
        if not unknown and Intent.LOAD_LAYER in given.wanted:
            return ()
        return (Wish(intent, args={"name": unknown or group_before(given.past)}),)
    if len(chosen) == len(layers) > 1:
        return (Wish(intent, args={"name": "*"}),)
    return tuple(Wish(intent, args={"name": layer.label}) for layer in chosen)


def _gone(given: Given) -> str:
    """`Doch wieder einblenden`: what was talked about last, if it is not loaded any more."""
    named = meant_layers(given.said.clauses, given.past.session.layers)
    last = "" if named else named_last(given.past)
    return "" if last and loaded_as(last, given.past.session) else last


def _chosen(intent: str, given: Given, among: Layers) -> Layers | None:
    """What is named, or all but that: `nur Sturz`, `Bodentyp lassen, sonst nichts`; None if unclear."""
    clauses = given.said.clauses
    visible = intent != Intent.SHOW_LAYER
    kept: Layers = ()
    cut = _meant(intent, given, among)
    if visible:
        kept, cut = called_in(clauses, among, kept=True), called_in(clauses, among, kept=False)
        cut = cut if len(given.wanted) == 1 and (cut or kept) else _meant(intent, given, among)
    unnamed = not (set(cut) - set(kept) or _unknown(intent, given))
    if kept and (says_rest(clauses) or unnamed):
        return other_layers(kept, among) or cut or None
    every = Role.EVERYTHING in given.said.roles or says_both(clauses)
    if every and not meant_layers(clauses, among):
        two = () if Role.EVERYTHING in given.said.roles else both_before(given.past, among)
        return two or other_layers(kept, among)
    if cut:
        return tuple(layer for layer in cut if layer not in kept)
    if every:
        return among
    if not visible and len(among) == 1:
        return among
    return _pointed(intent, given, among) or None


def _fades(intent: str, given: Given) -> Wishes:
    layers, said = given.past.session.layers, given.said.clauses
    every = says_both(said) or Role.EVERYTHING in given.said.roles
    kept = called_in(said, layers, kept=True) if every else ()
    if every and not (kept or meant_layers(said, layers)) and len(layers) > 1:
        opacity = opacity_in(said, layers[-1].opacity)
        return (clarify("how_opaque"),) if opacity is None else (_faded(intent, "*", opacity),)
    named = other_layers(kept, layers) if kept else _meant(intent, given, layers)
    if not named and Intent.LOAD_LAYER in given.wanted:
        ready = tuple(w for w in given.read if w.intent == Intent.LOAD_LAYER and "opacity" in w.args)
        if ready:
            return ready
        opacity = opacity_in(said, 1.0)
        topics = [*topics_in(given.said)][-1:] if opacity is not None else ()
        return tuple(_faded(intent, topic, opacity) for topic in topics)
    named = named or _pointed(intent, given, layers)
    if not named:
        name = _unknown(intent, given)
        return (_faded(intent, name, opacity_in(said, 1.0)),) if layers or name else ()
    before = _said_before(given)
    values = {layer: opacity_in((*before, *_said_of(layer, given, named)), layer.opacity) for layer in named}
    if all(value is None for value in values.values()):
        return (clarify("how_opaque"),)
    return tuple(_faded(intent, layer.label, value) for layer, value in values.items())


def _said_before(given: Given) -> Sequence[Clause]:
    """`Wald 50 % durchsichtig. – Lieber 30`: a value alone is of what was told before."""
    if any(is_how(word.folded) for word in given.said.words) or not says_value(given.said.clauses):
        return ()
    return tuple(clause for clause in utterance_of(given.past.last_text).clauses if says_opacity(clause))


def _said_of(layer: LoadedLayer, given: Given, named: Layers) -> Sequence[Clause]:
    """Of several layers that are named each is as opaque as its own clause says; names say nothing of it."""
    said, layers = given.said.clauses, given.past.session.layers
    own = tuple(clause for clause in said if layer in meant_layers((clause,), layers))
    several = len({*named, *meant_layers(said, layers)}) > 1
    return without_names(own if several and any(map(says_opacity, own)) else said, layers)


def _faded(intent: str, name: str, opacity: float | None) -> Wish:
    return Wish(intent, args={"name": name, "opacity": opacity})


def _moves(intent: str, given: Given) -> Wishes:
    layers = given.past.session.layers
    coming = _coming(given)
    if not (layers or coming):
        return ()
    named = _meant(intent, given, layers) or coming
    if not named and (other := _unknown(intent, given)):
        return (Wish(intent, args={"name": other, "to": "top"}),)
    moved = moves_in(given.said.clauses, named or _pointed(intent, given, layers), layers)
    return moved or (clarify("which_order"),)


def _explains(intent: str, given: Given) -> Wishes:
    layers = given.past.session.layers
    named = _meant(intent, given, layers) or _coming(given) or _pointed(intent, given, layers)
    if not named and layers:
        return (Wish(intent, args={"name": _unknown(intent, given)}),)
    return tuple(Wish(intent, args={"name": layer.label}) for layer in named)


def _zooms(intent: str, given: Given) -> Wishes:
    layers = given.past.session.layers
    named = _meant(intent, given, layers) or _pointed(intent, given, layers)
    if not named:  # one that is not loaded has an extent, too
        return tuple(Wish(intent, query=topic) for topic in [*topics_in(given.said)][:1])
    return tuple(Wish(intent, query=layer.label) for layer in named[:1])


def _undone(intent: str, given: Given) -> Wishes:
    """`Und nochmals zwei`"""
    said = [word.folded for word in given.said.words]
    steps = next((int(word) if word.isdigit() else _NUMBERS[word] for word in said if _counts(word)), 1)
    return (Wish(intent, args={"steps": min(steps, MAX_UNDO_STEPS)}),)


def _counts(word: str) -> bool:
    return word in _NUMBERS or (word.isdigit() and len(word) <= _MAX_DIGITS)


def _cleared(intent: str, given: Given) -> Wishes:
    """All, but for what is to stay."""
    stays = called_in(given.said.clauses, given.past.session.layers, kept=True)
    return _changed(Intent.REMOVE_LAYER, given) if stays else (Wish(intent),)


def _plainly(intent: str, given: Given) -> Wishes:
    return (Wish(intent),)


ARRANGING: Mapping[str, Maker] = {
    **dict.fromkeys((Intent.HIDE_LAYER, Intent.SHOW_LAYER, Intent.REMOVE_LAYER), _changed),
    Intent.CLEAR_MAP: _cleared,
    Intent.REMOVE_MARKERS: _plainly,
    Intent.SET_LAYER_OPACITY: _fades,
    Intent.MOVE_LAYER: _moves,
    Intent.SHOW_LEGEND: _explains,
    Intent.ZOOM_TO_LAYER: _zooms,
    Intent.UNDO: _undone,
}
