"""The circuit breaker alone, and in front of a server."""

import asyncio
from collections.abc import Callable

import misbehaving
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, precondition, rule
from misbehaving import Behaviour, MisbehavingServer, healthy, status
from servicekit import deadline
from servicekit.breaker import Breaker, Ticket
from servicekit.outbound import Outbound, SourceError, SourceErrorKind

SOURCE = "Die Adresssuche"
PAUSE_S = 15.0


class Clock:
    """Stands still until it is told the time."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Breakers(RuleBasedStateMachine):
    """Requests that overlap in any way, against what a breaker promises."""

    FAILURES = 3
    tickets = Bundle("tickets")

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.breaker = Breaker(self.FAILURES, PAUSE_S, self.clock)
        self.in_a_row = 0
        self.paused_at: float | None = None
        self.probes: set[Ticket] = set()

    @rule(target=tickets)
    def ask(self) -> Ticket | None:
        ticket = self.breaker.admit()
        if self.paused_at is None:
            assert ticket is not None
        elif self.probes or self.clock.now - self.paused_at < PAUSE_S:
            assert ticket is None
        else:
            assert ticket is not None
            self.probes = {ticket}
        return ticket

    @rule(ticket=consumes(tickets))
    def succeed(self, ticket: Ticket | None) -> None:
        if ticket is not None:
            self.breaker.succeeded(ticket)
            self.in_a_row, self.paused_at, self.probes = 0, None, set()

    @rule(ticket=consumes(tickets))
    def fail(self, ticket: Ticket | None) -> None:
        if ticket is not None:
            self.breaker.failed(ticket)
            self.in_a_row += 1
            if ticket in self.probes or (self.paused_at is None and self.in_a_row >= self.FAILURES):
                self.paused_at = self.clock.now
            self.probes.discard(ticket)

    @rule(ticket=consumes(tickets))
    def abandon(self, ticket: Ticket | None) -> None:
        if ticket is not None:
            self.breaker.abandoned(ticket)
            self.probes.discard(ticket)

    @precondition(lambda self: self.paused_at is not None)
    @rule(seconds=st.sampled_from([0.1, 1.0, PAUSE_S]))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @invariant()
    def is_open_after_failures_only(self) -> None:
        assert self.breaker.is_open == (self.paused_at is not None)


TestBreakers = Breakers.TestCase


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def outbound(make_outbound: Callable[..., Outbound], clock: Clock) -> Outbound:
    return make_outbound(
        clock=clock, max_retries=0, breaker_failures=3, breaker_pause_s=PAUSE_S, read_timeout_s=5
    )


async def kinds(outbound: Outbound, url: str, calls: int) -> list[str]:
    """What becomes of calls one after the other."""
    found = []
    for _ in range(calls):
        try:
            await outbound.get(url, source=SOURCE, accept=("application/json",))
            found.append("ok")
        except SourceError as error:
            found.append(error.kind)
    return found


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (status(500), "failed"),
        (status(503), "overloaded"),
        (status(504), "failed"),
        (misbehaving.connection_reset, "unreachable"),
    ],
)
async def test_a_server_that_fails_is_left_alone(
    failure: Behaviour, kind: str, outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(failure)
    assert await kinds(outbound, server.url, 6) == [kind] * 3 + ["paused"] * 3
    assert len(server.requests) == 3


async def test_a_silent_server_is_left_alone(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    server.behave(misbehaving.slow_headers)
    outbound = make_outbound(max_retries=0, breaker_failures=3, read_timeout_s=0.05)
    assert await kinds(outbound, server.url, 4) == ["timeout"] * 3 + ["paused"]


async def test_a_dripping_server_is_left_alone(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    server.behave(misbehaving.slow_body)
    outbound = make_outbound(max_retries=0, breaker_failures=3, total_timeout_s=0.1)
    assert await kinds(outbound, server.url, 4) == ["timeout"] * 3 + ["paused"]


async def test_a_closed_port_is_left_alone(make_outbound: Callable[..., Outbound]) -> None:
    with misbehaving.refused() as url:
        outbound = make_outbound(url, max_retries=0, breaker_failures=3)
        assert await kinds(outbound, url, 4) == ["unreachable"] * 3 + ["paused"]


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (status(404), "failed"),
        (status(429), "overloaded"),
        (misbehaving.html, "unreadable"),
        (misbehaving.large_announced(), "too_large"),
        (misbehaving.redirect("http://169.254.169.254/"), "forbidden"),
    ],
)
async def test_a_server_that_answers_is_asked_on(
    failure: Behaviour, kind: str, outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(failure)
    assert await kinds(outbound, server.url, 6) == [kind] * 6
    assert len(server.requests) == 6


async def test_failures_count_only_in_a_row(outbound: Outbound, server: MisbehavingServer) -> None:
    bad, good = status(500), healthy(b"{}")
    server.behave(bad, bad, good, bad, bad, status(404), bad, bad, good)
    assert "paused" not in await kinds(outbound, server.url, 9)


async def test_after_the_pause_one_probe_decides(
    outbound: Outbound, server: MisbehavingServer, clock: Clock
) -> None:
    server.behave(status(500))
    await kinds(outbound, server.url, 3)
    clock.now += PAUSE_S - 0.1
    assert await kinds(outbound, server.url, 1) == ["paused"]
    clock.now += 0.1
    assert await kinds(outbound, server.url, 2) == ["failed", "paused"]
    clock.now += PAUSE_S
    server.behave(healthy(b"{}"))
    assert await kinds(outbound, server.url, 3) == ["ok"] * 3


async def test_of_many_calls_one_is_the_probe(
    outbound: Outbound, server: MisbehavingServer, clock: Clock
) -> None:
    server.behave(status(500))
    await kinds(outbound, server.url, 3)
    clock.now += PAUSE_S
    server.behave(status(500))
    results = await asyncio.gather(*(kinds(outbound, server.url, 1) for _ in range(20)))
    assert sorted(results) == [["failed"], *[["paused"]] * 19]
    assert len(server.requests) == 1


async def test_the_pause_ends_the_retries_of_a_call(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer, pauses: list[float]
) -> None:
    server.behave(status(500))
    outbound = make_outbound(max_retries=10, breaker_failures=3)
    assert await kinds(outbound, server.url, 2) == ["failed", "paused"]
    assert (len(server.requests), len(pauses)) == (3, 2)


async def test_a_caller_without_patience_does_not_blame_the_server(
    outbound: Outbound, server: MisbehavingServer
) -> None:
    server.behave(misbehaving.slow_headers)
    for _ in range(5):
        with deadline.ends_in(0.02):
            assert await kinds(outbound, server.url, 1) == ["timeout"]
    server.behave(healthy(b"{}"))
    assert await kinds(outbound, server.url, 1) == ["ok"]


async def test_a_cancelled_probe_makes_room_for_the_next(
    outbound: Outbound, server: MisbehavingServer, clock: Clock
) -> None:
    server.behave(status(500))
    await kinds(outbound, server.url, 3)
    clock.now += PAUSE_S
    server.behave(misbehaving.slow_headers)
    probe = asyncio.create_task(kinds(outbound, server.url, 1))
    while not server.requests:
        await asyncio.sleep(0.001)
    probe.cancel()
    await asyncio.wait({probe})
    server.behave(healthy(b"{}"))
    assert await kinds(outbound, server.url, 1) == ["ok"]


async def test_servers_are_paused_one_by_one(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    async with MisbehavingServer() as other:
        outbound = make_outbound(server.url, other.url, max_retries=0, breaker_failures=3)
        server.behave(status(500))
        other.behave(healthy(b"{}"))
        assert (await kinds(outbound, server.url, 4))[-1] == SourceErrorKind.PAUSED
        assert await kinds(outbound, other.url, 1) == ["ok"]
        # Also where a redirect leads is left alone.
        other.behave(misbehaving.redirect(server.url))
        assert await kinds(outbound, other.url, 1) == ["paused"]
