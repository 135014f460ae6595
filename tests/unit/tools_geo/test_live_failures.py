"""Every live gateway × every way to fail: what the user is told, and that an earlier answer still serves."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from contracts.messages import Outcome
from contracts.research import ErrorType
from contracts.status import Status
from geo_live import live_gateway
from misbehaving import FAILURES, MisbehavingServer, deaf, refused, status
from recorded.server import RecordedServer
from servicekit.errors import SourceError, SourceErrorKind
from servicekit.testing import MemoryBus
from servicekit.texts import source_text

from tools_geo.gateways import Gateways
from tools_geo.handlers import register

Kind = SourceErrorKind


@dataclass(frozen=True)
class Case:
    """One tool of one gateway, with a question that the recorded server can answer."""

    kind: str
    """The field of `Gateways`."""
    capability: str
    args: dict[str, Any]
    source: str
    """What users are told of the source; `{host}` is the server's."""
    otherwise: Mapping[str, tuple[Kind, int | None]] = field(default_factory=dict)
    """Failures that mean something else to this format."""
    changes: Mapping[str, str] = field(default_factory=dict)
    """Settings; `{url}` is the server's."""

    def __str__(self) -> str:
        return self.capability


AS_XML: Mapping[str, tuple[Kind, int | None]] = {
    # JSON is not read at all, however long it is.
    **dict.fromkeys(
        ("slow body", "stalled body", "50 MB", "50 MB announced", "gzip bomb"), (Kind.UNREADABLE, None)
    ),
    "service exception": (Kind.FAILED, None),
}

CASES = (
    Case("addresses", "geolocation.geocode", {"q": "Rötistrasse 4, Solothurn"}, "Die Adresssuche von {host}"),
    Case("places", "geolocation.municipality", {"q": "Grenchen"}, "Die Ortssuche von {host}"),
    Case("places", "geolocation.place", {"q": "Bezirk Thal"}, "Die Ortssuche von {host}"),
    Case(
        "parcels",
        "parcels.by_number",
        {"number": "198", "municipality": "Messen"},
        "Die Grundstücksabfrage von {host}",
    ),
    Case("parcels", "parcels.by_egrid", {"egrid": "CH955832730623"}, "Die Grundstücksabfrage von {host}"),
    Case("parcels", "parcels.by_xy", {"x": 2600513, "y": 1215519}, "Die Grundstücksabfrage von {host}"),
    Case("layers", "layers.search", {"query": "Gewässerschutz"}, "Die Kartensuche von {host}"),
    Case("heights", "terrain.height_by_xy", {"x": 2600513, "y": 1215519}, "Der Höhendienst von swisstopo"),
    Case(
        "geothermal",
        "geothermal.assess_by_xy",
        {"x": 2600513, "y": 1215519},
        "Die Erdwärmesonden-Abfrage des Kantons",
        AS_XML,
    ),
    Case(
        "features",
        "features.query",
        {"layer": "ch.so.afu.altlasten.standorte", "everywhere": True},
        "Der Objektdienst von {host}",
        changes={"features_url": "{url}/ogc"},
    ),
)

MEANING: Mapping[str, tuple[Kind, int | None]] = {
    "slow headers": (Kind.TIMEOUT, None),
    "slow body": (Kind.TIMEOUT, None),
    "stalled body": (Kind.TIMEOUT, None),
    "500": (Kind.FAILED, 500),
    "502": (Kind.FAILED, 502),
    "503": (Kind.OVERLOADED, 503),
    "503 with Retry-After": (Kind.OVERLOADED, 503),
    "429": (Kind.OVERLOADED, 429),
    "404": (Kind.FAILED, 404),
    "HTML": (Kind.UNREADABLE, None),
    "truncated JSON": (Kind.UNREADABLE, None),
    "wrong content type": (Kind.UNREADABLE, None),
    "50 MB": (Kind.TOO_LARGE, None),
    "50 MB announced": (Kind.TOO_LARGE, None),
    "gzip bomb": (Kind.TOO_LARGE, None),
    "broken gzip": (Kind.UNREADABLE, None),
    "too short": (Kind.UNREADABLE, None),
    "redirect to a private address": (Kind.FORBIDDEN, None),
    "redirect to a file": (Kind.FORBIDDEN, None),
    "connection reset": (Kind.UNREACHABLE, None),
    "reset in the body": (Kind.UNREADABLE, None),
    "no HTTP": (Kind.UNREACHABLE, None),
    "XML bomb": (Kind.UNREADABLE, None),
    "external entity": (Kind.UNREADABLE, None),
    "external DTD": (Kind.UNREADABLE, None),
    "service exception": (Kind.UNREADABLE, None),
}
"""What each failure of `misbehaving` means to a source that speaks JSON."""

IMPATIENT = {
    "outbound_read_timeout_s": 0.1,
    "outbound_total_timeout_s": 0.15,
}
"""Where nothing but a timeout ends the waiting."""
WITHOUT_RETRIES = {"outbound_max_retries": 0, "outbound_max_body_bytes": 200_000}

each_case = pytest.mark.parametrize("case", CASES, ids=str)


