"""What is done to the loaded layers: they are told, hidden, shown, taken off, and left alone; and markers."""

from collections.abc import Sequence
from typing import Final

from contracts.intents import Intent
from contracts.session import LoadedLayer, Session
from german.fold import bare
from german.stems import stems
from german.words import words

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.parts import Word
from planner.rules.grammar.wishes import Wish, answer
from planner.rules.reading.lexicon import ACTIONS, Role
from planner.rules.reading.tables import table
from planner.rules.references.layers import layer_named

IN_LAYER_NAMES = frozenset({Role.OEREB, Role.PLAN, Role.GEOTHERMAL, Role.HEIGHT, Role.PARCELS, Role.PARCEL})
"""Words that are a part of the name where a layer is meant."""
_WORDS: Final = table("words.toml")["loaded"]
_MARKERS: Final = frozenset(_WORDS["markers"].split())
_SWITCHED: Final = tuple(_WORDS["switched"].split())
ONLY_THIS: Final = Word("nur noch", "nur noch", Role.FILLER)
"""A part of clauses with what is spared: nothing else is to be seen."""
_WANTED: Final = frozenset(_WORDS["wanted"].split())
_ON_MAP: Final = frozenset(_WORDS["on_map"])
_ORDINALS: Final = tuple(words.split() for words in table("words.toml")["returning"]["ordinals"])
_AGAIN: Final = "wieder"
_BOTH: Final = frozenset({"beide", "beiden"})
_STATES: Final = frozenset({"ist", "sind", "habe", "haben", "hat"})
_ASKS_NICELY: Final = frozenset({"kannst", "koenntest", "magst", "wuerdest"})
_PARTICLES: Final = {
    "raus": Intent.REMOVE_LAYER,
    "aus": Intent.HIDE_LAYER,
    "ein": Intent.SHOW_LAYER,
    "an": Intent.SHOW_LAYER,
}
_ASKING = frozenset({Role.QUESTION, Role.LIST, Role.WHERE})
_MAKES_VISIBLE = frozenset({Role.LOAD, Role.SHOW, Role.CHANGE})
_TELLS = frozenset({Role.SHOW, Role.UNHIDE})
_MAX_NAME_CHARS = 200


def told(clause: Clause, session: Session) -> tuple[Wish, ...] | None:
    """`Welche Layer sind geladen?`, `Ist der Wald schon auf der Karte?`"""
    said = _spoken(clause)
    asks = bool(clause.roles & _ASKING or said[0].folded in _STATES)
    ends = said[-1].role is Role.LOADED or (asks and said[-1].role is Role.UNHIDE)
    on_map = asks and any(word.folded in _ON_MAP for word in clause.words)
    states = Role.LOADED in clause.roles and not clause.content and not clause.mentions
    if clause.roles & (ACTIONS - _TELLS) or not (ends or on_map or states):
        return None
    seen, hidden = (
        "\n".join(f"- {layer.label}" for layer in session.layers if layer.visible is visible)
        for visible in (True, False)
    )
    if hidden:
        return (answer("hidden_layers" if not seen else "seen_and_hidden", layers=seen, hidden=hidden),)
    return (answer("loaded_layers", layers=seen) if seen else answer("no_layers_loaded"),)


def changed(clause: Clause, session: Session) -> tuple[Wish, ...] | None:
    """The name is as written: who knows the loaded layers finds the one that is meant."""
    name = name_in(clause, session)
    intent = _change_by_particle(clause, name, session) or change_in(clause)
    if intent is None:
        return _unwanted(clause, name, session)
    if any(word.folded in _MARKERS for word in clause.content):
        return (Wish(Intent.REMOVE_MARKERS),)
    if Role.NOT in clause.roles and not any(word.folded in _ASKS_NICELY for word in clause.words):
        return (answer("left_alone"),)
    if intent == Intent.SHOW_LAYER and not is_loaded(name, session):
        if Role.UNHIDE not in clause.own_roles or clause.mentions:
            return None
        if name not in ("", "*"):
            return (Wish(Intent.LOAD_LAYER, query=name[:_MAX_NAME_CHARS]),)
    spared = {"except": clause.spared} if clause.spared else {}
    wish = Wish(intent, args={"name": name, **spared})
    return _nothing_but(clause.spared, session) if ONLY_THIS in clause.parts else (wish,)


