"""How loaded layers lie above each other: how opaque they are, their order, their legends, their extent."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from contracts.intents import Intent
from contracts.session import Session
from german.fold import fold
from german.spelling import Spellings
from german.words import words

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.loaded import is_loaded, loaded_as, name_in
from planner.rules.grammar.openers import Opener, is_request, opener_of
from planner.rules.grammar.parts import Part
from planner.rules.grammar.wishes import Wish, clarify
from planner.rules.reading.lexicon import ACTIONS, Role
from planner.rules.reading.tables import table
from planner.rules.reading.tongues import FOREIGN
from planner.rules.references.layers import layer_named, may_name_layer

_TABLE: Final = table("words.toml")["arranging"]
_WORDS: Final = {name: frozenset(words.split()) for name, words in _TABLE.items() if isinstance(words, str)}
_LETS_THROUGH: Final = tuple(_TABLE["lets_through"].split())
_COVERS: Final = tuple(_TABLE["covers"].split())
_PLACES: Final[dict[str, tuple[str, ...]]] = _TABLE["places"]
_SHARES: Final[dict[str, float]] = _TABLE["shares"]
_NUMBERS: Final[dict[str, int]] = _TABLE["numbers"]
_IN_NUMBERS = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b")
_SPELLINGS: Final = Spellings(_TABLE["misspelled"].split())
_MIN_MISSPELLED_CHARS = 8
_COLOUR: Final = re.compile(rf"farb\w*|(?:{_TABLE['colours'].replace(' ', '|')})(?:e[nrs]?)?")
_NOUNS: Final = tuple(_TABLE["nouns"].split())
_ARRANGES: Final = frozenset().union(
    *(_WORDS[name] for name in ("orders", "above", "below", "legends", "means", "wholly")),
    *(said.split()[-1:] for places in _PLACES.values() for said in places),
)
"""Without one of these nothing is arranged, unless it is made transparent."""
_PERCENT = re.compile(r"(\d{1,3}) ?(?:%|prozent\b|procent\b)")
_FRACTION = re.compile(r"\b(?:0(?: ?[.,] ?| )(\d{1,2})|1(?: ?[.,] ?| )0)\b")
_SAID_OF_IT: Final = frozenset(
    (
        *(word for words in _WORDS.values() for word in words),
        *(word for places in _PLACES.values() for said in places for word in said.split()),
        *_SHARES,
        *_NUMBERS,
    )
)
_STEP = 0.25
"""How much `etwas durchsichtiger` is."""
_UNSAID = -1.0
_LEAST = 0.1
"""What is made more and more transparent can still be seen."""
_ASKS = frozenset({Opener.FACT, Opener.LIST, Opener.NORM, Opener.WHERE})
_BACKGROUNDS = frozenset({Role.AERIAL, Role.GREY, Role.COLOUR})
_ONE_STEP = {"top": "up", "bottom": "down"}


def arranged(clause: Clause, session: Session, last: str = "") -> tuple[Wish, ...] | None:
    """`last` is called what a clause is about that names nothing."""
    if Role.DOCUMENT in clause.roles or not _may_arrange(clause):
        return None
    if _asks_for_legend(clause, session):
        uncoloured = tuple(part for part in clause.parts if not _COLOUR.fullmatch(part.folded))
        name = _name(replace(clause, parts=uncoloured), session)
        return (Wish(Intent.SHOW_LEGEND, args={"name": name or last}),)
    asks = opener_of(clause.parts) in _ASKS and not is_request(clause.parts)
    return None if asks else _faded(clause, session, last) or _moved(clause, session, last)


def _may_arrange(clause: Clause) -> bool:
    """Whether it has one of the words at all."""
    percent = "%" in clause.text or not clause.said.isdisjoint(_WORDS["units"])
    how = any(map(_is_of_opacity, clause.said))
    return percent or how or not clause.said.isdisjoint(_ARRANGES)


def zoomed(clause: Clause, session: Session, last: str = "") -> tuple[Wish, ...] | None:
    """`Zoome auf den Layer Schutzwald`, `zeig den ganzen Waldplan`: where a layer is."""
    said = clause.said
    whole = Role.SHOW in clause.roles and said & _WORDS["whole"]
    if clause.mentions or not (said & _WORDS["zooms"] or whole):
        return None
    name = name_in(clause, session) or last
    found = loaded_as(name, session) if name != "*" else ()
    known = found or (not whole and (Role.LAYER in clause.roles or layer_named(words(name))))
    if name not in ("", "*") and known:
        return (Wish(Intent.ZOOM_TO_LAYER, query=found[0].label if len(found) == 1 else name),)
    if name or Role.LAYER not in clause.roles or whole:
        return None
    one = session.layers[0].label if len(session.layers) == 1 else ""
    return (Wish(Intent.ZOOM_TO_LAYER, query=one),) if one else (clarify("which_layer"),)


def says_how(part: Part) -> bool:
    """Whether a word says how a layer lies there, and so is the name of none."""
    said = part.folded.split()
    return _is_of_opacity(part.folded) or (bool(said) and _SAID_OF_IT.issuperset(said))


def shines_through(part: Part) -> bool:
    """Whether it says how much shines through, not how much is covered."""
    return _lets_through(part.folded)


def _lets_through(word: str) -> bool:
    return word.startswith(_LETS_THROUGH) or word in _WORDS["weak"] or _meant(word).startswith(_LETS_THROUGH)


def _covers(word: str) -> bool:
    return _meant(word).startswith(_COVERS)


@lru_cache(maxsize=1_024)
def _is_of_opacity(word: str) -> bool:
    return _lets_through(word) or _covers(word)


@lru_cache(maxsize=1_024)
def _meant(word: str) -> str:
    """`trasnparent` is `transparent`."""
    found = _SPELLINGS.nearest(word, 1) if len(word) >= _MIN_MISSPELLED_CHARS else None
    return found[0] if found else word


def _asks_for_legend(clause: Clause, session: Session) -> bool:
    said = clause.said
    if said & _WORDS["legends"]:
        return True
    meaning = said & _WORDS["means"] and any(map(_COLOUR.fullmatch, said))
    return bool(meaning and session.layers and not clause.mentions)


def _name(clause: Clause, session: Session) -> str:
    """Of the layer, without the words that say how it is to lie there."""
    kept = [part for part in clause.parts if not (says_how(part) or _is_number(part))]
    return name_in(replace(clause, parts=tuple(kept)), session)


def _is_number(part: Part) -> bool:
    return part.text == "%" or part.text.replace(".", "").isdigit()


def _faded(clause: Clause, session: Session, last: str) -> tuple[Wish, ...] | None:
    """`Mach den Wald halb durchsichtig`, `Karst auf 30 % Deckkraft`"""
    name = _name(clause, session) or last
    layers = loaded_as(name, session) or session.layers[-1:]
    opacity = _opacity(clause, layers[0].opacity if layers else 1, named=is_loaded(name, session))
    if opacity is None or clause.mentions:
        return None
    if opacity == _UNSAID:
        return (clarify("how_opaque"),)
    spared = {"except": clause.spared} if clause.spared else {}
    value = round(min(1.0, max(0.0, opacity)), 2)
    if _is_to_come(name, clause, session):
        return (Wish(Intent.LOAD_LAYER, query=name, args={"opacity": value}),)
    return (Wish(Intent.SET_LAYER_OPACITY, args={"name": name, "opacity": value, **spared}),)


def _is_to_come(name: str, clause: Clause, session: Session) -> bool:
    """`Lade den Wald mit 40 % Deckkraft`"""
    loads = clause.roles & {Role.LOAD, Role.SHOW} or not clause.has_action
    known = name in ("", "*") or is_loaded(name, session)
    return bool(loads) and not known and may_name_layer(fold(name).split())


def with_opacity(wishes: Sequence[Wish]) -> tuple[Wish, ...]:
    """`Lade den Wald, aber nur 40 % deckend`: what is to be loaded can have it from the start."""
    result: list[Wish] = []
    for wish in wishes:
        fades = wish.intent == Intent.SET_LAYER_OPACITY and not wish.is_talk
        coming = [n for n, each in enumerate(result) if each.intent == Intent.LOAD_LAYER] if fades else []
        name = set(fold(str(wish.args.get("name", ""))).split())
        meant = [n for n in coming if name <= set(fold(result[n].query).split())]
        for n in meant:
            result[n] = replace(result[n], args={"opacity": wish.args["opacity"]})
        result += () if meant else (wish,)
    return tuple(result)


def _opacity(clause: Clause, now: float, *, named: bool) -> float | None:
    """What it is to be, 0 to 1; `now` it is so much."""
    said = [piece for word in clause.words for piece in word.folded.split()]
    covers = any(map(_covers, said))
    through = any(map(_lets_through, said))
    share = _share(clause, said)
    if "sichtbar" in said and share is not None and not through:
        covers = True
    if not (covers or through):
        if share is None:
            return 1.0 if now < 1 and _says_wholly(clause) else None
        percent = "%" in clause.text or not _WORDS["percent"].isdisjoint(said)
        changes = clause.roles & {Role.CHANGE, Role.CREATE} or not clause.own_roles & ACTIONS
        return share if (named or Role.CHANGE in clause.own_roles) and changes and percent else None
    off = bool(clause.roles & {Role.NOT, Role.NONE, Role.REMOVE})
    too = any(zu in _WORDS["too"] and _is_of_opacity(how) for zu, how in pairwise(said))
    less = bool(_WORDS["less"].intersection(said)) or (off and "so" in said) or too
    by_degrees = less or any(word.endswith("er") and _is_of_opacity(word) for word in said)
    by_degrees = by_degrees or (not off and not _WORDS["more"].isdisjoint(said))
    if share is not None and not ("um" in said and by_degrees):
        return share if covers else 1 - share
    if by_degrees:
        step = (share or _STEP) * (1 if covers is not less else -1)
        return max(_LEAST, now + step)
    if _WORDS["wholly"].intersection(said) and not off:
        return 1.0 if covers else 0.0
    if not off and any(word.startswith(_NOUNS) for word in said):
        return _UNSAID  # Transparenz ändern
    return 1.0 if covers is not off else 0.5


def _says_wholly(clause: Clause) -> bool:
    """`voll bitte`"""
    said = {word.folded for word in clause.words if word.role is not Role.FILLER}
    return bool(said) and said <= _WORDS["wholly"]


def _share(clause: Clause, said: Sequence[str]) -> float | None:
    """`30 %`, `0.3`, `halb`"""
    text = " ".join(part.folded or part.text for part in clause.parts)
    text = _IN_NUMBERS.sub(lambda found: str(_NUMBERS[found[0]]), text)
    if found := _PERCENT.search(text):
        return min(int(found[1]), 100) / 100
    if found := _FRACTION.search(text):
        return float(f"0.{found[1]}") if found[1] else 1.0
    return next((_SHARES[word] for word in said if word in _SHARES), None)


def _moved(clause: Clause, session: Session, last: str) -> tuple[Wish, ...] | None:
    """`Karst zuoberst`, `schieb den Wald eins nach unten`, `die Geotope über den Karst`"""
    if clause.mentions or clause.roles & _BACKGROUNDS:
        return None
    said = f" {' '.join(word.folded for word in clause.words)} "
    to = next((to for to, all_said in _PLACES.items() if any(f" {each} " in said for each in all_said)), None)
    if to is not None:
        name = _name(clause, session) or last
        by_one = not _WORDS["by_one"].isdisjoint(said.split()) and to in _ONE_STEP
        known = is_loaded(name, session) or not name or _orders(clause)
        there = _ONE_STEP[to] if by_one else to
        return (Wish(Intent.MOVE_LAYER, args={"name": name, "to": there}),) if known else None
    if not _WORDS["orders"].isdisjoint(said.split()) and not loaded_as(
        _name(clause, session) or "-", session
    ):
        return (clarify("which_order"),)
    return _beside(clause, session, last)


def _orders(clause: Clause) -> bool:
    """`Schieb`, `mets`, which elsewhere is `lade`."""
    put = (word for word in clause.words if word.role is Role.LOAD and word.language in FOREIGN)
    return any(put) or not _WORDS["moves"].isdisjoint(word.folded for word in clause.words)


def _beside(clause: Clause, session: Session, last: str) -> tuple[Wish, ...] | None:
    """Above or below another loaded layer."""
    at = next((n for n, p in enumerate(clause.parts) if p.folded in _WORDS["above"] | _WORDS["below"]), None)
    if at is None or not session.layers:
        return None
    above = clause.parts[at].folded in _WORDS["above"]
    sides = (clause.parts[:at], clause.parts[at + 1 :])
    name, other = (_name(Clause(tuple(side)), session) for side in sides)
    moves = _orders(clause)
    name = name or (last if moves else "")
    fits = is_loaded(other, session) and other != "*" and (moves or (name and is_loaded(name, session)))
    if not fits or (clause.has_action and not moves and not clause.roles & {Role.CHANGE, Role.CREATE}):
        return None
    return (Wish(Intent.MOVE_LAYER, args={"name": name, "above" if above else "below": other}),)
