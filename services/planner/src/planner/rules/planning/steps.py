"""Wishes become the steps of a plan."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from contracts.intents import OF_LOADED_LAYERS, Intent, Target, spec_calling, spec_of
from contracts.intents.spec import PLACE
from contracts.items import Municipality
from contracts.languages import said_in
from contracts.plan import PlanStep
from contracts.session import Session
from contracts.status import Status
from contracts.tools import ToolDescriptor

from planner.rules.grammar.wishes import NAVIGATION, SUMMARY, Wish, clarify
from planner.rules.planning import abilities
from planner.rules.planning.here import Here, here_in
from planner.rules.planning.routes import accepts, args_of, find_route, target_kind
from planner.rules.references.finding import BrokenEgrid, Reference, UnknownCoordinate
from planner.rules.references.places import Place
from planner.texts import text

_WITHOUT_TOOLS = OF_LOADED_LAYERS | {
    Intent.CLEAR_MAP,
    Intent.SET_BACKGROUND,
    Intent.REMOVE_MARKERS,
    Intent.UNDO,
}
_WITHOUT_PLACE = frozenset({Intent.LOAD_LAYER, Intent.ZOOM_TO_LAYER, Intent.SEARCH_DOCUMENTS})
_FINDS_PARCEL = frozenset({Intent.SHOW_PARCEL, Intent.OEREB_EXTRACT})
_ONE_VALUE = frozenset({Intent.SET_BACKGROUND, Intent.SET_LAYER_OPACITY})
_MAX_QUOTED_CHARS = 80
LACKING = "lacking"
"""Among the arguments of a question: the intent that its answer completes."""
_ASKED_FOR = {
    "which_layer": Intent.LOAD_LAYER,
    "which_theme": Intent.LOAD_LAYER,
    "which_extract": Intent.OEREB_EXTRACT,
}


@dataclass(frozen=True)
class Focus:
    """What a wish without a place is about.

    `target` is None after a place that cannot be found out, or is too large: the `area`. What is in focus
    binds to the calls by itself, except `again`: the place of a step whose result has none (a height, a
    plan), which has to be named once more.
    """

    target: Target | None = Target.NOTHING
    again: Reference | None = None
    area: Place | None = None
    here: Here | None = None
    """Where the map is, until a step has moved it."""


def focus_of(session: Session) -> Focus:
    """What the session has selected."""
    bound = {name for item in session.selections for name in item.bindings()}
    area = next((item for item in session.selections if isinstance(item, Municipality)), None)
    here = here_in(session)
    if area is not None:
        return Focus(None, area=Place(area.name, "municipality"), here=here)
    if "egrid" in bound:
        return Focus(Target.CURRENT_PARCEL, here=here)
    return Focus(Target.CURRENT_POINT if "x" in bound else Target.NOTHING, here=here)


def steps_of(
    wishes: Iterable[Wish], focus: Focus, tools: Sequence[ToolDescriptor], language: str
) -> tuple[PlanStep, ...]:
    """One step a wish, in order; a wish that is only repeated makes no second step."""
    steps: list[PlanStep] = []
    for wish in _without_placeless_twins(_without_overruled(tuple(wishes))):
        step, focus = _step(wish, focus, tools, language)
        if not any(_is_same(step, each) for each in steps):
            steps.append(step)
    return tuple(steps)


def _is_same(one: PlanStep, other: PlanStep) -> bool:
    """Of what is said only the words count."""
    said = one.message is not None
    return one == (other.model_copy(update={"args": one.args}) if said else other)


def _without_overruled(wishes: Sequence[Wish]) -> tuple[Wish, ...]:
    """A map has one background, and a layer one opacity: what is said last."""
    of = {
        n: (wish.intent, wish.args.get("name")) for n, wish in enumerate(wishes) if wish.intent in _ONE_VALUE
    }
    last = {what: n for n, what in of.items()}
    return tuple(wish for n, wish in enumerate(wishes) if n not in of or last[of[n]] == n)


def _without_placeless_twins(wishes: Sequence[Wish]) -> Iterator[Wish]:
    """Somebody who says a thing twice, once with its place, means it there."""
    placed = {wish.intent for wish in wishes if wish.target is not None}
    for wish in wishes:
        if not (wish.needs_place and wish.target is None and wish.intent in placed and not wish.query):
            yield wish


def focus_after(wishes: Iterable[Wish], focus: Focus, tools: Sequence[ToolDescriptor]) -> Focus:
    """What is in focus when the wishes are fulfilled."""
    for wish in wishes:
        _, focus = _step(wish, focus, tools, "")
    return focus


def _step(wish: Wish, focus: Focus, tools: Sequence[ToolDescriptor], language: str) -> tuple[PlanStep, Focus]:
    def ask(key: str, **values: str) -> PlanStep:
        message = text(key, language, **values, examples=abilities.examples(tools, language))
        return PlanStep(
            intent=wish.intent,
            status=Status.NEEDS_CLARIFICATION,
            args=_known_of(wish),
            message=message,
            suggestions=abilities.suggestions(key, tools, language),
        )

    if wish == Wish(Intent.LOAD_LAYER):
        wish = clarify("which_layer")
    if wish.text is not None:
        return _in_words(wish, wish.text, tools, language), focus
    if wish == SUMMARY:
        return PlanStep(intent=wish.intent, respond=True), focus
    if wish.intent in _WITHOUT_TOOLS:
        return PlanStep(intent=wish.intent, args=dict(wish.args)), focus
    lost = Focus(None)
    if isinstance(wish.target, BrokenEgrid):
        return ask("broken_egrid", egrid=wish.target.written), lost
    if isinstance(wish.target, UnknownCoordinate):
        return ask("unknown_coordinate", coordinate=wish.target.written[:_MAX_QUOTED_CHARS]), lost
    how = None
    if focus.here and wish.target is None and wish.needs_place:
        known = bool(focus.target is not Target.NOTHING or focus.again or focus.area)
        wish, how = focus.here.of(wish, known=known)
    if wish.target is None and wish.needs_place and focus.again:
        wish = replace(wish, target=focus.again)
    if wish.target is None and wish.needs_place and focus.area and accepts(wish, target_kind(focus.area)):
        wish = replace(wish, target=focus.area)
    if wish.target is None and wish.needs_place and focus.target is None:
        return ask("where_in", place=_shown(focus.area)) if focus.area else ask("where"), lost
    target = _target(wish, focus)
    if target is None or not accepts(wish, target):
        if not isinstance(wish.target, Place):
            return ask("where"), lost
        key = "where_unknown" if wish.target.kind == "unknown" else "where_in"
        return ask(key, place=_shown(wish.target)), Focus(None, area=wish.target)
    shown = dict(wish.args) if wish.intent == Intent.LOAD_LAYER else {}
    route = find_route(replace(wish, args={}) if shown else wish, target, tools)
    if route.missing:
        spec = spec_calling(route.missing)
        step = ask("unavailable", what=said_in(spec.title, language) if spec else route.missing)
        return step, lost if wish.target else focus
    step = PlanStep(intent=wish.intent, calls=route.calls, args=shown | ({"here": how} if how else {}))
    return step, focus if how == "point" else _after(wish, focus, route.calls[0].capability)


def _target(wish: Wish, focus: Focus) -> Target | None:
    if wish.intent in _WITHOUT_PLACE:
        return Target.NOTHING
    if wish.target is not None:
        return target_kind(wish.target)
    return focus.target if wish.needs_place else Target.NOTHING


def _after(wish: Wish, focus: Focus, first: str) -> Focus:
    """What is in focus after a step that begins with the capability `first`."""
    target = wish.target
    if wish.intent in _FINDS_PARCEL:
        return Focus(Target.CURRENT_PARCEL)
    if wish.intent in NAVIGATION:
        if isinstance(target, Place) and target.kind == "municipality" and first != PLACE:
            return Focus(None, area=target)
        return Focus(Target.CURRENT_POINT)
    if target is None or wish.intent in _WITHOUT_PLACE:
        return focus
    return Focus(again=target)


def _known_of(wish: Wish) -> dict[str, Any]:
    """What there is of a wish that cannot be carried out yet."""
    where = args_of(wish.target, "") if wish.target else {}
    return where | dict(wish.args) | ({"query": wish.query} if wish.query else {})


def _shown(place: Place) -> str:
    return place.spoken[:_MAX_QUOTED_CHARS]


def _in_words(wish: Wish, key: str, tools: Sequence[ToolDescriptor], language: str) -> PlanStep:
    spec = spec_of(wish.values.get("intent", ""))
    topic = wish.values.get("topic")
    named = {"topic": text(f"topic_{topic}", language)} if topic else {}
    message = text(
        key,
        language,
        **{**wish.values, **named},
        explanation=said_in(spec.explained, language) if spec else "",
        examples=abilities.examples(tools, language),
        abilities=abilities.listing(tools, language),
    )
    status = Status.OK if wish.intent == Intent.ANSWER else Status.NEEDS_CLARIFICATION
    tried = abilities.suggestions(key, tools, language)
    args = {LACKING: _ASKED_FOR[key]} if key in _ASKED_FOR else {}
    return PlanStep(intent=wish.intent, status=status, args=args, message=message, suggestions=tried)
