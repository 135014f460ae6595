"""From intent and outcome to the answer: which rule applies, and its reply as a `Step`."""

from dataclasses import replace
from itertools import count
from typing import Any

from contracts.actions import SetView
from contracts.chat import Choice, Step, choice_id
from contracts.intents import Intent, spec_of
from contracts.items import Item, OerebExtract
from contracts.languages import said_in
from contracts.markdown import line
from contracts.messages import ActionPlanRequested
from contracts.status import Status
from servicekit.wording import Say

from actionplanner import by_type, choices
from actionplanner.commands import COMMANDS
from actionplanner.facts import facts_of
from actionplanner.here import stays, told_where
from actionplanner.identify import Known, identify
from actionplanner.origins import stale_note
from actionplanner.reply import Reply, ask, choose, fail, retriable
from actionplanner.texts import text
from actionplanner.wording import coordinate

_ASKED = ("q", "query", "egrid", "number", "municipality")
"""Arguments that say what is looked for."""
_MAX_ASKED_CHARS = 60


def plan(request: ActionPlanRequested) -> tuple[Step, tuple[Item, ...]]:
    """The answer to one step, and the items behind its choices in the same order.

    Total and deterministic: every request gets a step; only a choice has choices (two at least, or the one to
    try again or to confirm), and an error or a question for clarification has neither actions nor choices.
    """
    say = text.speaking(request.language)
    reply = _reply(request, say)
    options = reply.options[: choices.MAX_CHOICES]
    step = Step(
        intent=request.intent,
        status=reply.status,
        message=reply.message.strip(),
        map_actions=reply.actions,
        choices=_choices(request, options, say, again=reply.again),
        items=facts_of(reply.items) if reply.status is Status.OK else None,
    )
    return step, options


def _choices(
    request: ActionPlanRequested, options: tuple[Item, ...], say: Say, *, again: bool
) -> tuple[Choice, ...]:
    labels = [say("again")] if again else choices.labels(options, say)
    ids = (choice_id(request.request_id, request.step, n) for n in count(request.first_option))
    return tuple(
        choices.choice(id, label, item, say, preview=not again)
        for id, label, item in zip(ids, labels, options, strict=False)
    )


def _reply(request: ActionPlanRequested, say: Say) -> Reply:
    reply = _fresh_reply(request, say)
    reply = replace(reply, message=told_where(reply, request, say))
    note = stale_note(request.outcome.items, say)
    told = note and reply.status in (Status.OK, Status.NEEDS_USER_CHOICE)
    return replace(reply, message=f"{reply.message}\n{note}") if told else reply


def _fresh_reply(request: ActionPlanRequested, say: Say) -> Reply:
    """As if all sources had just answered."""
    outcome = request.outcome
    message = outcome.message
    if outcome.status is Status.ERROR:
        return fail(message or say("error"))
    if outcome.status is Status.NEEDS_CLARIFICATION:
        return ask(message or _nothing_found(request, say, otherwise="clarify"))
    if _belong_together(request):
        reply = replace(identify(request, outcome.items, say), items=outcome.items)
        is_alone = len(outcome.items) == 1
        return retriable(reply, outcome.items[0]) if outcome.again and is_alone else reply
    items = _alternatives(request)
    if len(items) > 1 or (items and outcome.confirm):
        return choose(choices.message_for(items, outcome, say), items)
    if command := COMMANDS.get(request.intent):
        return command(request, say)
    if items:
        reply = _show(items[0], request, say)
        return retriable(reply, items[0]) if outcome.again and reply.status is Status.OK else reply
    return _nothing(request, say)


def _belong_together(request: ActionPlanRequested) -> bool:
    """Whether all that is known of a place is one answer, and nobody has to choose."""
    outcome = request.outcome
    is_open = request.choose or outcome.confirm or outcome.status is Status.NEEDS_USER_CHOICE
    is_known = any(isinstance(item, Known) for item in outcome.items)
    return request.intent == Intent.IDENTIFY and is_known and not is_open


def _alternatives(request: ActionPlanRequested) -> tuple[Item, ...]:
    """The items, each once.

    Where the caller wants a choice between several, repetitions stay if there is nothing else: a step that
    has more to do after the choice would otherwise end here.
    """
    items = choices.distinct(request.outcome.items)
    return request.outcome.items if request.choose and len(items) == 1 else items


def _show(item: Item, request: ActionPlanRequested, say: Say) -> Reply:
    reply, message = replace(by_type.show(item, request, say), items=(item,)), request.outcome.message
    if stays(item, request):
        kept = tuple(action for action in reply.actions if not isinstance(action, SetView))
        reply = replace(reply, actions=kept)
    tells = isinstance(item, OerebExtract) and reply.status is Status.OK and message
    return replace(reply, message=message) if tells else reply


def _nothing(request: ActionPlanRequested, say: Say) -> Reply:
    message, is_open = request.outcome.message, request.outcome.status is Status.NEEDS_USER_CHOICE
    if _is_nothing_without_item(request.intent) or is_open or not message:
        return ask(message or _nothing_found(request, say, otherwise="nothing_found"))
    return Reply(message)


def _nothing_found(request: ActionPlanRequested, say: Say, *, otherwise: str) -> str:
    """That there is none of what the intent is about, and for what; `otherwise` where that is not known."""
    spec = spec_of(request.intent)
    if spec is None or not spec.nothing_found:
        return say(otherwise)
    asked = line(_asked(request.args, say), _MAX_ASKED_CHARS)
    about = say("about", asked=asked) if asked else ""
    return said_in(spec.nothing_found, request.language).format(about=about)


def _is_nothing_without_item(intent: str) -> bool:
    spec = spec_of(intent)
    return spec is not None and bool(spec.nothing_found)


def _asked(args: dict[str, Any], say: Say) -> str:
    """What was looked for, in the words of the user as far as they are arguments."""
    x, y = args.get("x"), args.get("y")
    if isinstance(x, int | float) and isinstance(y, int | float):
        return coordinate(x, y)
    said = {name: str(args[name]) for name in _ASKED if isinstance(args.get(name), str | int)}
    if said.get("number") and said.get("municipality"):
        return say("asked_parcel", number=said["number"], municipality=said["municipality"])
    return next(filter(None, said.values()), "")