def _nothing_but(names: Sequence[str], session: Session) -> tuple[Wish, ...]:
    """`Nur noch Wald`: the others are hidden, and this one is to be seen, whatever it was."""
    found = {name: loaded_as(name, session) for name in names}
    left = tuple(name for name, layers in found.items() if layers)
    spared = {"except": left} if left else {}
    rest = Wish(Intent.HIDE_LAYER, args={"name": "*", **spared})
    others = {layer.id for layer in session.layers} - {
        each.id for layers in found.values() for each in layers
    }
    hidden = (name for name in left if not all(layer.visible for layer in found[name]))
    wishes = (
        *((rest,) if others else ()),
        *(Wish(Intent.SHOW_LAYER, args={"name": name}) for name in hidden),
        *(Wish(Intent.LOAD_LAYER, query=name[:_MAX_NAME_CHARS]) for name in names if name not in left),
    )
    # Where there is nothing else, that is what is told.
    return wishes or (rest,)


def change_in(clause: Clause) -> Intent | None:
    """What its verb does to loaded layers."""
    roles = clause.roles
    if Role.REMOVE in roles:
        return Intent.REMOVE_LAYER
    if Role.HIDE in roles:
        return Intent.HIDE_LAYER
    if Role.KEEP in roles:
        return None
    words = [word.folded for word in clause.words]
    unnamed = not clause.content and not clause.mentions
    again = (
        _AGAIN in words
        or {Role.AGAIN, Role.SHOW} <= roles
        or (unnamed and any(word.startswith(_SWITCHED) for word in words))
    )
    return Intent.SHOW_LAYER if Role.UNHIDE in roles or (roles & _MAKES_VISIBLE and again) else None


def gives_up(clause: Clause) -> bool:
    """`… brauche ich nicht mehr`"""
    refuses = clause.roles & {Role.NOT, Role.NO} and not clause.roles & {Role.GO, Role.LOAD}
    return bool(refuses) and any(word.folded in _WANTED for word in clause.words)


def is_loaded(name: str, session: Session) -> bool:
    """Whether a loaded layer is called so; `*`, and no name, is any."""
    return bool(loaded_as(name, session))


def loaded_as(name: str, session: Session) -> tuple[LoadedLayer, ...]:
    """The loaded layers that are called so; `*`, and no name, is all."""
    if name in ("", "*"):
        return session.layers
    wanted = stems(name)
    known = ((layer, bare(f"{layer.label} {layer.id}")) for layer in session.layers)
    return tuple(layer for layer, text in known if wanted and all(each in text for each in wanted))


def name_in(clause: Clause, session: Session) -> str:
    name = clause.phrase(*IN_LAYER_NAMES) or " ".join(m.text for m in clause.mentions)
    if not name and Role.EVERYTHING in clause.roles:
        return "*"
    if not name and Role.LAST in clause.roles and session.layers:
        return session.layers[-1].label
    both = any(word.folded in _BOTH for word in clause.words) and len(session.layers) == len(_BOTH)
    if not name and both:
        return "*"
    in_german = " ".join(word.folded for word in clause.content)
    n = next((n for n, each in enumerate(_ORDINALS) if in_german in each), len(session.layers))
    if n < len(session.layers):
        return session.layers[n].label
    if not session.layers:
        return name
    title = layer_named(words(name)) or ""  # "confini comunali" are the Gemeindegrenzen
    return next((each for each in (name, title, in_german) if each and is_loaded(each, session)), name)


def _change_by_particle(clause: Clause, name: str, session: Session) -> Intent | None:
    """`Karst aus`, `alle wieder an`: nothing but a particle says what is to be done."""
    named = bool(name) and is_loaded(name, session) and not clause.mentions
    alone = named and not clause.own_roles & ACTIONS
    return _PARTICLES.get(_spoken(clause)[-1].folded) if alone else None


def _unwanted(clause: Clause, name: str, session: Session) -> tuple[Wish, ...] | None:
    """`Den Wald brauche ich nicht mehr`, `behalte ihn`"""
    if Role.KEEP in clause.roles:
        return (answer("left_alone"),)
    if not gives_up(clause) or not name or clause.mentions or not is_loaded(name, session):
        return None
    seen = Role.SHOW in clause.roles
    return (Wish(Intent.HIDE_LAYER if seen else Intent.REMOVE_LAYER, args={"name": name}),)


def _spoken(clause: Clause) -> Sequence[Word]:
    """The words that say something; never none."""
    words = [word for word in clause.words if word.role is not Role.FILLER or word.folded in _ON_MAP]
    return words or [Word("")]
