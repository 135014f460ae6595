"""Bus in, bus out."""

from contracts import subjects
from contracts.messages import ChatRequested, Event
from servicekit.bus import AckPolicy, Bus, Delivery, NackMessage

from orchestrator.conductor import Conductor


def register(bus: Bus, conductor: Conductor) -> None:
    """A message stays unacknowledged until its turn is finished: JetStream is the timer of the turn."""

    @bus.subscriber(
        subjects.CHAT_REQUESTED,
        ack_policy=AckPolicy.NACK_ON_ERROR,
        drop_expired=False,
        max_ack_pending=-1,
    )
    async def on_chat_requested(request: ChatRequested, delivery: Delivery) -> None:
        remaining_s = await conductor.chat(request, delivery.ack_subject)
        if remaining_s is not None:
            raise NackMessage(delay=remaining_s)

    @bus.subscriber(
        subjects.PLAN_READY,
        subjects.TOOL_RESULT,
        subjects.ACTIONPLAN_READY,
        subjects.ANSWER_READY,
        ack_policy=AckPolicy.NACK_ON_ERROR,
        drop_expired=False,
    )
    async def on_event(event: Event) -> None:
        await conductor.event(event)
