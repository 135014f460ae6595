"""The bookkeeping of who waits."""

import asyncio

import pytest
from contracts.chat import ChatResponse

from edge import errors
from edge.exchanges import Exchanges, Forwarded

RESPONSE = ChatResponse.of("req-1", ())
OTHER = ChatResponse.of("req-2", ())


async def test_an_exchange_gets_its_own_ending() -> None:
    exchanges = Exchanges()
    with exchanges.open("req-1", "s") as one, exchanges.open("req-2", "s") as two:
        assert exchanges.settle(two.exchange, OTHER, None)
        assert exchanges.settle(one.exchange, RESPONSE, None)
        assert (await one.ending, await two.ending) == (RESPONSE, OTHER)


async def test_a_choice_id_is_a_forwarding_and_a_response_beats_it() -> None:
    exchanges = Exchanges()
    with exchanges.open("req-1", "s") as one, exchanges.open("req-1", "s") as two:
        exchanges.settle(one.exchange, None, "c")
        exchanges.settle(two.exchange, RESPONSE, "c")
        assert (await one.ending, await two.ending) == (Forwarded("c"), RESPONSE)


async def test_the_first_ending_counts() -> None:
    exchanges = Exchanges()
    with exchanges.open("req-1", "s") as waiting:
        assert exchanges.settle(waiting.exchange, RESPONSE, None)
        assert not exchanges.settle(waiting.exchange, OTHER, None)
        exchanges.end_session("s")
        exchanges.release()
        assert await waiting.ending == RESPONSE


async def test_what_is_no_ending_or_for_nobody_changes_nothing() -> None:
    exchanges = Exchanges()
    with exchanges.open("req-1", "s") as waiting:
        assert not exchanges.settle("somebody", RESPONSE, None)
        assert not exchanges.settle(waiting.exchange, None, None)
        assert exchanges.waiting() == (waiting,)
    assert not exchanges.settle(waiting.exchange, RESPONSE, None)


async def test_an_exchange_is_closed_whatever_happens() -> None:
    exchanges = Exchanges()
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), exchanges.open("req-1", "s"):
            assert len(exchanges) == 1
            raise ZeroDivisionError
        assert len(exchanges) == 0


async def test_an_exchange_whose_client_has_left_takes_its_ending_and_counts_as_nobody() -> None:
    exchanges = Exchanges()
    with exchanges.open("req-1", "s") as waiting:
        exchanges.leave(waiting)
        exchanges.leave(waiting)
        assert len(exchanges) == 0
        assert exchanges.waiting() == (waiting,)
        assert exchanges.settle(waiting.exchange, RESPONSE, None)
        assert await waiting.ending == RESPONSE


async def test_a_deleted_session_ends_its_own_exchanges_only() -> None:
    exchanges = Exchanges()
    with exchanges.open("req-1", "deleted") as one, exchanges.open("req-2", "kept") as two:
        exchanges.end_session("deleted")
        with pytest.raises(errors.SessionDeleted) as told:
            await one.ending
        assert told.value.request_id == "req-1"
        assert not two.ending.done()


async def test_who_is_released_is_told_which_turn_goes_on() -> None:
    exchanges = Exchanges()
    with exchanges.open("req-1", "s") as waiting:
        exchanges.refuse()
        assert not waiting.ending.done()
        with pytest.raises(errors.BusUnavailable), exchanges.open("req-2", "s"):
            pass
        exchanges.release()
        with pytest.raises(errors.ShuttingDown) as told:
            await waiting.ending
    assert told.value.request_id == "req-1"


async def test_an_exchange_whose_waiting_was_cancelled_takes_no_ending() -> None:
    exchanges = Exchanges()
    with exchanges.open("req-1", "s") as waiting:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await waiting.ending
        assert not exchanges.settle(waiting.exchange, RESPONSE, None)
