"""Bus in, bus out."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import servicekit.errors
from contracts import subjects
from contracts.languages import Language
from contracts.messages import ChatCancelled, ChatRequested, EraseSession, SessionErased, TurnReply
from contracts.suggest import Suggested, Suggestions, SuggestQuery, SuggestRequested
from servicekit import clock
from servicekit.bus import Bus

from edge import errors, ids
from edge.chat import Erase, Submit
from edge.exchanges import Exchanges
from edge.watch import Watch

log = logging.getLogger("edge.handlers")

Suggest = Callable[[SuggestQuery, Language], Awaitable[Suggestions]]

_RECONNECT_POLL_S = 0.05
_SUGGEST_WAIT_S = 0.3
"""By then who writes has written on."""
_MAX_WAITING_SUGGESTIONS = 200
"""Some milliseconds of work for one tool service each."""


def register(bus: Bus, inbox: str, exchanges: Exchanges, watch: Watch) -> None:
    """Replies settle their exchange; after a lost connection some may be missing."""

    async def on_reply(reply: TurnReply) -> None:
        exchanges.settle(reply.exchange, reply.response, reply.choice_id)

    async def on_reconnect() -> None:
        watch.hurry()

    bus.listen(inbox, on_reply, TurnReply)
    bus.on_reconnect(on_reconnect)


def submitter(bus: Bus, timeout_s: float, check: Callable[[], None]) -> Submit:
    """Publishes turns, and says within `timeout_s` seconds when that is not possible; what is known about it
    before, `check` raises."""

    async def submit(message: ChatRequested | ChatCancelled) -> None:
        try:
            async with asyncio.timeout(timeout_s):
                # While the connection is away the client library would keep the message, and send a turn
                # later whose user was told to try again.
                while not bus.is_connected:
                    check()
                    await asyncio.sleep(_RECONNECT_POLL_S)
                await bus.publish(message)
        except errors.BusUnavailable:
            raise
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


def storer(bus: Bus) -> Callable[[], Awaitable[None]]:
    """Has the queue of turns store something that changes nothing: the end of a turn that never was, and that
    nobody waits for any more. Raises `BusUnavailable` or `BusFull`."""

    async def store() -> None:
        await bus.publish(
            ChatCancelled(
                request_id=ids.new_request_id(),
                session_id="none",
                deadline=clock.now(),
                exchange=ids.new_exchange(),
            )
        )

    return store


def eraser(bus: Bus, edge_id: str, timeout_s: float) -> Erase:
    """Has the bus forget a session. Only the orchestrator may remove anything from streams."""
    waiting: dict[str, asyncio.Future[None]] = {}

    async def on_erased(word: SessionErased) -> None:
        done = waiting.get(word.exchange)
        if done is not None and not done.done():
            done.set_result(None)

    async def erase(session_id: str) -> None:
        exchange = ids.new_exchange()
        done = waiting[exchange] = asyncio.get_running_loop().create_future()
        request = EraseSession(session_id=session_id, exchange=exchange, edge_id=edge_id)
        try:
            async with asyncio.timeout(timeout_s):
                await bus.send(subjects.SESSION_ERASE, request)
                await done
        except (servicekit.errors.BusUnavailable, TimeoutError) as error:
            log.warning("session not erased", extra={"session_id": session_id, "reason": repr(error)})
            raise errors.BusUnavailable() from None
        finally:
            del waiting[exchange]

    bus.listen(subjects.erased(edge_id), on_erased, SessionErased)
    return erase


def suggester(bus: Bus, edge_id: str) -> Suggest:
    """Asks whoever knows names. Nothing is suggested without an answer in time, or while too many wait."""
    waiting: dict[str, asyncio.Future[Suggestions]] = {}

    async def on_suggested(word: Suggested) -> None:
        done = waiting.get(word.exchange)
        if done is not None and not done.done():
            done.set_result(word.suggestions)

    async def suggest(query: SuggestQuery, language: Language) -> Suggestions:
        found = Suggestions(from_=len(query.q))
        if len(waiting) >= _MAX_WAITING_SUGGESTIONS or not bus.is_connected:
            return found
        exchange = ids.new_exchange()
        done = waiting[exchange] = asyncio.get_running_loop().create_future()
        request = SuggestRequested(
            q=query.q, limit=query.limit, language=language, exchange=exchange, edge_id=edge_id
        )
        try:
            async with asyncio.timeout(_SUGGEST_WAIT_S):
                await bus.send(subjects.SUGGEST_REQUESTED, request)
                found = await done
        except (servicekit.errors.BusUnavailable, TimeoutError):
            pass
        finally:
            del waiting[exchange]
        return found

    bus.listen(subjects.suggested(edge_id), on_suggested, Suggested)
    return suggest
