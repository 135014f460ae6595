"""Bus in, bus out."""

from typing import Annotated

from contracts import subjects
from contracts.messages import ChatCancelled, ChatRequested, EraseSession, Event, SessionErased
from pydantic import Field
from servicekit import clock
from servicekit.bus import Bus, Delivery, NackMessage

from orchestrator.service import TurnService, refuse

Chat = Annotated[ChatRequested | ChatCancelled, Field(discriminator="kind")]


def register(bus: Bus, turns: TurnService) -> None:
    """A request stays unacknowledged until its turn is finished: JetStream is the timer of the turn."""

    @bus.subscriber(
        subjects.CHAT_REQUESTED,
        subjects.CHAT_CANCELLED,
        drop_expired=False,
        max_ack_pending=-1,
        timer=True,
    )
    async def on_chat(message: Chat, delivery: Delivery) -> None:
        if not subjects.is_token(message.request_id):
            # It becomes part of subjects, and of what is erased.
            refuse("request", message)
            return
        if isinstance(message, ChatCancelled):
            if not await turns.cancel(message) and clock.now() < message.deadline:
                # It has overtaken what it cancels.
                raise NackMessage
            return
        remaining_s = await turns.chat(message, delivery.ack_subject)
        if remaining_s is not None:
            raise NackMessage(delay=remaining_s)

    @bus.subscriber(
        subjects.PLAN_READY,
        subjects.TOOL_RESULT,
        subjects.ACTIONPLAN_READY,
        subjects.ANSWER_READY,
        drop_expired=False,
    )
    async def on_event(event: Event, delivery: Delivery) -> None:
        if delivery.subject != event.subject:
            # Of a sender NATS checks the subject, and nothing that the message says.
            refuse("subject", event)
            return
        await turns.event(event)

    async def on_erase(request: EraseSession) -> None:
        await turns.erase(request.session_id)
        await bus.send(subjects.erased(request.edge_id), SessionErased(exchange=request.exchange))

    bus.listen(subjects.SESSION_ERASE, on_erase, EraseSession, shared=True)
