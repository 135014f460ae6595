"""Bus in, bus out."""

import asyncio
import logging
from collections.abc import Sequence

import servicekit.errors
from contracts import subjects
from contracts.messages import ChatCancelled, ChatRequested, TurnReply
from servicekit.bus import Bus

from edge import errors
from edge.chat import Erase, Submit
from edge.exchanges import Exchanges
from edge.watch import Watch

log = logging.getLogger("edge.handlers")

_RECONNECT_POLL_S = 0.05


def register(bus: Bus, inbox: str, exchanges: Exchanges, watch: Watch) -> None:
    """Replies settle their exchange; after a lost connection some may be missing."""

    async def on_reply(reply: TurnReply) -> None:
        exchanges.settle(reply.exchange, reply.response, reply.choice_id)

    async def on_reconnect() -> None:
        watch.hurry()

    bus.listen(inbox, on_reply, TurnReply)
    bus.on_reconnect(on_reconnect)


def submitter(bus: Bus, timeout_s: float) -> Submit:
    """Publishes turns, and says within `timeout_s` seconds when that is not possible."""

    async def submit(message: ChatRequested | ChatCancelled) -> None:
        try:
            async with asyncio.timeout(timeout_s):
                # While the connection is away the client library would keep the message, and send a turn
                # later whose user was told to try again.
                while await bus.problem() is not None:  # noqa: ASYNC110
                    await asyncio.sleep(_RECONNECT_POLL_S)
                await bus.publish(message)
        except servicekit.errors.BusFull:
            raise errors.QueueFull() from None
        except (servicekit.errors.BusUnavailable, TimeoutError) as error:
            log.warning("turn not submitted", extra={"request_id": message.request_id, "reason": repr(error)})
            raise errors.BusUnavailable() from None
        except Exception as error:
            # Whatever keeps a turn from being stored: the user may try again.
            log.exception("turn not submitted", extra={"request_id": message.request_id})
            raise errors.BusUnavailable() from error

    return submit


def eraser(bus: Bus) -> Erase:
    """Removes the event logs of turns."""

    async def erase(request_ids: Sequence[str]) -> None:
        try:
            await bus.erase(*map(subjects.turn_event, request_ids))
        except servicekit.errors.BusUnavailable as error:
            log.warning("event logs not erased", extra={"reason": repr(error)})
            raise errors.BusUnavailable() from None

    return erase