@asynccontextmanager
async def asking(
    case: Case, embedded: Gateways, url: str, *others: str, **settings: Any
) -> AsyncIterator["AskTool"]:
    """The tool of a case with its live gateway."""
    changes = {name: value.format(url=url) for name, value in case.changes.items()}
    settings = {**WITHOUT_RETRIES, **changes, **settings}
    async with live_gateway(case.kind, url, *others, **settings) as gateway:
        bus: Any = MemoryBus()
        toolbox = register(bus, replace(embedded, **{case.kind: gateway}))
        yield AskTool(toolbox[case.capability], case)


@dataclass(frozen=True)
class AskTool:
    tool: Any
    case: Case

    async def __call__(self) -> Outcome:
        outcome: Outcome = await self.tool.call(self.case.args, "de")
        return outcome


def sentence(case: Case, url: str, kind: Kind, code: int | None = None) -> str:
    name = case.source.format(host=url.removeprefix("http://"))
    return source_text(SourceError(kind, name, code))


def test_every_failure_has_a_meaning() -> None:
    assert MEANING.keys() == FAILURES.keys()


@each_case
@pytest.mark.parametrize("failure", FAILURES)
async def test_a_failure_is_said_in_a_clear_sentence(case: Case, failure: str, gateways: Gateways) -> None:
    kind, code = case.otherwise.get(failure, MEANING[failure])
    patience = IMPATIENT if kind is Kind.TIMEOUT else {}
    async with MisbehavingServer() as server, asking(case, gateways, server.url, **patience) as ask:
        server.behave(FAILURES[failure])
        outcome = await ask()
    assert outcome.status is Status.ERROR
    assert outcome.message == sentence(case, server.url, kind, code)
    assert outcome.error_type is (ErrorType.TIMEOUT if kind is Kind.TIMEOUT else ErrorType.SERVER_ERROR)


@each_case
async def test_a_server_that_is_gone_is_said_in_a_clear_sentence(case: Case, gateways: Gateways) -> None:
    for unreachable in (refused(), deaf()):
        with unreachable as url:
            async with asking(case, gateways, url, outbound_connect_timeout_s=0.1) as ask:
                outcome = await ask()
        assert outcome.message == sentence(case, url, Kind.UNREACHABLE)


@each_case
async def test_an_earlier_answer_serves_while_the_source_is_down(case: Case, gateways: Gateways) -> None:
    running = RecordedServer()
    await running.__aenter__()
    async with asking(case, gateways, running.url, cache_ttl_s=0) as ask:
        fresh = await ask()
        await running.__aexit__(None, None, None)
        old = await ask()
    assert fresh.status is Status.OK and fresh.items
    assert [item.id for item in old.items] == [item.id for item in fresh.items]
    for before, after in zip(fresh.items, old.items, strict=True):
        assert before.provenance is not None and after.provenance is not None
        assert (before.provenance.stale, after.provenance.stale) == (False, True)
        assert after.provenance.retrieved_at == before.provenance.retrieved_at


@each_case
async def test_a_source_that_keeps_failing_is_left_alone(case: Case, gateways: Gateways) -> None:
    async with MisbehavingServer() as server:
        server.behave(status(502))
        async with asking(case, gateways, server.url, outbound_breaker_min_questions=1) as ask:
            await ask()
            asked = len(server.requests)
            outcome = await ask()
    assert outcome.message == sentence(case, server.url, Kind.PAUSED)
    assert len(server.requests) == asked


@each_case
async def test_a_short_failure_is_not_noticed(case: Case, gateways: Gateways, server: RecordedServer) -> None:
    server.options.busy_for = 1
    async with asking(case, gateways, server.url, outbound_max_retries=1) as ask:
        outcome = await ask()
    assert outcome.status is Status.OK and outcome.items


async def test_the_confederation_stands_in_for_a_canton_that_is_down(
    gateways: Gateways, server: RecordedServer
) -> None:
    async with MisbehavingServer() as canton:
        canton.behave(status(500))
        urls = {"search_url": f"{canton.url}/search/", "data_url": f"{canton.url}/data"}
        for case in CASES:
            if case.args == {"q": "Grenchen"} or case.capability == "parcels.by_egrid":
                async with asking(case, gateways, server.url, canton.url, **urls) as ask:
                    (item,) = (await ask()).items
                assert item.provenance is not None and item.provenance.source.startswith("swisstopo")


async def test_it_is_said_when_nobody_could_look_outside_of_the_canton(
    gateways: Gateways, server: RecordedServer
) -> None:
    nowhere = replace(CASES[0], args={"q": "Bundesplatz 3, Bern"})
    async with MisbehavingServer() as federation:
        federation.behave(status(500))
        federal = {"federal_url": federation.url}
        async with asking(nowhere, gateways, server.url, federation.url, **federal) as ask:
            outcome = await ask()
    assert outcome.status is Status.NEEDS_CLARIFICATION
    assert outcome.message == (
        "Keine Adresse «Bundesplatz 3, Bern» gefunden. "
        "Ausserhalb des Kantons konnte gerade nicht gesucht werden: swisstopo antwortet nicht."
    )
