"""Every way in which a cadastre can fail, seen from the tools: what the user reads, and that it ends."""

import asyncio
from typing import Any

import pytest
from contracts.items import OerebExtract, Parcel
from contracts.messages import Outcome
from contracts.research import ErrorType
from contracts.status import Status
from misbehaving import (
    EXTERNAL_ENTITY,
    FAILURES,
    XML_BOMB,
    Behaviour,
    MisbehavingServer,
    healthy,
    redirect,
    refused,
    status,
)
from oereb_kit import MakeLive, by_path, extract_document
from recorded.oereb_data import MESSEN_198, of_egrid
from recorded.oereb_xml import JAXB, egrids
from servicekit.testing import MemoryBus

from tools_oereb.gateways import CadastreGateway
from tools_oereb.handlers import register

POINT = {"x": 2600560, "y": 1215510}
EGRID = {"egrid": MESSEN_198}
TRIES = 3
"""With two retries."""
IMPATIENT = {"outbound_total_timeout_s": 0.8}

NOT_REACHABLE = "Der ÖREB-Dienst ist zurzeit nicht erreichbar."
TOO_SLOW = "Der ÖREB-Dienst hat nicht rechtzeitig geantwortet."
OVERLOADED = "Der ÖREB-Dienst ist zurzeit überlastet (HTTP {status})."
FAILED = "Der ÖREB-Dienst antwortete nicht erfolgreich (HTTP {status})."
UNREADABLE = "Der ÖREB-Dienst hat eine Antwort geschickt, die nicht verarbeitet werden konnte."
TOO_LARGE = "Der ÖREB-Dienst hat eine zu grosse Antwort geschickt."
FORBIDDEN = "Der ÖREB-Dienst verweist auf eine Adresse, die nicht abgefragt werden darf."
PAUSED = "Der ÖREB-Dienst ist zurzeit gestört und wird einen Moment lang nicht abgefragt."


def found() -> bytes:
    estate = of_egrid(MESSEN_198)
    assert estate is not None
    return egrids([estate], JAXB, geometry=True).encode()


WHOLE = healthy(found(), "application/xml")
OWN: dict[str, Behaviour] = {
    "truncated XML": healthy(found()[:-100], "application/xml"),
    "XML that is cut in a tag": healthy(found()[:200], "text/xml"),
    "no body": healthy(b"", "application/xml"),
    "another document": healthy(b"<GetEGRIDResponse xmlns='urn:other'/>", "application/xml"),
    "XML bomb as text/xml": healthy(XML_BOMB, "text/xml"),
    "external entity as text/xml": healthy(EXTERNAL_ENTITY, "text/xml"),
    "Spring's 500": status(500, b'{"status":500,"error":"Internal Server Error"}'),
    "plain 500": status(500, b"could not convert string to float", "text/plain"),
    "a page with 400": status(400, b"<html><h1>400 Bad Request</h1></html>", "text/html"),
    "406": status(406, b"", "text/plain"),
}
ALL = {**FAILURES, **OWN}
EXPECTED: dict[str, tuple[str, int | None, int]] = {
    "slow headers": (TOO_SLOW, None, 1),
    "slow body": (UNREADABLE, None, 1),
    "500": (FAILED, 500, 1),
    "502": (FAILED, 502, TRIES),
    "503": (OVERLOADED, 503, TRIES),
    "503 with Retry-After": (OVERLOADED, 503, TRIES),
    "429": (OVERLOADED, 429, TRIES),
    "404": (FAILED, 404, 1),
    "HTML": (UNREADABLE, None, 1),
    "truncated JSON": (UNREADABLE, None, 1),
    "wrong content type": (UNREADABLE, None, 1),
    "50 MB": (UNREADABLE, None, 1),
    "50 MB announced": (UNREADABLE, None, 1),
    "gzip bomb": (UNREADABLE, None, 1),
    "broken gzip": (UNREADABLE, None, 1),
    "too short": (UNREADABLE, None, 1),
    "redirect to a private address": (FORBIDDEN, None, 1),
    "redirect to a file": (FORBIDDEN, None, 1),
    "connection reset": (NOT_REACHABLE, None, TRIES),
    "reset in the body": (UNREADABLE, None, 1),
    "no HTTP": (NOT_REACHABLE, None, TRIES),
    "XML bomb": (UNREADABLE, None, 1),
    "external entity": (UNREADABLE, None, 1),
    "external DTD": (UNREADABLE, None, 1),
    "service exception": (UNREADABLE, None, 1),
    "truncated XML": (UNREADABLE, None, 1),
    "XML that is cut in a tag": (UNREADABLE, None, 1),
    "no body": (UNREADABLE, None, 1),
    "another document": (UNREADABLE, None, 1),
    "XML bomb as text/xml": (UNREADABLE, None, 1),
    "external entity as text/xml": (UNREADABLE, None, 1),
    "Spring's 500": (FAILED, 500, 1),
    "plain 500": (FAILED, 500, 1),
    "a page with 400": (FAILED, 400, 1),
    "406": (FAILED, 406, 1),
}
"""The sentence, the HTTP status in it, and how many requests the server sees."""


