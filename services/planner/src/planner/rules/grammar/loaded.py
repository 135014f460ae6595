"""What is done to the loaded layers: they are told, hidden, shown, taken off, and left alone; and markers."""

from collections.abc import Sequence
from typing import Final

from contracts.intents import Intent
from contracts.session import LoadedLayer, Session
from german.fold import fold
from german.words import words

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.parts import Word
from planner.rules.grammar.wishes import Wish, answer
from planner.rules.reading.lexicon import ACTIONS, Role
from planner.rules.reading.tables import table
from planner.rules.references.layers import calls_layer, layer_named, may_name_layer

IN_LAYER_NAMES = frozenset({Role.OEREB, Role.PLAN, Role.GEOTHERMAL, Role.HEIGHT, Role.PARCELS, Role.PARCEL})
"""Words that are a part of the name where a layer is meant."""
_WORDS: Final = table("words.toml")["loaded"]
_MARKERS: Final = frozenset(_WORDS["markers"].split())
_SWITCHED: Final = tuple(_WORDS["switched"].split())
ONLY_THIS: Final = Word("nur noch", "nur noch", Role.FILLER)
"""A part of clauses with what is spared: nothing else is to be seen."""
_WISHES = frozenset({"haette", "haett", "haetten", "moechte", "moecht"})
_PERCENT: Final = frozenset(table("words.toml")["arranging"]["percent"].split())
_WRITTEN: Final = frozenset(_WORDS["written"].split())
_WANTED: Final = frozenset(_WORDS["wanted"].split())
_ON_MAP: Final = frozenset(_WORDS["on_map"])
_ORDINALS: Final = {
    word: n for n, said in enumerate(table("words.toml")["returning"]["ordinals"]) for word in said.split()
}
_AGAIN: Final = "wieder"
BOTH: Final = frozenset(_WORDS["both"].split())
ONE: Final = frozenset({"ihn", "den", "das", "es", "damit"})
"""What stands for one thing."""
_PAIR = 2
_PRONOUNS: Final = frozenset(table("words.toml")["nouns"]["pronouns"].split())
_VERB_ENDINGS = ("t", "en")
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
    last = said[-2] if said[-1].folded in _STATES and said[1:] and not clause.content else said[-1]
    ends = last.role is Role.LOADED or (asks and last.role is Role.UNHIDE)
    on_map = asks and any(word.folded in _ON_MAP for word in clause.words)
    states = Role.LOADED in clause.roles and not clause.content and not clause.mentions
    written = not clause.said.isdisjoint(_WRITTEN)  # Was steht da drin?
    wished = not asks and clause.content and not clause.said.isdisjoint(_WISHES)  # hätte gern X eingeblendet
    if clause.roles & (ACTIONS - _TELLS) or written or wished or not (ends or on_map or states):
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
    if not clause.own_roles & ACTIONS and ("%" in clause.text or not _PERCENT.isdisjoint(clause.said)):
        return None  # Karst ausblenden und Wald auf 30 %
    intent = _change_by_particle(clause, name, session) or change_in(clause)
    if intent is None:
        return _unwanted(clause, name, session)
    if not name and clause.content and not clause.own_roles & ACTIONS:
        return None  # die stört
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
    sure = {layer.id: calls_layer(name, layer.id, layer.label) for layer in session.layers}
    best = min(filter(None, sure.values()), default=0)
    return tuple(layer for layer in session.layers if best and sure[layer.id] == best)


def name_in(clause: Clause, session: Session) -> str:
    """As written, or as the layer is called that is meant by it."""
    name = clause.phrase(*IN_LAYER_NAMES) or " ".join(m.text for m in clause.mentions)
    if name and clause.has_action and not _may_be_name(name, clause, session):
        name = ""
    both = not BOTH.isdisjoint(clause.said)
    if not name and (len(session.layers) == _PAIR if both else Role.EVERYTHING in clause.roles):
        return "*"
    if not session.layers:
        return name
    if not name and Role.LAST in clause.roles:
        return session.layers[-1].label
    meant = _in_german(name, clause)
    n = _ORDINALS.get(fold(meant))
    if n is not None and n < len(session.layers):
        return session.layers[n].label
    return _as_called(name, meant, clause, session)


def _in_german(name: str, clause: Clause) -> str:
    """`first` is `erste`; folded."""
    for word in sorted(clause.words, key=lambda word: -len(word.text)):
        name = name.replace(word.text, word.folded)
    return name


def _may_be_name(name: str, clause: Clause, session: Session) -> bool:
    """Only what is a thing is the name of a layer: not `ok jz alles weg`, `mach sie weg, die stört`."""
    if clause.own_roles & ACTIONS and Role.EVERYTHING not in clause.roles:
        return True
    said = fold(_in_german(name, clause)).split()
    if not _ORDINALS.keys().isdisjoint(said[:1]) or may_name_layer(said) or is_loaded(name, session):
        return True
    called = [word for word in clause.content if word.text in name]
    first = clause.words[0] if clause.words else Word("")
    tells = len(called) == 1 and called[0].text.islower() and called[0].folded.endswith(_VERB_ENDINGS)
    if tells and first.folded in _PRONOUNS:
        return False
    return not called or any(word.is_noun for word in called)


def _as_called(name: str, meant: str, clause: Clause, session: Session) -> str:
    """The name by which who knows the loaded layers finds the one that is meant."""
    if not name or any(name in layer.label for layer in session.layers):
        return name
    title = layer_named(words(name))  # "confini comunali" are the Gemeindegrenzen
    if title and is_loaded(title, session):
        return title
    things = " ".join(word.text for word in clause.content if is_loaded(word.text, session))
    beside = [word for word in clause.content if word.text in name and word.text not in things.split()]
    whole = (name, meant) if any(word.is_noun for word in beside) else (name, meant, things)
    found = next((found for each in whole if each and (found := loaded_as(each, session))), ())
    if not found and not is_loaded(name, session) and is_loaded(meant, session):
        return meant
    return found[0].label if len(found) == 1 else name


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
