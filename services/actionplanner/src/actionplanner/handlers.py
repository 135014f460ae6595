"""Bus in, bus out: `actionplan.requested` -> `actionplan.ready`."""

import logging

from contracts import subjects
from contracts.chat import Step
from contracts.items import Item
from contracts.messages import ActionPlanReady, ActionPlanRequested
from contracts.status import Status
from servicekit.bus import Bus
from servicekit.errors import MessageTooLarge

from actionplanner.planning import plan
from actionplanner.texts import text

log = logging.getLogger("ask.actionplanner")


def register(bus: Bus) -> None:
    @bus.subscriber(subjects.ACTIONPLAN_REQUESTED)
    async def on_actionplan_requested(request: ActionPlanRequested) -> None:
        answer, options = _answer(request)
        ready = ActionPlanReady(
            **request.envelope(),
            answer=answer,
            options=options,
        )
        try:
            await bus.publish(ready)
        except MessageTooLarge:
            message = text("too_large", request.language)
            too_large = Step(intent=request.intent, status=Status.ERROR, message=message)
            await bus.publish(ActionPlanReady(**request.envelope(), answer=too_large))


def _answer(request: ActionPlanRequested) -> tuple[Step, tuple[Item, ...]]:
    """A bug in a template would fail at every redelivery too: the turn ends now, with an error step."""
    try:
        return plan(request)
    except Exception:
        log.exception("template failed", extra={"request_id": request.request_id, "intent": request.intent})
        message = text("error", request.language)
        return Step(intent=request.intent, status=Status.ERROR, message=message), ()