async def call(gateway: CadastreGateway, capability: str, args: dict[str, Any]) -> Outcome:
    bus: Any = MemoryBus("tools-oereb")
    async with asyncio.timeout(10):
        return await register(bus, gateway)[capability].call(args, "de")


async def parcels(gateway: CadastreGateway) -> Outcome:
    return await call(gateway, "oereb.egrid_by_xy", POINT)


async def extract(gateway: CadastreGateway) -> Outcome:
    return await call(gateway, "oereb.extract_by_id", EGRID)


def check_unread(outcome: Outcome, reason: str) -> None:
    """That the extract could not be read, and why; the links are all there is, and the offer to try again."""
    (item,) = outcome.items
    assert isinstance(item, OerebExtract) and item.content is None
    assert (outcome.status, outcome.again) == (Status.OK, True)
    unread = f"Den ÖREB-Auszug für {MESSEN_198} konnte ich nicht lesen: "
    assert outcome.message.startswith(unread + reason)


@pytest.mark.parametrize("failure", EXPECTED)
async def test_a_failure_of_the_search_is_a_sentence(
    broken: MisbehavingServer, make_live: MakeLive, failure: str
) -> None:
    sentence, code, requests = EXPECTED[failure]
    broken.behave(ALL[failure])
    outcome = await parcels(make_live(broken.url, **IMPATIENT if sentence is TOO_SLOW else {}))
    assert (outcome.status, outcome.items) == (Status.ERROR, ())
    assert outcome.message.startswith(sentence.format(status=code))
    timed_out = sentence is TOO_SLOW
    assert outcome.error_type is (ErrorType.TIMEOUT if timed_out else ErrorType.SERVER_ERROR)
    assert len(broken.requests) == requests


@pytest.mark.parametrize("failure", [name for name in ALL if not name.startswith("redirect")])
async def test_no_extract_is_promised_when_everything_fails(
    broken: MisbehavingServer, make_live: MakeLive, failure: str
) -> None:
    broken.behave(ALL[failure])
    outcome = await extract(make_live(broken.url, **IMPATIENT))
    check_unread(outcome, "Der ÖREB-Dienst ")


@pytest.mark.parametrize("failure", [name for name in ALL if name.startswith("redirect")])
async def test_users_are_not_sent_into_private_networks_either(
    broken: MisbehavingServer, make_live: MakeLive, failure: str
) -> None:
    """A redirect is the answer to whether there is an extract; where it leads is not visited."""
    broken.behave(ALL[failure])
    (item,) = (await extract(make_live(broken.url))).items
    assert isinstance(item, OerebExtract)
    assert item.map_url is None
    assert item.concerned_themes is None, "the extract itself is not to be had under that address"


async def test_a_refused_connection_is_a_sentence(make_live: MakeLive) -> None:
    with refused() as url:
        live = make_live(url)
        outcome = await parcels(live)
        assert outcome.status is Status.ERROR
        assert outcome.message.startswith(NOT_REACHABLE)
        check_unread(await extract(live), NOT_REACHABLE)


