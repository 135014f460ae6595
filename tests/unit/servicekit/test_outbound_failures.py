"""Every way in which a server can fail, and what becomes of it. Every call here must end by itself."""

import asyncio
import gzip
from collections.abc import Callable

import misbehaving
import pytest
from misbehaving import FAILURES, Behaviour, MisbehavingServer, healthy
from servicekit import deadline
from servicekit.outbound import Outbound, SourceError, SourceErrorKind
from servicekit.xml import parse_xml

SOURCE = "Die Adresssuche"
TRIES = 3
"""With two retries."""


async def failure_of(outbound: Outbound, url: str) -> SourceError:
    """Fetches JSON and reads it, as an adapter does."""
    with pytest.raises(SourceError) as caught:
        (await outbound.get(url, source=SOURCE, accept=("application/json",))).json()
    assert caught.value.source == SOURCE
    return caught.value


EXPECTED = {
    "500": (SourceErrorKind.FAILED, 500, 1),
    "502": (SourceErrorKind.FAILED, 502, TRIES),
    "503": (SourceErrorKind.OVERLOADED, 503, TRIES),
    "503 with Retry-After": (SourceErrorKind.OVERLOADED, 503, TRIES),
    "429": (SourceErrorKind.OVERLOADED, 429, TRIES),
    "404": (SourceErrorKind.FAILED, 404, 1),
    "HTML": (SourceErrorKind.UNREADABLE, 200, 1),
    "truncated JSON": (SourceErrorKind.UNREADABLE, None, 1),
    "wrong content type": (SourceErrorKind.UNREADABLE, 200, 1),
    "50 MB": (SourceErrorKind.TOO_LARGE, 200, 1),
    "50 MB announced": (SourceErrorKind.TOO_LARGE, 200, 1),
    "gzip bomb": (SourceErrorKind.TOO_LARGE, 200, 1),
    "broken gzip": (SourceErrorKind.UNREADABLE, None, 1),
    "too short": (SourceErrorKind.UNREADABLE, None, TRIES),
    "redirect to a private address": (SourceErrorKind.FORBIDDEN, 302, 1),
    "redirect to a file": (SourceErrorKind.FORBIDDEN, 302, 1),
    "connection reset": (SourceErrorKind.UNREACHABLE, None, TRIES),
    "reset in the body": (SourceErrorKind.UNREADABLE, None, TRIES),
    "no HTTP": (SourceErrorKind.UNREACHABLE, None, TRIES),
    "XML bomb": (SourceErrorKind.UNREADABLE, 200, 1),
    "external entity": (SourceErrorKind.UNREADABLE, 200, 1),
    "external DTD": (SourceErrorKind.UNREADABLE, 200, 1),
    "service exception": (SourceErrorKind.UNREADABLE, 200, 1),
}
"""Kind of the error, HTTP status, requests that the server has seen."""


