"""The things of a layer: counted, listed, compared, in some part of the map."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from contracts.intents import Intent
from contracts.session import Session
from contracts.tools import ToolDescriptor
from german.fold import fold

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.openers import Opener, opener_of
from planner.rules.grammar.parts import Part, Word
from planner.rules.grammar.pointing import pointer_of
from planner.rules.grammar.targets import target_of
from planner.rules.grammar.wishes import Wish, clarify
from planner.rules.reading.forms import is_inflected
from planner.rules.reading.lexicon import CONCEPTS, GLUE, Role
from planner.rules.reading.tables import table, word_sets
from planner.rules.reading.topics import is_theme, topic_of
from planner.rules.references.finding import Reference
from planner.rules.references.layers import layer_named
from planner.rules.references.places import Place

QUERY: Final = "features.query"
_TABLE: Final = table("words.toml")["counting"]
_WORDS: Final = word_sets(_TABLE)
_ORDERS: Final[dict[str, str]] = {
    word: order for order, words in _TABLE["orders"].items() for word in words.split()
}
_FUNCTIONS: Final[dict[str, str]] = {
    word: function for function, words in _TABLE["functions"].items() for word in words.split()
}
_OPERATORS: Final[dict[str, str]] = {
    word: operator for operator, words in _TABLE["operators"].items() for word in words.split()
}
_NUMBERS: Final[dict[str, int]] = _TABLE["numbers"]
_ASKING: Final = (_ORDERS, _FUNCTIONS, _OPERATORS, _NUMBERS)
_NUMBER = r"(\d[\d']{0,12}(?:[.,]\d{1,4})?)"
_AREA_UNITS = "m2|m²|qm|quadratmetern?|aren?|hektaren?|ha|km2|km²|quadratkilometern?"
_AREA = re.compile(rf"{_NUMBER} ?(?:{_AREA_UNITS})(?!\w)")
_LENGTH = re.compile(rf"{_NUMBER} ?(metern?|m|kilometern?|km)(?![\w²])")
UNITS: Final = frozenset(_TABLE["units"].split())
_METRES = {"m": 1.0, "k": 1_000.0}
_AFAR_M = 50_000.0
"""As far as anything can be in a canton."""
_MANY = 5
"""`Die grössten` are so many."""
_ELSE = (CONCEPTS - {Role.GEOTHERMAL}) | {Role.LOAD, Role.REMOVE, Role.HIDE, Role.CLEAR, Role.NOT}
_ELSE |= {Role.BUILD, Role.LAYER, Role.PARCELS, Role.HELP, Role.LOADED}
_MAX_LAYER_CHARS = 200
_NOT_SIZE = _ELSE | {Role.CREATE, Role.LIST}
_MORE: Final = frozenset({"mehr", "weniger"})
_ARE_MANY: Final = frozenset({"viel", "sind"})
_ASKED_OF: Final = frozenset({"layer", "where"})
_WHERE: Final = frozenset({"extent", "radius", "everywhere", "municipality"})


def queried(clause: Clause, session: Session, tools: Sequence[ToolDescriptor]) -> tuple[Wish, ...] | None:
    """`Wie viele belastete Standorte gibt es in Olten?`, `Welches ist das grösste Jagdrevier?`"""
    if clause.roles & _ELSE or not any(tool.capability == QUERY for tool in tools):
        return None
    said = [piece for word in clause.words for piece in word.folded.split()]
    text = _with_decimals(clause.parts)
    where = _conditions(text, said)
    asked = _asked(said) or _compared_number(said, where)
    radius = _radius(text, said)
    exists = opener_of(clause.parts) is not Opener.NONE and not _WORDS["exists"].isdisjoint(said)
    lists = not _WORDS["lists"].isdisjoint(said) or bool(where)
    lists = lists or (exists and bool(radius))
    if not (asked or lists) or not _WORDS["happened"].isdisjoint(said):
        return None
    layer, target = _layer_in(clause), target_of(clause) if clause.mentions else None
    if not layer:
        return None
    placed = bool(target or radius or pointer_of(clause.words) or asked.get("order") == "distance")
    area = _area(said, target, session)
    if not (asked or placed or area):
        return None  # Welche Naturreservate gibt es?
    if area is None:
        return (clarify("where"),)
    args = {"layer": layer[:_MAX_LAYER_CHARS], **asked, **({} if placed and not area else area)}
    if not placed and not area:
        args["everywhere"] = True
    if asked.get("order") == "distance" and not isinstance(target, Place):
        radius = radius or _AFAR_M
    args |= ({"radius": radius} if radius else {}) | ({"where": where} if where else {})
    there = None if area else target
    wish = Wish(Intent.QUERY_FEATURES, there, args=args, at_place=placed and not area and there is None)
    places = [mention.what for mention in clause.mentions]
    if len(places) > 1 and all(isinstance(place, Place) for place in places):
        return tuple(replace(wish, target=place) for place in places)  # mehr in Olten oder in Grenchen?
    return (wish,)


def asked_of_them(clause: Clause, session: Session) -> Mapping[str, Any] | None:
    """What is asked of things that were named before: `Wie viele sind das?`, `Welches ist das grösste?`.

    None of a clause that asks something else, or names what it asks about.
    """
    said = [piece for word in clause.words for piece in word.folded.split()]
    if clause.own_roles & (_ELSE | {Role.SIZE, Role.PARCEL}) or any(
        not _is_beside(w) for w in clause.content
    ):
        return None
    if any(not isinstance(mention.what, Place) for mention in clause.mentions):
        return None
    text = _with_decimals(clause.parts)
    where = _conditions(text, said)
    asked: Mapping[str, Any] | None = _asked(said) or _compared_number(said, where)
    if not (asked or where):
        lists = not (_WORDS["lists"].isdisjoint(said) or _WORDS["those"].isdisjoint(said))
        total = not _WORDS["totals"].isdisjoint(said) or {*said} >= _ARE_MANY or "sinds" in said
        asked = {"function": "count"} if total else {} if lists else None
    if asked is None or (not where and not UNITS.isdisjoint(said)):
        return None  # Wie viele Meter sind das?
    extent = _area(said, None, session) if not _WORDS["areas"].isdisjoint(said) else {}
    return {**asked, **({"where": where} if where else {}), **(extent or {})}


def asked_anew(wish: Wish, asked: Mapping[str, Any], place: Reference | None) -> Wish:
    """What is asked of the things of a wish, where it has asked about them; or in another place."""
    elsewhere = place is not None or "extent" in asked
    kept = _ASKED_OF if elsewhere else _ASKED_OF | _WHERE
    args = {name: value for name, value in wish.args.items() if name in kept} | dict(asked)
    there = None if "extent" in asked else place or wish.target
    return counted_at(replace(wish, args=args, at_place=wish.at_place and there is None), there)


def counted_at(wish: Wish, place: Reference | None) -> Wish:
    """The same in a place; a district and the canton are told by their name."""
    if place is None:
        return replace(wish, target=None)
    args = {name: value for name, value in wish.args.items() if name not in _WHERE}
    region = _area((), place, Session()) or {}
    return replace(wish, target=None if region else place, args=args | region, at_place=False)


def counted_in(topic: str, place: Reference | None) -> Wish:
    """The things of a layer that is loaded, in a place or everywhere."""
    args = {"layer": topic[:_MAX_LAYER_CHARS]} | ({} if place else {"everywhere": True})
    return Wish(Intent.QUERY_FEATURES, place, args=args)


def sized(clause: Clause) -> tuple[Wish, ...] | None:
    """`Ist sie grösser als 500 m²?`, `Wie viel Land ist das in Quadratmetern?`: its size answers both."""
    if clause.mentions or _WORDS["square"].isdisjoint(clause.said) or clause.roles & _NOT_SIZE:
        return None
    compares = Role.SIZE in clause.roles or any(word in _OPERATORS for word in clause.said)
    if not compares or not all(map(_is_beside, clause.content)):
        return None
    return (Wish(Intent.SHOW_PARCEL),)


def is_comparison(clause: Clause) -> bool:
    """`Im Vergleich dazu Biberist?`"""
    return not _WORDS["compared"].isdisjoint(clause.said)


def other_things(clause: Clause) -> str:
    """`und Altlasten?`: what is named, and nothing else."""
    said = [piece for word in clause.content for piece in word.folded.split()]
    named = not clause.mentions and clause.roles <= GLUE
    return ((layer_named(said) and clause.phrase()) or "") if named else ""


def _with_decimals(parts: Sequence[Part]) -> str:
    """The text, with the point in `1.5 km` that is no part of its own."""
    text, end = "", 0
    for part in parts:
        point = part.text.isdigit() and text[-1:].isdigit() and part.start == end + 1 and len(part.text) < 3
        text += "." if point else "" if part.start == end or not text else " "
        text, end = text + part.text, part.start + len(part.text)
    return text.casefold()


def _asked(said: Sequence[str]) -> Mapping[str, Any]:
    """The number or the order that is asked for; nothing where things are only listed."""
    order = next((_ORDERS[word] for word in said if word in _ORDERS), None)
    if order is not None:
        several = not _WORDS["several"].isdisjoint(said) and _WORDS["most"].isdisjoint(said)
        many = next((number for word in said if (number := _number(word))), _MANY)
        return {"order": order, "limit": many if several else 1}
    function = next((_FUNCTIONS[word] for word in said if word in _FUNCTIONS), None)
    if function == "count":
        return {"function": function}
    return {"function": function, "attribute": "area"} if function else {}


def _compared_number(said: Sequence[str], where: Sequence[Any]) -> Mapping[str, Any]:
    """`Hat der Kanton mehr als 100 Naturreservate?`: who hears the number can tell."""
    if _MORE.isdisjoint(said):
        return {}
    compared = any(one in _OPERATORS and two == "als" for one, two in pairwise(said))
    return {"function": "count"} if not where and (compared or "oder" in said) else {}


def _number(word: str) -> int:
    """`drei`, `3`"""
    return int(word) if word.isdigit() and len(word) < 3 else _NUMBERS.get(word, 0)


def _layer_in(clause: Clause) -> str:
    """What is counted: one noun that sounds like a layer, with its adjectives, or the title of one."""
    colons = [n for n, part in enumerate(clause.parts) if part.text == ":"]
    asking = clause.parts[colons[-1] + 1 :] if colons else clause.parts
    kept = [part for part in asking if not _is_beside(part)]
    runs = [*Clause(tuple(kept)).phrases(Role.GEOTHERMAL)]
    words = (part for part in kept if isinstance(part, Word))
    content = [word for word in words if word.is_content or word.role is Role.GEOTHERMAL]
    if len(runs) == 2 and (name := _said_of_kind(runs)):
        return name
    if len(runs) != 1 or not content:
        return ""
    said = [word for part in content for word in part.folded.split()]
    if any(topic_of(word) for word in said):
        return ""
    *before, last = content
    plain = " ".join(part.stem or part.text for part in content) == runs[0]
    plain = plain and all(is_inflected(word.folded) for word in before)
    themed = any(is_theme(part.folded) or part.role is Role.GEOTHERMAL for part in content)
    if not (layer_named(said) or (plain and themed and not any(w.text[0].isupper() for w in before))):
        return ""
    at = next(n for n, part in enumerate(clause.parts) if part is last)
    thing = [part.text for part in clause.parts[at + 1 : at + 2] if part.folded in _WORDS["things"]]
    return " ".join([runs[0], *thing])  # belastete Standorte


def _said_of_kind(runs: Sequence[str]) -> str:
    """`Gebäude … denkmalgeschützt`, `Häuser … Denkmalschutz`: what a noun for anything is said to be."""
    kinds = [run for run in runs if fold(run) in _WORDS["kinds"]]
    others = [run for run in runs if run not in kinds]
    if len(kinds) != 1:
        return ""
    names = (others[0], f"{others[0]}e {kinds[0]}")
    return next((name for name in names if layer_named(fold(name).split())), "")


def _is_beside(part: Part) -> bool:
    """What says how much, how many, and where."""
    said = part.folded.split()
    others = _WORDS["lists"] | _WORDS["areas"] | _WORDS["everywhere"] | _WORDS["beside"] | UNITS
    others |= _WORDS["totals"] | _WORDS["compared"]
    beside = all(w in others or any(w in words for words in _ASKING) for w in said)
    return bool(said) and (beside or part.text[0].isdigit())


def _conditions(text: str, said: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """`grösser als 1000 m2`, `länger als 2 km`"""
    operator = next((_OPERATORS[word] for word in said if word in _OPERATORS), "")
    if not operator:
        return ()
    area, length = _AREA.search(text), _LENGTH.search(text)
    long = not _WORDS["long"].isdisjoint(said)
    found, attribute = (length, "length") if long else (area, "area")
    return ({"attribute": attribute, "operator": operator, "value": found[0]},) if found else ()


def _radius(text: str, said: Sequence[str]) -> float | None:
    """Metres."""
    found = _LENGTH.search(text) if not _WORDS["around"].isdisjoint(said) else None
    if found is None:
        return None
    metres = float(found[1].replace("'", "").replace(",", ".")) * _METRES[found[2][0]]
    return min(metres, _AFAR_M) or None


def _area(said: Sequence[str], target: Reference | None, session: Session) -> dict[str, Any] | None:
    """What is no place of its own: what the map shows, the canton; None for a map that nobody has told of."""
    if not _WORDS["areas"].isdisjoint(said):
        return {"extent": tuple(session.view.extent)} if session.view else None
    if isinstance(target, Place) and _is_canton(target):
        return {"everywhere": True}
    if isinstance(target, Place) and target.kind == "region":
        return {"municipality": target.name}
    return {"everywhere": True} if target is None and not _WORDS["everywhere"].isdisjoint(said) else {}


def _is_canton(place: Place) -> bool:
    return place.kind == "region" and place.name.startswith("Kanton")