async def test_slow_and_large_answers_of_the_right_type_end_too(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    async def endless(exchange: Any) -> None:
        headers = {"content-type": "application/xml", "transfer-encoding": "chunked"}
        await exchange.head(200, headers)
        for _ in range(1_000):
            await exchange.chunk(b" " * 50_000)

    async def dripping(exchange: Any) -> None:
        await exchange.head(200, {"content-type": "application/xml", "content-length": "1000"})
        await exchange.hang()

    broken.behave(endless)
    assert (await parcels(make_live(broken.url))).message.startswith(TOO_LARGE)
    broken.behave(dripping)
    assert (await parcels(make_live(broken.url, **IMPATIENT))).message.startswith(TOO_SLOW)
    check_unread(await extract(make_live(broken.url, **IMPATIENT)), TOO_SLOW)


@pytest.mark.parametrize("code", [502, 503, 429])
async def test_two_failures_and_then_an_answer_are_an_answer(
    broken: MisbehavingServer, make_live: MakeLive, code: int
) -> None:
    broken.behave(status(code), status(code), WHOLE)
    outcome = await parcels(make_live(broken.url))
    assert (outcome.status, outcome.message) == (Status.OK, "Grundstück gefunden.")
    assert len(broken.requests) == TRIES


async def test_redirects_within_the_service_are_followed(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    broken.behave(redirect("/moved/getegrid/xml/?EN=2600560,1215510", 308), WHOLE)
    assert (await parcels(make_live(broken.url))).status is Status.OK
    assert broken.requests[1].path == "/moved/getegrid/xml/"


async def test_a_service_that_keeps_failing_is_left_alone(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    live = make_live(broken.url)
    broken.behave(status(502))
    for x in range(5):
        await call(live, "oereb.egrid_by_xy", {"x": 2600570 + x, "y": 1215510})
    seen = len(broken.requests)
    outcome = await parcels(live)
    assert outcome.message.startswith(PAUSED)
    check_unread(await extract(live), PAUSED)
    assert len(broken.requests) == seen <= 5 * TRIES


async def test_one_parcel_whose_extract_always_fails_does_not_pause_the_others(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    live = make_live(broken.url, **IMPATIENT)
    for failure in (status(500), status(504), FAILURES["slow headers"]):
        broken.behave(failure)
        for _ in range(3):
            failed = await extract(live)
            assert failed.again
        broken.behave(WHOLE)
        assert (await call(live, "oereb.egrid_by_xy", POINT)).status is Status.OK


async def test_services_without_a_redirect_do_not_pause_the_others(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    live = make_live(broken.url)
    broken.behave(by_path(url=status(500), xml=extract_document(MESSEN_198)))
    for _ in range(10):
        read = await extract(live)
        assert (read.status, read.again) == (Status.OK, False)


# -- old answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("failure", ["500", "503", "slow headers", "connection reset", "HTML", "XML bomb"])
async def test_while_the_service_is_down_an_old_answer_serves_and_is_marked(
    broken: MisbehavingServer, make_live: MakeLive, failure: str
) -> None:
    live = make_live(broken.url, cache_ttl_s=0, **IMPATIENT if failure.startswith("slow") else {})
    broken.behave(
        by_path(getegrid=WHOLE, url=redirect("https://map.example/", 303), xml=extract_document(MESSEN_198))
    )
    (parcel,) = (await parcels(live)).items
    (fresh,) = (await extract(live)).items
    broken.behave(FAILURES[failure])
    (old_parcel,) = (await parcels(live)).items
    (old,) = (await extract(live)).items
    assert isinstance(old_parcel, Parcel) and isinstance(old, OerebExtract)
    for before, after in ((parcel, old_parcel), (fresh, old)):
        assert before.provenance is not None and after.provenance is not None
        assert (before.provenance.stale, after.provenance.stale) == (False, True)
        assert after.provenance.retrieved_at <= before.provenance.retrieved_at
        assert after.model_copy(update={"provenance": None}) == before.model_copy(update={"provenance": None})


async def test_an_old_answer_becomes_too_old(broken: MisbehavingServer, make_live: MakeLive) -> None:
    live = make_live(broken.url, cache_ttl_s=0, cache_stale_s=0)
    broken.behave(WHOLE, status(404))
    assert (await parcels(live)).status is Status.OK
    assert (await parcels(live)).status is Status.ERROR


async def test_a_failure_is_not_remembered(broken: MisbehavingServer, make_live: MakeLive) -> None:
    live = make_live(broken.url)
    broken.behave(status(404), WHOLE)
    assert (await parcels(live)).status is Status.ERROR
    assert (await parcels(live)).status is Status.OK
