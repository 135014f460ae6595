"""What is at a place, and what layers say there."""

from collections.abc import Collection, Sequence
from typing import Final

from contracts.intents import Intent
from contracts.session import Session
from contracts.tools import ToolDescriptor

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.counting import QUERY
from planner.rules.grammar.loaded import loaded_as
from planner.rules.grammar.pointing import pointer_of
from planner.rules.grammar.targets import target_of
from planner.rules.grammar.wishes import Wish
from planner.rules.reading.lexicon import CONCEPTS, Role
from planner.rules.reading.tables import table, word_sets
from planner.rules.reading.topics import is_theme
from planner.rules.references.addresses import Address
from planner.rules.references.coordinates import Coordinate
from planner.rules.references.finding import Reference

IDENTIFY: Final = "features.identify"
_WORDS: Final = word_sets(table("words.toml")["identifying"])
_MAX_LAYERS = 50
_ON_POINT_M = 1.0
"""Who asks what a layer says at a place means the place itself."""
_ELSE = (CONCEPTS - {Role.GEOTHERMAL}) | {
    Role.BUILD,
    Role.SIZE,
    Role.LAYER,
    Role.LOAD,
    Role.REMOVE,
    Role.HIDE,
}
_ELSE |= {Role.PARCEL, Role.PARCELS, Role.OTHER, Role.MEASURE, Role.HELP, Role.LOADED}


def identified(clause: Clause, session: Session, tools: Sequence[ToolDescriptor]) -> tuple[Wish, ...] | None:
    """`Was ist hier?`, `Was sagt der Denkmalschutz an dieser Stelle?`"""
    alive = {tool.capability for tool in tools}
    if IDENTIFY not in alive or Role.DOCUMENT in clause.roles:
        return None
    said = [piece for word in clause.words for piece in word.folded.split()]
    target, pointer = target_of(clause) if clause.mentions else None, pointer_of(clause.words)
    spot = isinstance(target, Coordinate) or (isinstance(target, Address) and not target.vague)
    at_spot = spot or (target is None and pointer in ("here", "there"))
    asks = not _WORDS["what"].isdisjoint(said)
    asks = asks or (at_spot and not (_WORDS["any"].isdisjoint(said) or _WORDS["exists"].isdisjoint(said)))
    if at_spot and asks and not _WORDS["says"].isdisjoint(said):
        return _said_by_layers(clause, target, session, alive)
    shown = session.view is not None and session.view.point is not None
    if clause.roles & _ELSE or not (at_spot or (target is None and shown and said[-1:] == ["das"])):
        return None
    address = Role.LIST in clause.roles and not _WORDS["listed"].isdisjoint(said)
    others = (piece for word in clause.content for piece in word.folded.split())
    if not (asks or address) or not _WORDS["beside"].issuperset(others):
        return None
    layers = layers_in_view(session)
    return (Wish(Intent.IDENTIFY, target, args={"layers": layers} if layers else {}),)


def layers_in_view(session: Session) -> tuple[str, ...]:
    """Their ids, as many as are asked at once."""
    return tuple(layer.id for layer in session.layers if layer.visible)[-_MAX_LAYERS:]


def _said_by_layers(
    clause: Clause, target: Reference | None, session: Session, alive: Collection[str]
) -> tuple[Wish, ...] | None:
    """Of the named layer, or of all that can be seen; one that is not loaded is asked by its name."""
    kept = tuple(part for part in clause.parts if part.folded not in _WORDS["says"] | _WORDS["beside"])
    name = Clause(kept).phrase(Role.GEOTHERMAL)
    found = tuple(layer.id for layer in loaded_as(name, session) if name or layer.visible)[-_MAX_LAYERS:]
    if found:
        return (Wish(Intent.IDENTIFY, target, args={"layers": found, "place": False}),)
    if QUERY not in alive or not any(is_theme(word) for word in name.casefold().split()):
        return None
    return (Wish(Intent.QUERY_FEATURES, target, args={"layer": name, "radius": _ON_POINT_M}, at_place=True),)