@pytest.mark.parametrize("failure", EXPECTED)
async def test_a_failure_has_its_kind_and_its_number_of_requests(
    failure: str, outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(FAILURES[failure])
    error = await failure_of(outbound, server.url)
    assert (error.kind, error.status, len(server.requests)) == EXPECTED[failure]


def test_every_failure_is_expected() -> None:
    assert EXPECTED.keys() | {"slow headers", "slow body", "stalled body"} == FAILURES.keys()


@pytest.mark.parametrize("failure", ["slow headers", "stalled body"])
async def test_a_server_that_falls_silent_is_asked_again(
    failure: str, make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    server.behave(FAILURES[failure])
    error = await failure_of(make_outbound(read_timeout_s=0.1), server.url)
    assert (error.kind, error.status, len(server.requests)) == (SourceErrorKind.TIMEOUT, None, TRIES)


async def test_a_body_that_drips_is_bounded_as_a_whole(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    server.behave(FAILURES["slow body"])
    outbound = make_outbound(read_timeout_s=5, total_timeout_s=0.3)
    error = await failure_of(outbound, server.url)
    assert (error.kind, len(server.requests)) == (SourceErrorKind.TIMEOUT, 1)


async def test_the_tries_are_bounded_as_a_whole(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    server.behave(FAILURES["slow headers"])
    outbound = make_outbound(read_timeout_s=0.2, total_timeout_s=0.3, max_retries=100)
    error = await failure_of(outbound, server.url)
    assert error.kind is SourceErrorKind.TIMEOUT
    assert len(server.requests) <= 2


async def test_the_deadline_of_the_caller_bounds_a_call(
    outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(FAILURES["slow headers"])
    with deadline.ends_in(0.1):
        error = await failure_of(outbound, server.url)
    assert (error.kind, len(server.requests)) == (SourceErrorKind.TIMEOUT, 1)


async def test_after_the_deadline_nothing_is_sent(outbound: Outbound, server: MisbehavingServer) -> None:
    server.behave(healthy(b"{}"))
    with deadline.ends_in(0):
        error = await failure_of(outbound, server.url)
    assert (error.kind, server.connections) == (SourceErrorKind.TIMEOUT, 0)


async def test_a_refused_connection_is_tried_again(
    make_outbound: Callable[..., Outbound], pauses: list[float]
) -> None:
    with misbehaving.refused() as url:
        error = await failure_of(make_outbound(url), url)
    assert (error.kind, error.status, len(pauses)) == (SourceErrorKind.UNREACHABLE, None, TRIES - 1)


async def test_a_connection_that_does_not_come_about_is_given_up(
    make_outbound: Callable[..., Outbound], pauses: list[float]
) -> None:
    with misbehaving.deaf() as url:
        error = await failure_of(make_outbound(url, connect_timeout_s=0.1), url)
    assert (error.kind, len(pauses)) == (SourceErrorKind.UNREACHABLE, TRIES - 1)


async def test_what_comes_after_the_announced_length_is_not_read(
    outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(misbehaving.beyond_content_length)
    assert (await outbound.get(server.url, source=SOURCE)).body == b"{}"
    server.behave(healthy(b"[]"))
    assert (await outbound.get(server.url, source=SOURCE)).body == b"[]"


UNPACKED = bytes(range(256)) * 4
SIZES = pytest.mark.parametrize(
    "behaviour",
    [healthy(UNPACKED), healthy(gzip.compress(UNPACKED), content_encoding="gzip")],
    ids=["plain", "packed"],
)


@SIZES
async def test_a_body_may_be_as_large_as_the_limit(
    behaviour: Behaviour, outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(behaviour)
    answer = await outbound.get(server.url, source=SOURCE, max_body_bytes=len(UNPACKED))
    assert answer.body == UNPACKED


@SIZES
async def test_a_body_may_not_be_larger_than_the_limit(
    behaviour: Behaviour, outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(behaviour)
    with pytest.raises(SourceError) as caught:
        await outbound.get(server.url, source=SOURCE, max_body_bytes=len(UNPACKED) - 1)
    assert caught.value.kind is SourceErrorKind.TOO_LARGE


async def test_a_failed_call_does_not_disturb_another(outbound: Outbound, server: MisbehavingServer) -> None:
    server.behave(FAILURES["too short"])
    failures = [failure_of(outbound, server.url) for _ in range(10)]
    for error in await asyncio.gather(*failures):
        assert error.kind is SourceErrorKind.UNREADABLE
    server.behave(healthy(b"{}"))
    answers = await asyncio.gather(*(outbound.get(server.url, source=SOURCE) for _ in range(10)))
    assert {answer.body for answer in answers} == {b"{}"}


async def test_more_calls_than_connections_wait_for_each_other(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    server.behave(healthy(b"{}"))
    outbound = make_outbound(max_connections=2)
    await asyncio.gather(*(outbound.get(server.url, source=SOURCE) for _ in range(20)))
    assert len(server.requests) == 20
    assert server.connections <= 2


@pytest.mark.parametrize("failure", ["XML bomb", "external entity", "external DTD"])
async def test_dangerous_xml_is_unreadable(
    failure: str, outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(FAILURES[failure])
    answer = await outbound.get(server.url, source=SOURCE, accept=("application/xml",))
    with pytest.raises(SourceError) as caught:
        parse_xml(answer.body, answer.source)
    assert (caught.value.kind, caught.value.source) == (SourceErrorKind.UNREADABLE, SOURCE)


async def test_a_service_exception_arrives_as_the_document_that_it_is(
    outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(FAILURES["service exception"])
    answer = await outbound.get(server.url, source=SOURCE, accept=("application/xml",))
    root = parse_xml(answer.body, answer.source)
    assert root.tag == "{http://www.opengis.net/ogc}ServiceExceptionReport"
