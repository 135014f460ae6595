"""The circuit breaker alone, and in front of a server."""

import asyncio
import itertools
from collections.abc import Callable

import misbehaving
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule
from misbehaving import Behaviour, Exchange, MisbehavingServer, healthy, status
from servicekit import deadline
from servicekit.breaker import Breaker, Ticket
from servicekit.outbound import Outbound, OutboundSettings, SourceError, SourceErrorKind

SOURCE = "Die Adresssuche"
PAUSE_S = 15.0
WINDOW_S = 60.0
SETTINGS = OutboundSettings(outbound_breaker_min_questions=3, outbound_breaker_pause_s=PAUSE_S)


class Clock:
    """Stands still until it is told the time."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Breakers(RuleBasedStateMachine):
    """Requests that overlap in any way, against what a breaker promises."""

    tickets = Bundle("tickets")
    questions = st.integers(1, 6)

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.breaker = Breaker(SETTINGS, self.clock)
        self.verdicts: dict[int, tuple[float, bool]] = {}
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

    @rule(ticket=consumes(tickets), question=questions)
    def succeed(self, ticket: Ticket | None, question: int) -> None:
        if ticket is not None:
            self.breaker.succeeded(ticket, question)
            if ticket in self.probes:
                self.verdicts, self.paused_at, self.probes = {}, None, set()
            self.verdicts[question] = self.clock.now, False

    @rule(ticket=consumes(tickets), question=questions)
    def fail(self, ticket: Ticket | None, question: int) -> None:
        if ticket is not None:
            self.breaker.failed(ticket, question)
            self.verdicts[question] = self.clock.now, True
            recent = [failed for at, failed in self.verdicts.values() if self.clock.now - at <= WINDOW_S]
            is_bad = len(recent) >= 3 and sum(recent) >= len(recent) / 2
            if ticket in self.probes or (self.paused_at is None and is_bad):
                self.paused_at = self.clock.now
            self.probes.discard(ticket)

    @rule(ticket=consumes(tickets))
    def abandon(self, ticket: Ticket | None) -> None:
        if ticket is not None:
            self.breaker.abandoned(ticket)
            self.probes.discard(ticket)

    @rule(seconds=st.sampled_from([0.1, 1.0, PAUSE_S, WINDOW_S]))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @invariant()
    def is_open_after_failures_only(self) -> None:
        assert self.breaker.is_open == (self.paused_at is not None)


TestBreakers = Breakers.TestCase


def test_with_much_traffic_a_source_that_dies_is_noticed_soon() -> None:
    breaker = Breaker(SETTINGS, Clock())
    for question in range(1_000):
        breaker.succeeded(Ticket(), question)
    failures = 0
    while not breaker.is_open:
        breaker.failed(Ticket(), -failures)
        failures += 1
    assert failures <= 20


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def outbound(make_outbound: Callable[..., Outbound], clock: Clock) -> Outbound:
    return make_outbound(
        clock=clock, max_retries=0, breaker_min_questions=3, breaker_pause_s=PAUSE_S, read_timeout_s=5
    )


_different = itertools.count()


async def kinds(outbound: Outbound, url: str, calls: int, *, question: str | None = None) -> list[str]:
    """What becomes of calls one after the other, each with a question of its own, or all with the same."""
    found = []
    for _ in range(calls):
        asked = question or f"parcel {next(_different)}"
        try:
            await outbound.get(url, source=SOURCE, params={"q": asked}, accept=("application/json",))
            found.append("ok")
        except SourceError as error:
            found.append(error.kind)
    return found


GONE = [
    (status(502), "failed"),
    (status(503), "overloaded"),
    (status(504), "failed"),
    (misbehaving.connection_reset, "unreachable"),
    (misbehaving.reset_in_body, "unreadable"),
    (misbehaving.short_of_content_length, "unreadable"),
]


@pytest.mark.parametrize(("failure", "kind"), GONE)
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
    outbound = make_outbound(max_retries=0, breaker_min_questions=3, read_timeout_s=0.05)
    assert await kinds(outbound, server.url, 4) == ["timeout"] * 3 + ["paused"]


async def test_a_dripping_server_is_left_alone(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    server.behave(misbehaving.slow_body)
    outbound = make_outbound(max_retries=0, breaker_min_questions=3, total_timeout_s=0.1)
    assert await kinds(outbound, server.url, 4) == ["timeout"] * 3 + ["paused"]


async def test_a_closed_port_is_left_alone_whatever_is_asked(make_outbound: Callable[..., Outbound]) -> None:
    with misbehaving.refused() as url:
        outbound = make_outbound(url, breaker_min_questions=3)
        assert await kinds(outbound, url, 4, question="always this") == ["unreachable"] * 3 + ["paused"]


@pytest.mark.parametrize("failure", [misbehaving.slow_headers, *(behaviour for behaviour, _ in GONE)])
async def test_one_bad_question_asked_again_and_again_leaves_the_source_open_for_everybody_else(
    failure: Behaviour, make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    outbound = make_outbound(read_timeout_s=0.2)
    server.behave(failure)
    assert "paused" not in await kinds(outbound, server.url, 6, question="CH955832730623")
    assert len(server.requests) == 18
    server.behave(healthy(b"{}"))
    assert await kinds(outbound, server.url, 20) == ["ok"] * 20


async def test_a_source_that_answers_most_questions_stays_open(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    outbound = make_outbound()
    for _ in range(10):
        server.behave(healthy(b"{}"))
        assert await kinds(outbound, server.url, 2) == ["ok"] * 2
        server.behave(status(504))
        assert await kinds(outbound, server.url, 1) == ["failed"]


async def test_a_failure_that_the_retries_hide_is_none(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    outbound = make_outbound(breaker_min_questions=1)
    for _ in range(5):
        server.behave(status(503), status(502), healthy(b"{}"))
        assert await kinds(outbound, server.url, 1) == ["ok"]


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (status(404), "failed"),
        (status(500), "failed"),
        (status(501), "failed"),
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


async def test_after_the_pause_one_probe_decides(
    outbound: Outbound, server: MisbehavingServer, clock: Clock
) -> None:
    server.behave(status(502))
    await kinds(outbound, server.url, 3)
    clock.now += PAUSE_S - 0.1
    assert await kinds(outbound, server.url, 1) == ["paused"]
    clock.now += 0.1
    assert await kinds(outbound, server.url, 2) == ["failed", "paused"]
    clock.now += PAUSE_S
    server.behave(healthy(b"{}"))
    assert await kinds(outbound, server.url, 3) == ["ok"] * 3


async def test_a_source_that_is_back_is_not_blamed_for_the_past(
    outbound: Outbound, server: MisbehavingServer, clock: Clock
) -> None:
    server.behave(status(502))
    await kinds(outbound, server.url, 3)
    clock.now += PAUSE_S
    server.behave(healthy(b"{}"), status(502), healthy(b"{}"))
    assert await kinds(outbound, server.url, 3) == ["ok", "failed", "ok"]


async def test_of_many_calls_one_is_the_probe(
    outbound: Outbound, server: MisbehavingServer, clock: Clock
) -> None:
    server.behave(status(502))
    await kinds(outbound, server.url, 3)
    clock.now += PAUSE_S
    server.behave(status(502))
    results = await asyncio.gather(*(kinds(outbound, server.url, 1) for _ in range(20)))
    assert sorted(results) == [["failed"], *[["paused"]] * 19]
    assert len(server.requests) == 1


async def test_the_pause_ends_the_retries_of_a_call(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer, pauses: list[float]
) -> None:
    outbound = make_outbound(breaker_min_questions=1)

    async def while_another_fails(exchange: Exchange) -> None:
        with pytest.raises(SourceError):
            await outbound.get(server.url, source=SOURCE, retry=False)
        await status(502)(exchange)

    server.behave(while_another_fails, status(502))
    assert await kinds(outbound, server.url, 2) == ["failed", "paused"]
    assert (len(server.requests), pauses) == (2, [])


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
    server.behave(status(502))
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
        outbound = make_outbound(server.url, other.url, max_retries=0, breaker_min_questions=3)
        server.behave(status(502))
        other.behave(healthy(b"{}"))
        assert (await kinds(outbound, server.url, 4))[-1] == SourceErrorKind.PAUSED
        assert await kinds(outbound, other.url, 1) == ["ok"]
        # Also where a redirect leads is left alone.
        other.behave(misbehaving.redirect(server.url))
        assert await kinds(outbound, other.url, 1) == ["paused"]


async def test_services_of_one_server_are_paused_one_by_one(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer
) -> None:
    search, data = f"{server.url}/api/search/v2/", f"{server.url}/api/data"
    outbound = make_outbound(search, data, max_retries=0, breaker_min_questions=3)
    server.behave(status(502))
    assert (await kinds(outbound, f"{data}/v1/parcels/", 4))[-1] == SourceErrorKind.PAUSED
    server.behave(healthy(b"{}"))
    for other in (search, f"{search}?x", f"{data}products", server.url):
        assert await kinds(outbound, other, 1) == ["ok"]
    # It is paused where a redirect leads, not where it begins.
    server.behave(misbehaving.redirect(f"{data}/v2/"))
    assert await kinds(outbound, search, 1) == ["paused"]
    server.behave(healthy(b"{}"))
    assert await kinds(outbound, search, 1) == ["ok"]
