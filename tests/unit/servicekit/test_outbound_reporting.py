"""What operators see of calls: one line for a failure, counters, and nothing that a user has typed."""

import asyncio
import logging
import ssl
from collections.abc import Callable
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import misbehaving
import pytest
from certificates import self_signed
from cryptography import x509
from misbehaving import MisbehavingServer, healthy, status
from prometheus_client import REGISTRY
from servicekit.outbound import Outbound, SourceError
from servicekit.texts import source_text

SOURCE = "Die Adresssuche"
SECRET = "Rötistrasse 4"


class Counted:
    """What is counted of one server from now on. Another test may have had its port before."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._before = self._samples()

    def _samples(self) -> dict[tuple[str, str | None], float]:
        return {
            (sample.name, sample.labels.get("result")): sample.value
            for metric in REGISTRY.collect()
            for sample in metric.samples
            if sample.labels.get("origin") == self._origin and "le" not in sample.labels
        }

    def more(self, name: str, result: str | None = None) -> float:
        """How many more there are."""
        key = name, result
        return self._samples().get(key, 0.0) - self._before.get(key, 0.0)


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


async def test_the_server_that_a_redirect_led_to_is_named(
    make_outbound: Callable[..., Outbound], server: MisbehavingServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with MisbehavingServer() as other:
        server.behave(misbehaving.redirect(f"{other.url}/there?q={SECRET}"))
        other.behave(status(404))
        counted, counted_there = Counted(server.url), Counted(other.url)
        with pytest.raises(SourceError) as caught:
            await make_outbound(server.url, other.url).get(f"{server.url}/search", source=SOURCE)
    (line,) = (vars(record) for record in caplog.records)
    assert (line["source"], line["url"], line["redirected_to"]) == (SOURCE, f"{server.url}/search", other.url)
    assert SECRET not in str(line) + str(caught.value)
    assert counted_there.more("ask_source_calls_total", "failed") == 1
    assert counted.more("ask_source_calls_total", "failed") == 0


async def test_who_is_not_redirected_is_named_once(
    outbound: Outbound, server: MisbehavingServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.behave(status(404))
    with pytest.raises(SourceError):
        await outbound.get(server.url, source=SOURCE)
    (line,) = caplog.records
    assert vars(line)["redirected_to"] is None


LOOPBACK = x509.IPAddress(ip_address("127.0.0.1"))


@pytest.mark.parametrize(
    ("names", "made", "trusted", "reason"),
    [
        ([LOOPBACK], {}, False, "certificate: self-signed certificate"),
        ([LOOPBACK], {"ends_in": timedelta(hours=-1)}, True, "certificate: certificate has expired"),
        (
            [x509.DNSName("geo.example")],
            {},
            True,
            "certificate: IP address mismatch, certificate is not valid for '127.0.0.1'.",
        ),
        ([LOOPBACK], {"issuer": "unknown"}, False, "certificate: unable to get local issuer certificate"),
    ],
    ids=["self-signed", "expired", "of another host", "of an unknown authority"],
)
async def test_what_is_wrong_with_a_certificate_is_in_the_log_only(
    names: list[x509.GeneralName],
    made: dict[str, Any],
    trusted: bool,
    reason: str,
    make_outbound: Callable[..., Outbound],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    certificate, key = self_signed(tmp_path, *names, **made)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with MisbehavingServer(tls=tls) as server:
        server.behave(healthy(b"{}"))
        with pytest.raises(SourceError) as caught:
            await make_outbound(server.url).get(server.url, source=SOURCE, params={"q": SECRET})
    (line,) = (vars(record) for record in caplog.records if record.name == "ask.outbound")
    assert (line["kind"], line["reason"]) == ("unreachable", reason)
    assert "certificate" not in str(caught.value) + source_text(caught.value)
    assert SECRET not in str(line)


async def test_a_server_without_tls_is_said_so(
    make_outbound: Callable[..., Outbound], caplog: pytest.LogCaptureFixture
) -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n")
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as mail:
        url = f"https://127.0.0.1:{mail.sockets[0].getsockname()[1]}"
        with pytest.raises(SourceError):
            await make_outbound(url).get(url, source=SOURCE)
    (line,) = (vars(record) for record in caplog.records if record.name == "ask.outbound")
    assert line["reason"] == "TLS: WRONG_VERSION_NUMBER"


async def test_a_good_certificate_is_trusted(
    make_outbound: Callable[..., Outbound], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = self_signed(tmp_path, LOOPBACK)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with MisbehavingServer(tls=tls) as server:
        server.behave(healthy(b"{}"))
        assert (await make_outbound(server.url).get(server.url, source=SOURCE)).status == 200


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
    counted = Counted(origin)
    server.behave(status(503), healthy(b"{}"), status(404))
    await outbound.get(f"{origin}/a?b", source=SOURCE)
    with pytest.raises(SourceError):
        await outbound.get(f"{origin}/c", source=SOURCE)
    assert counted.more("ask_source_calls_total", "ok") == 1
    assert counted.more("ask_source_calls_total", "failed") == 1
    assert counted.more("ask_source_retries_total") == 1
    assert counted.more("ask_source_call_seconds_count") == 2
