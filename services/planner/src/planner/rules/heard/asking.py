"""What is asked: of layers, of a place, of documents; how far it is."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from contracts.intents import Intent
from contracts.session import Session

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.counting import UNITS, asked_of_them, counted_at, counted_in
from planner.rules.grammar.documents import question_for_documents
from planner.rules.grammar.features import layers_in_view
from planner.rules.grammar.loaded import BOTH, is_loaded
from planner.rules.grammar.parts import Mention, Word
from planner.rules.grammar.pointing import pointer_of
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import Wish
from planner.rules.heard.given import Given, Maker
from planner.rules.heard.layers import layers_meant
from planner.rules.heard.loading import topics_in
from planner.rules.heard.meant import meant_layers
from planner.rules.heard.places import reference_in
from planner.rules.planning.past import Past
from planner.rules.planning.recalling import recall_of
from planner.rules.planning.threads import Hold, continued, hold_of
from planner.rules.reading.lexicon import Role
from planner.rules.references.finding import Reference
from planner.rules.references.layers import is_layer, layer_named, title_called
from planner.rules.references.places import Place

_COUNTS: Final = frozenset({"viele", "wieviel", "wieviele", "anzahl", "zahl", "mehr", "weniger", "statistik"})
_MANY: Final = ("viele", "wieviele")
_EVERYWHERE: Final = frozenset({"kanton", "kantons", "kantonsweit", "kantonsgebiet", "ueberall"})
_AREAS: Final = _EVERYWHERE | frozenset(
    {"total", "kataster", "katasters", "bezirk", "bezirke", "gemeinde", "gemeinden", "stadt", "dorf"}
)
_BOTH: Final = BOTH | {"zwei", "zweien"}
_OF_THINGS: Final = frozenset({Intent.QUERY_FEATURES, Intent.LOAD_LAYER})
_MAX_NAME_WORDS = 4
_ON_POINT_M = 1.0
"""Who asks what a layer says at a place means the place itself."""


def _documents(intent: str, given: Given) -> Wishes:
    """The question itself; one that hangs on what was said before has the subject of that, or else none."""
    said = given.said
    wish = question_for_documents(said)
    if hold_of(said, asks=True) is Hold.NONE:
        return (wish,)
    thread = recall_of(given.past.session)()
    if thread is None:
        return (wish,) if said.nouns else ()
    return (replace(wish, query=continued(said, thread)),)


def _queried(intent: str, given: Given) -> Wishes:
    """`Statistik Denkmäler Lebern`; `Und deren Anzahl?` is about the layer and the place of before."""
    said, past = given.said, given.past
    layer = thing_in(said) or next(iter(layers_meant(said.parts)), "")
    layer = layer or ("" if _names_other(said, past.session) else _thing_before(past))
    if not layer:
        return ()
    wish = _with_asked(counted_in(layer, None), given)
    exact = reference_in(said)
    if exact is not None and not isinstance(exact, Place):
        args = {"layer": layer, "radius": _ON_POINT_M}
        return (Wish(intent, exact, args=args, at_place=True),)
    places = places_in(said) or _places_before(said, past, goes_on=not thing_in(said))
    return tuple(counted_at(wish, place) for place in places) or (wish,)


def in_loaded(wishes: Wishes, said: Utterance, past: Past) -> Wishes:
    """Wishes that count in the layer that was loaded last what it was called then: `Wie viele sind es?`"""
    seen = [layer.label for layer in past.session.layers if layer.visible][-1:]
    return tuple(
        replace(wish, args={**wish.args, "layer": seen[0]})
        if seen and _was_loaded(wish, said, past)
        else wish
        for wish in wishes
    )


def _was_loaded(wish: Wish, said: Utterance, past: Past) -> bool:
    """Whether what it counts is not named now, no name of a layer, and what the last one was loaded for."""
    layer = str(wish.args.get("layer", ""))
    if wish.intent != Intent.QUERY_FEATURES or not layer or title_called(layer) or layer in said.text:
        return False
    loads = (each.query for each in past.everything if each.intent == Intent.LOAD_LAYER)
    return layer in next(loads, "")


def thing_in(said: Utterance) -> str:
    """What is counted: the last of the longest words that a layer is called by, else what sounds like one."""
    named: list[str] = []
    for clause in said.clauses:
        for phrase in clause.phrases(Role.GEOTHERMAL):
            words = [word for word in clause.words if f" {word.text} " in f" {phrase} "]
            named += [" ".join(word.text for word in run) for run in _runs(words) if _is_called(run)]
    if named:
        return max(reversed(named), key=lambda name: len(name.split()))
    return next((topic for topic in topics_in(said) if not _AREAS.issuperset(topic.casefold().split())), "")


def _names_other(said: Utterance, session: Session) -> bool:
    """`Wie viele Leute sind das?`: whether something is counted that is no loaded layer."""
    counted = (word for before, word in pairwise(said.words) if before.folded.endswith(_MANY))
    return any(word.is_content and word.is_noun and not is_loaded(word.text, session) for word in counted)


def _runs(words: list[Word]) -> Iterator[list[Word]]:
    """All words that stand side by side."""
    for size in range(1, _MAX_NAME_WORDS + 1):
        yield from (words[at : at + size] for at in range(len(words) - size + 1))


def _is_called(words: list[Word]) -> bool:
    said = [piece for word in words for piece in word.folded.split()]
    if _AREAS.issuperset(said):
        return False
    return bool(layer_named(said)) or (len(words) == 1 and words[0].is_noun and is_layer(words[0].folded))


def places_in(said: Utterance) -> tuple[Place, ...]:
    """Each place once; more than one are compared."""
    mentioned = (part.what for part in said.parts if isinstance(part, Mention))
    return tuple(dict.fromkeys(what for what in mentioned if isinstance(what, Place)))


def _thing_before(past: Past) -> str:
    """What was counted or loaded last."""
    counted = (
        str(wish.args.get("layer") or wish.query) for wish in past.everything if wish.intent in _OF_THINGS
    )
    loaded = [layer.label for layer in past.session.layers if layer.visible][-1:]
    return next(filter(None, (*counted, *loaded)), "")


def _places_before(said: Utterance, past: Past, *, goes_on: bool) -> tuple[Reference, ...]:
    """`Wie viele sind es dort?`; `Wo hat es mehr, in welchem der beiden?` is about the last two places."""
    words = {piece for word in said.words for piece in word.folded.split()}
    if words & _EVERYWHERE or not (goes_on or pointer_of(said.words)):
        return ()
    named = dict.fromkeys(filter(None, map(_place_of, past.everything)))
    return tuple(named)[: 2 if words & _BOTH else 1]


def _place_of(wish: Wish) -> Place | None:
    """Districts are told by their name."""
    region = wish.args.get("municipality")
    if isinstance(wish.target, Place):
        return wish.target
    return Place(region, "region") if isinstance(region, str) else None


def _with_asked(wish: Wish, given: Given) -> Wish:
    """With the number, the order or the size that is asked for."""
    session = given.past.session
    kept = [
        word
        for word in given.said.words
        if word.folded in UNITS or word.text[:1].isdigit() or asked_of_them(Clause((word,)), session)
    ]
    asked: Mapping[str, Any] = (asked_of_them(Clause(tuple(kept)), session) or {}) if kept else {}
    counts = _COUNTS & {piece for word in given.said.words for piece in word.folded.split()}
    asked = asked or ({"function": "count"} if counts else {})
    return replace(wish, args={**wish.args, **asked})


def _identified(intent: str, given: Given) -> Wishes:
    """What is at a place, or was shown before; or what a layer says there: `Was sagt der Karst hier?`"""
    session, pointer = given.past.session, pointer_of(given.said.words)
    target = reference_in(given.said)
    if named := meant_layers(given.said.clauses, session.layers):
        only: dict[str, Any] = {"layers": tuple(layer.id for layer in named), "place": False}
        return (Wish(intent, target, args=only, pointer=pointer, at_place=True),)
    if asked := [wish for wish in given.read if wish.intent == Intent.QUERY_FEATURES and wish.at_place]:
        return tuple(asked[:1])  # of one that is not loaded
    args = {"layers": layers} if (layers := layers_in_view(session)) else {}
    return (Wish(intent, target, args=args, pointer=pointer, at_place=True),)


ASKING: Mapping[str, Maker] = {
    Intent.SEARCH_DOCUMENTS: _documents,
    Intent.QUERY_FEATURES: _queried,
    Intent.IDENTIFY: _identified,
}
