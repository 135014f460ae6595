"""When a request is sent once more, and after which pause."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import misbehaving
import pytest
from hypothesis import given
from hypothesis import strategies as st
from misbehaving import Behaviour, MisbehavingServer, healthy, status
from servicekit import deadline
from servicekit.outbound import Outbound, SourceError, SourceErrorKind
from servicekit.retries import backoff_s, retry_after_s

SOURCE = "Die Adresssuche"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "failure",
    [
        status(502),
        status(503),
        status(504),
        status(429),
        misbehaving.connection_reset,
        misbehaving.reset_in_body,
        misbehaving.short_of_content_length,
    ],
)
async def test_a_server_that_recovers_is_hardly_noticed(
    failure: Behaviour, outbound: Outbound, server: MisbehavingServer, pauses: list[float]
) -> None:
    server.behave(failure, failure, healthy(b"{}"))
    assert (await outbound.get(server.url, source=SOURCE)).body == b"{}"
    assert len(server.requests) == 3
    # Full jitter at its upper end, see the fixture.
    assert pauses == [0.1, 0.2]


async def test_a_server_that_recovers_from_silence_is_hardly_noticed(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    server.behave(misbehaving.slow_headers, healthy(b"{}"))
    outbound = make_outbound(read_timeout_s=1)
    assert (await outbound.get(server.url, source=SOURCE)).body == b"{}"


async def test_without_retries_one_request_is_sent(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    server.behave(status(503))
    with pytest.raises(SourceError):
        await make_outbound(max_retries=0).get(server.url, source=SOURCE)
    with pytest.raises(SourceError):
        await make_outbound().get(server.url, source=SOURCE, retry=False)
    assert len(server.requests) == 2


async def test_a_request_that_cannot_succeed_is_not_repeated(
    outbound: Outbound, server: MisbehavingServer
) -> None:
    for code in (400, 401, 403, 404, 405, 406, 410, 415, 500, 501):
        server.behave(status(code))
        with pytest.raises(SourceError) as caught:
            await outbound.get(server.url, source=SOURCE)
        assert (caught.value.status, len(server.requests)) == (code, 1)


async def test_a_listed_status_is_not_repeated(outbound: Outbound, server: MisbehavingServer) -> None:
    server.behave(status(503))
    assert (await outbound.get(server.url, source=SOURCE, statuses=(503,))).status == 503
    assert len(server.requests) == 1


@pytest.mark.parametrize("failure", [status(503), misbehaving.connection_reset])
async def test_a_form_is_not_sent_twice(
    failure: Behaviour, outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(failure)
    with pytest.raises(SourceError):
        await outbound.post(server.url, source=SOURCE, form={"a": "1"})
    assert len(server.requests) == 1


async def test_a_form_is_sent_twice_where_that_does_no_harm(
    outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(status(503), healthy(b"{}"))
    await outbound.post(server.url, source=SOURCE, form={"a": "1"}, retry=True)
    assert [request.body for request in server.requests] == [b"a=1", b"a=1"]


async def test_a_form_that_cannot_have_arrived_is_sent_again(
    make_outbound: Callable[..., Outbound], pauses: list[float]
) -> None:
    with misbehaving.refused() as url, pytest.raises(SourceError) as caught:
        await make_outbound(url).post(url, source=SOURCE, form={"a": "1"})
    assert (caught.value.kind, len(pauses)) == (SourceErrorKind.UNREACHABLE, 2)


async def test_the_pause_that_the_server_asks_for_is_made(
    outbound: Outbound, server: MisbehavingServer, pauses: list[float]
) -> None:
    server.behave(status(503, retry_after="1"), healthy(b"{}"))
    await outbound.get(server.url, source=SOURCE)
    assert pauses == [1.0]


@pytest.mark.parametrize("code", [429, 503])
async def test_a_server_that_asks_for_a_long_pause_is_overloaded(
    code: int, outbound: Outbound, server: MisbehavingServer, pauses: list[float]
) -> None:
    server.behave(status(code, retry_after="120"))
    with pytest.raises(SourceError) as caught:
        await outbound.get(server.url, source=SOURCE)
    assert (caught.value.kind, caught.value.status) == (SourceErrorKind.OVERLOADED, code)
    assert (len(server.requests), pauses) == (1, [])


async def test_a_date_is_understood_as_well(
    outbound: Outbound, server: MisbehavingServer, pauses: list[float]
) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    server.behave(status(503, retry_after=format_datetime(later, usegmt=True)))
    with pytest.raises(SourceError):
        await outbound.get(server.url, source=SOURCE)
    assert (len(server.requests), pauses) == (1, [])


async def test_no_pause_is_begun_that_would_outlast_the_call(
    outbound: Outbound, server: MisbehavingServer, pauses: list[float]
) -> None:
    server.behave(status(503, retry_after="2"))
    with deadline.ends_in(1.5), pytest.raises(SourceError) as caught:
        await outbound.get(server.url, source=SOURCE)
    assert (caught.value.kind, pauses) == (SourceErrorKind.OVERLOADED, [])


@given(attempt=st.integers(1, 60), rand=st.floats(0, 1, exclude_max=True))
def test_back_off_grows_to_a_limit(attempt: int, rand: float) -> None:
    pause_s = backoff_s(attempt, lambda: rand)
    assert 0 <= pause_s <= min(2.0, 0.1 * 2 ** (attempt - 1))
    assert pause_s <= backoff_s(attempt + 1, lambda: rand)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("0", 0),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30),
        ("Sun, 01 Mar 2026 12:00:30 -0000", 30),
        ("Sunday, 01-Mar-26 12:00:30 GMT", 30),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0),
        ("-5", 0),
        ("soon", 0),
        ("", 0),
        (None, 0),
        ("²", 0),
    ],
)
def test_retry_after_has_seconds_or_a_date(header: str | None, seconds: float) -> None:
    assert retry_after_s(header, lambda: NOON) == seconds


@given(st.text() | st.from_regex(r"\d{1,400}", fullmatch=True) | st.datetimes().map(str))
def test_no_header_is_too_odd(header: str) -> None:
    assert retry_after_s(header, lambda: NOON) >= 0
