"""What is done to layers that are on the map, and to the map as a whole."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from contracts.intents import Intent
from contracts.session import LoadedLayer

from planner.rules.grammar.arranging import says_how
from planner.rules.grammar.clause import Clause
from planner.rules.grammar.loaded import loaded_as
from planner.rules.grammar.parts import Word
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.wishes import Wish, clarify
from planner.rules.heard.given import Given, Maker
from planner.rules.heard.layers import layers_meant, loaded_meant, parts_of
from planner.rules.heard.loading import topics_in
from planner.rules.heard.lying import moves_in, opacity_in, says_opacity, says_order
from planner.rules.heard.meant import (
    called_in,
    is_cued,
    meant_layers,
    other_layers,
    pointed_layers,
    says_both,
    says_rest,
)
from planner.rules.reading.lexicon import Role
from planner.rules.references.layers import title_called

_NUMBERS = {"zwei": 2, "beiden": 2, "beide": 2, "zweimal": 2, "drei": 3, "dreimal": 3, "vier": 4, "fuenf": 5}
_LEGENDS = frozenset(
    {"legende", "legenden", "farbe", "farben", "signatur", "signaturen", "bedeutet", "heisst"}
)
_DETERMINERS = frozenset(
    {"der", "die", "das", "den", "dem", "mein", "meine", "meinen", "d", "dr", "s", "le", "la", "les"}
    | {"il", "lo", "i", "gli", "the", "my"}
)
_ON_MAPS = frozenset(
    {"flaeche", "flaechen", "farbe", "farben", "linie", "linien", "punkt", "punkte", "zone", "zonen", "zeug"}
)
_ZOOMS = ("zoom", "ausdehnung", "ganz", "gesamt")
_ROLES: Mapping[str, frozenset[Role]] = {
    Intent.HIDE_LAYER: frozenset({Role.HIDE}),
    Intent.SHOW_LAYER: frozenset({Role.UNHIDE, Role.SHOW}),
    Intent.REMOVE_LAYER: frozenset({Role.REMOVE}),
}
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
            return bool(clause.said & _LEGENDS)
        case Intent.ZOOM_TO_LAYER:
            return any(word.startswith(_ZOOMS) for word in clause.said)
    return bool(clause.own_roles & _ROLES[intent])


def _meant(intent: str, given: Given, among: tuple[LoadedLayer, ...]) -> tuple[LoadedLayer, ...]:
    """The layers that are named beside what is to be done, or else anywhere."""
    clauses = given.said.clauses
    saying = tuple(clause for clause in clauses if _says(intent, clause)) if len(given.wanted) > 1 else ()
    found = meant_layers(saying, among) if saying else ()
    others = given.wanted & _SAID - {intent}
    left = [clause for clause in clauses if not any(_says(other, clause) for other in others)]
    return found or meant_layers(left, among) or loaded_meant(parts_of(left), among)


def _pointed(intent: str, given: Given, among: tuple[LoadedLayer, ...]) -> tuple[LoadedLayer, ...]:
    """What is meant where nothing that is loaded is named; nothing where something else is."""
    return () if _unknown(intent, given) else pointed_layers(given, among)


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
        if known and word.is_content and word.is_noun and not (says_how(word) or word.folded in _ON_MAPS):
            yield word


def _changed(intent: str, given: Given) -> Wishes:
    layers = given.past.session.layers
    visible = intent != Intent.SHOW_LAYER
    among = tuple(layer for layer in layers if layer.visible is visible) or layers
    if not layers:
        return ()
    chosen = _chosen(intent, given, among)
    if chosen is None:
        unknown = _unknown(intent, given)
        if not unknown and Intent.LOAD_LAYER in given.wanted:
            return ()
        return (Wish(intent, args={"name": unknown}),)
    if len(chosen) == len(layers) > 1:
        return (Wish(intent, args={"name": "*"}),)
    return tuple(Wish(intent, args={"name": layer.label}) for layer in chosen)


def _chosen(intent: str, given: Given, among: tuple[LoadedLayer, ...]) -> tuple[LoadedLayer, ...] | None:
    """What is named, or all but that: `nur Sturz`, `Bodentyp lassen, sonst nichts`; None if unclear."""
    clauses = given.said.clauses
    visible = intent != Intent.SHOW_LAYER
    kept: tuple[LoadedLayer, ...] = ()
    cut = _meant(intent, given, among)
    if visible:
        kept, cut = called_in(clauses, among, kept=True), called_in(clauses, among, kept=False)
        cut = cut if len(given.wanted) == 1 else _meant(intent, given, among)
    unnamed = not (set(cut) - set(kept) or _unknown(intent, given))
    if kept and (says_rest(clauses) or unnamed):
        return other_layers(kept, among) or cut or None
    if cut:
        return tuple(layer for layer in cut if layer not in kept)
    if Role.EVERYTHING in given.said.roles or says_both(given.said.clauses):
        return among
    if not visible and len(among) == 1:
        return among
    return _pointed(intent, given, among) or None


def _fades(intent: str, given: Given) -> Wishes:
    layers = given.past.session.layers
    named = _meant(intent, given, layers)
    if not named and Intent.LOAD_LAYER in given.wanted:
        ready = tuple(w for w in given.read if w.intent == Intent.LOAD_LAYER and "opacity" in w.args)
        if ready:
            return ready
        value = opacity_in(given.said.clauses, 1.0)
        return tuple(
            Wish(intent, args={"name": topic, "opacity": value}) for topic in [*topics_in(given.said)][-1:]
        )
    if not named and (says_both(given.said.clauses) or Role.EVERYTHING in given.said.roles):
        named = layers
    named = named or _pointed(intent, given, layers)
    if not named:
        return (Wish(intent, args={"name": _unknown(intent, given), "opacity": 0.5}),) if layers else ()
    return tuple(_faded(intent, layer, given, alone=len(named) == 1) for layer in named)


def _faded(intent: str, layer: LoadedLayer, given: Given, *, alone: bool) -> Wish:
    """Of several layers each as its own clause says."""
    own = tuple(c for c in given.said.clauses if layer in meant_layers((c,), given.past.session.layers))
    said = own if not alone and any(map(says_opacity, own)) else given.said.clauses
    return Wish(intent, args={"name": layer.label, "opacity": opacity_in(said, layer.opacity)})


def _moves(intent: str, given: Given) -> Wishes:
    layers = given.past.session.layers
    if not layers:
        return ()
    named = _meant(intent, given, layers)
    if not named and (other := _unknown(intent, given)):
        return (Wish(intent, args={"name": other, "to": "top"}),)
    moved = moves_in(given.said.clauses, named or _pointed(intent, given, layers), layers)
    return moved or (clarify("which_order"),)


def _explains(intent: str, given: Given) -> Wishes:
    layers = given.past.session.layers
    named = _meant(intent, given, layers) or _pointed(intent, given, layers)
    if not named and Intent.LOAD_LAYER in given.wanted:
        return tuple(Wish(intent, args={"name": topic}) for topic in [*topics_in(given.said)][-1:])
    if not named and layers:
        return (Wish(intent, args={"name": _unknown(intent, given)}),)
    return tuple(Wish(intent, args={"name": layer.label}) for layer in named)


def _zooms(intent: str, given: Given) -> Wishes:
    layers = given.past.session.layers
    named = _meant(intent, given, layers) or _pointed(intent, given, layers)
    return tuple(Wish(intent, query=layer.label) for layer in named[:1])


def _undone(intent: str, given: Given) -> Wishes:
    """`Und nochmals zwei`"""
    said = (word.folded for word in given.said.words)
    steps = next(
        (int(word) if word.isdigit() else _NUMBERS[word] for word in said if is_cued(word, _NUMBERS)), 1
    )
    return (Wish(intent, args={"steps": steps}),)


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
