"""Bus in, bus out: `answer.requested` -> deltas in the log of the turn -> `answer.ready`."""

from contracts import subjects
from contracts.messages import AnswerRequested
from servicekit.bus import Bus, Delivery
from servicekit.errors import MessageTooLarge

from responder.answering import Responder
from responder.stream import DeltaStream
from responder.texts import text

MAX_TEXT_CHARS = 20_000
MAX_SOURCES = 20
"""What is left of an answer that the bus does not take: what nobody reads to its end, either."""
_IDS = "request_id", "session_id", "round", "step", "call", "retention_s"


def register(bus: Bus, responder: Responder, delta_interval_s: float) -> None:
    @bus.subscriber(subjects.ANSWER_REQUESTED, cancellable=True)
    async def on_answer_requested(request: AnswerRequested, delivery: Delivery) -> None:
        ids = {name: getattr(request, name) for name in _IDS}
        async with DeltaStream(bus.publish, ids, delivery.attempt, delta_interval_s) as sink:
            ready = await responder.answer(request, sink)
        try:
            await bus.publish(ready)
        except MessageTooLarge:
            cut = f"{ready.text[:MAX_TEXT_CHARS]}\n\n{text('cut', request.language)}"
            await bus.publish(ready.model_copy(update={"text": cut, "sources": ready.sources[:MAX_SOURCES]}))
