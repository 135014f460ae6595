"""Which errors of NATS are waited for, how long, and which are not."""

import asyncio
import ssl

import nats.errors
import pytest
import virtual_time
from servicekit.admittance import MAX_PAUSE_S, Admittance, refusal
from servicekit.errors import Refused

WRONG_PASSWORD = nats.errors.Error("nats: 'Authorization Violation'")
NOT_THERE = ConnectionRefusedError(111, "Connect call failed")

CURABLE = (
    NOT_THERE,
    TimeoutError(),
    nats.errors.TimeoutError(),
    nats.errors.UnexpectedEOF(),
    nats.errors.NoServersError(),
    nats.errors.Error("nats: 'maximum connections exceeded'"),
    nats.errors.Error("nats: 'Authentication Timeout'"),
    nats.errors.Error("nats: empty response from server when expecting INFO message"),
    OSError(-2, "Name or service not known"),
    ssl.SSLEOFError(8, "EOF occurred in violation of protocol"),
    # A service need not make its consumer itself.
    nats.errors.Error('nats: permissions violation for publish to "$js.api.consumer.durable.create.X.y"'),
)
INCURABLE = (
    (WRONG_PASSWORD, "NATS_PASSWORD"),
    (nats.errors.AuthorizationError(), "NATS_PASSWORD"),
    (nats.errors.Error("nats: 'user authentication expired'"), "NATS_PASSWORD"),
    (ssl.SSLCertVerificationError(1, "certificate verify failed: self-signed certificate"), "NATS_CA_FILE"),
    (ssl.SSLError(1, "tlsv13 alert certificate required"), "NATS_CERT_FILE"),
    (UnicodeError("label too long"), "NATS_URL"),
    (
        nats.errors.Error('nats: Permissions Violation for Publish to "$JS.API.CONSUMER.INFO.COMMANDS.x"'),
        "ask bus permissions",
    ),
    (
        nats.errors.Error(
            'nats: Permissions Violation for Publish to "$JS.API.CONSUMER.MSG.NEXT.COMMANDS.x"'
        ),
        "ask bus permissions",
    ),
    (
        nats.errors.Error('nats: Permissions Violation for Subscription to "_INBOX.abc.*"'),
        "ask bus permissions",
    ),
)


@pytest.mark.parametrize("error", CURABLE, ids=repr)
def test_time_cures_what_is_not_there_yet(error: Exception) -> None:
    assert refusal(error) is None


@pytest.mark.parametrize(("error", "what_to_do"), INCURABLE, ids=repr)
def test_time_cures_no_wrong_setting_and_the_reason_says_which(error: Exception, what_to_do: str) -> None:
    reason = refusal(error)
    assert reason is not None
    assert what_to_do in reason and str(error) in reason


def test_a_server_that_comes_late_is_waited_for_ever_longer_but_not_too_long() -> None:
    pauses: list[float] = []

    async def waiting() -> None:
        admittance = Admittance(1, pytest.fail)
        loop = asyncio.get_running_loop()
        for _ in range(1_000):
            since = loop.time()
            await admittance.on_error(NOT_THERE)
            pauses.append(loop.time() - since)
        admittance.is_in()
        # The way back must not take as long.
        since = loop.time()
        await admittance.on_error(NOT_THERE)
        assert loop.time() == since

    virtual_time.run(waiting)
    assert pauses[:5] == pytest.approx([0.25, 0.5, 1, 2, 2])
    assert max(pauses) == pytest.approx(MAX_PAUSE_S)


async def test_before_the_first_connection_it_is_raised_and_afterwards_told() -> None:
    told: list[str] = []
    admittance = Admittance(1, told.append)
    with pytest.raises(Refused, match="NATS_PASSWORD"):
        await admittance.on_error(WRONG_PASSWORD)
    admittance.is_in()
    await admittance.on_error(WRONG_PASSWORD)
    assert told == [refusal(WRONG_PASSWORD)]


async def test_one_server_of_a_cluster_does_not_speak_for_all() -> None:
    told: list[str] = []
    admittance = Admittance(2, told.append)
    admittance.is_in()
    await admittance.on_error(WRONG_PASSWORD)
    admittance.is_in()
    await admittance.on_error(WRONG_PASSWORD)
    assert told == []
    await admittance.on_error(WRONG_PASSWORD)
    assert told == [refusal(WRONG_PASSWORD)]
