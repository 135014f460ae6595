"""Looking at the sources for what is configured: what is said of it, and that it disturbs nobody."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence

import pytest
from servicekit.errors import SourceError, SourceErrorKind
from servicekit.health import Health
from servicekit.probes import Check, Missing, Prober

URL = "https://probe:secret@geo.example/search/?token=secret"
SHOWN = "https://geo.example/search/"
FACET = {"setting": "FACET", "url": SHOWN, "missing": "facet 'x'"}


class Source:
    """Says what it is told to say."""

    def __init__(self, *missing: Missing) -> None:
        self.missing: Sequence[Missing] = missing
        self.error: Exception | None = None
        self.asked = asyncio.Event()
        self.closed = False

    async def __call__(self) -> Sequence[Missing]:
        self.asked.set()
        if self.error is not None:
            raise self.error
        return self.missing

    async def close(self) -> None:
        self.closed = True


def prober_of(*sources: Callable[[], Awaitable[Sequence[Missing]]], interval_s: float = 900) -> Prober:
    async def close() -> None:
        pass

    return Prober([Check("SEARCH_URL", URL, source) for source in sources], interval_s, close)


async def test_what_is_missing_is_said_once_in_the_log_and_always_in_the_details(
    caplog: pytest.LogCaptureFixture,
) -> None:
    source = Source(("FACET", "facet 'x'"))
    prober = prober_of(source)
    for _ in range(3):
        await prober.check()
        assert prober.details()["findings"] == [FACET]
    (line,) = caplog.records
    assert (line.levelno, line.getMessage()) == (logging.WARNING, "source lacks what is configured")
    assert {name: vars(line)[name] for name in FACET} == FACET


async def test_what_is_there_again_is_no_finding_and_new_when_it_goes_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    source = Source(("FACET", "facet 'x'"))
    prober = prober_of(source)
    await prober.check()
    source.missing = ()
    await prober.check()
    assert prober.details()["findings"] == []
    source.missing = (("FACET", "facet 'x'"),)
    await prober.check()
    assert len(caplog.records) == 2


@pytest.mark.parametrize(
    ("error", "missing"),
    [
        (SourceError(SourceErrorKind.UNREACHABLE, "geo.example"), "an answer (unreachable)"),
        (SourceError(SourceErrorKind.FAILED, "geo.example", 404), "an answer (failed, HTTP 404)"),
        (TypeError("what a source sends may be anything"), "an answer (TypeError)"),
    ],
)
async def test_a_source_that_does_not_answer_is_a_finding_and_the_others_are_asked(
    error: Exception, missing: str
) -> None:
    silent, other = Source(), Source(("FACET", "facet 'x'"))
    silent.error = error
    prober = prober_of(silent, other)
    await prober.check()
    assert prober.details()["findings"] == [
        {"setting": "SEARCH_URL", "url": SHOWN, "missing": missing},
        FACET,
    ]


async def test_starting_waits_for_no_source_and_stopping_ends_the_question() -> None:
    source = Source()

    async def hangs() -> Sequence[Missing]:
        await source()
        await asyncio.Event().wait()
        return ()

    prober = Prober([Check("SEARCH_URL", URL, hangs)], 900, source.close)
    async with asyncio.timeout(5):
        await prober.start()
        assert prober.details() == {"checkedAt": None, "findings": []}
        await source.asked.wait()
        await prober.stop()
    assert source.closed


async def test_it_is_looked_again_later() -> None:
    source = Source()
    prober = prober_of(source, interval_s=0.01)
    async with asyncio.timeout(5):
        await prober.start()
        for _ in range(3):
            source.asked.clear()
            await source.asked.wait()
        await prober.stop()


async def test_a_finding_is_no_reason_not_to_be_ready() -> None:
    health, prober = Health("tools-geo"), prober_of(Source(("FACET", "facet 'x'")))
    assert b"details" not in (await health.respond("/readyz"))[2]
    health.show("sources", prober.details)
    await prober.check()
    status, _, body = await health.respond("/readyz")
    ready = json.loads(body)
    assert (status, ready["status"], ready["failures"]) == (200, "ready", {})
    assert ready["details"]["sources"]["findings"] == [FACET]
    assert ready["details"]["sources"]["checkedAt"]
    assert "secret" not in str(ready)
