"""What operators see of calls: one line for a failure, counters, and nothing that a user has typed."""

import logging
from collections.abc import Callable

import misbehaving
import pytest
from misbehaving import MisbehavingServer, healthy, status
from prometheus_client import REGISTRY
from servicekit.outbound import Outbound, SourceError

SOURCE = "Die Adresssuche"
SECRET = "Rötistrasse 4"


def metric(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


async def test_a_failure_is_one_line_without_the_query(
    outbound: Outbound, server: MisbehavingServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    server.behave(status(503))
    with pytest.raises(SourceError) as caught:
        await outbound.get(f"{server.url}/search?map=so", source=SOURCE, params={"q": SECRET})
    (line,) = caplog.records
    facts = vars(line)
    assert (line.levelname, line.message, facts["source"]) == ("WARNING", "source failed", SOURCE)
    assert (facts["url"], facts["status"], facts["tries"]) == (f"{server.url}/search", 503, 3)
    assert facts["kind"] == "overloaded"
    assert SECRET not in str(facts) and "map=so" not in str(facts)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("failure", sorted(misbehaving.FAILURES.keys() - {"truncated JSON"}))
async def test_no_failure_tells_what_was_typed(
    failure: str,
    server: MisbehavingServer,
    make_outbound: Callable[..., Outbound],
    caplog: pytest.LogCaptureFixture,
) -> None:
    server.behave(misbehaving.FAILURES[failure])
    outbound = make_outbound(total_timeout_s=0.3 if failure.startswith(("slow", "stalled")) else 8)
    with pytest.raises(SourceError) as caught:
        await outbound.get(server.url, source=SOURCE, params={"q": "Geheimweg"}, accept=("application/json",))
    (line,) = (vars(record) for record in caplog.records if record.name.startswith("ask"))
    assert "Geheimweg" not in str(line) + str(caught.value)


async def test_a_forbidden_url_is_a_line_too(outbound: Outbound, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(SourceError):
        await outbound.get(f"http://169.254.169.254/?q={SECRET}", source=SOURCE)
    (line,) = caplog.records
    assert vars(line)["kind"] == "forbidden"
    assert SECRET not in str(vars(line))


async def test_a_success_is_silent(
    outbound: Outbound, server: MisbehavingServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    server.behave(status(503), healthy(b"{}"))
    await outbound.get(server.url, source=SOURCE)
    assert caplog.records == []


async def test_calls_and_retries_are_counted_by_origin_and_result(
    outbound: Outbound, server: MisbehavingServer
) -> None:
    origin = server.url
    server.behave(status(503), healthy(b"{}"), status(404))
    await outbound.get(f"{origin}/a?b", source=SOURCE)
    with pytest.raises(SourceError):
        await outbound.get(f"{origin}/c", source=SOURCE)
    assert metric("ask_source_calls_total", origin=origin, result="ok") == 1
    assert metric("ask_source_calls_total", origin=origin, result="failed") == 1
    assert metric("ask_source_retries_total", origin=origin) == 1
    assert metric("ask_source_call_seconds_count", origin=origin) == 2
