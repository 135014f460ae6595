"""Cadastral plans from the print service of the canton."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from contracts import prints
from contracts.items import Parcel
from geo_live import live_gateway, live_settings
from misbehaving import MisbehavingServer, healthy, status
from recorded.server import RecordedServer
from servicekit.outbound import SourceError, SourceErrorKind

from tools_geo.gateways import Gateways, PlanGateway, PlanSubject, Remark
from tools_geo.plans import plan_of
from tools_geo.sources import gateways as gateways_of
from tools_geo.sources import outbound_of

OpenPlans = Callable[..., AbstractAsyncContextManager[PlanGateway]]
PDF = b"%PDF-1.7\nplan\n%%EOF"


@pytest.fixture
async def server() -> AsyncIterator[RecordedServer]:
    async with RecordedServer() as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "prints"


@pytest.fixture
async def subject(gateways: Gateways) -> PlanSubject:
    parcel = (await gateways.parcels.by_egrid("CH955832730623")).items[0]
    assert isinstance(parcel, Parcel) and parcel.geometry is not None
    return PlanSubject(parcel.geometry, parcel)


def plans_at(url: str, folder: Path, **changes: object) -> AbstractAsyncContextManager[PlanGateway]:
    return live_gateway("plans", url, prints_url=str(folder), **changes)


def kept(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.glob("*")]


async def test_a_plan_is_printed_and_kept(server: RecordedServer, folder: Path, subject: PlanSubject) -> None:
    async with plans_at(server.url, folder) as plans:
        (plan,) = (await plans.plan(subject)).items
    assert (plan.scale, plan.label) == (1_000, "Grundbuchplan Grundstück 198 Messen")
    assert plan.geometry == subject.geometry
    assert prints.is_path(plan.url)
    body = (folder / prints.name_of("local", plan.id)).read_bytes()
    assert plan.url == prints.path_of(plan.id)
    assert plan.expires_at is not None and plan.provenance is not None
    assert round((plan.expires_at - plan.provenance.retrieved_at).total_seconds(), -1) == 3_600
    assert plan.provenance.source.endswith(", Grundbuchplan")
    # What the service was told to print.
    for said in (
        *(b"TEMPLATE=A4-Hoch", b"scale=1000", b"rotation=0", b"SRS=EPSG:2056", b"DPI=200"),
        *(b"GRID_INTERVAL_X=100", b"GRID_INTERVAL_Y=100"),
        b"extent=2600463.888,1215388.782,2600659.888,1215632.782",
    ):
        assert said in body, said


async def test_the_form_is_encoded_as_a_form(folder: Path, subject: PlanSubject) -> None:
    async with MisbehavingServer() as server, plans_at(server.url, folder) as plans:
        server.behave(healthy(PDF, "application/pdf"))
        await plans.plan(subject)
    (request,) = server.requests
    assert (request.method, request.query) == ("POST", {})
    assert request.headers["content-type"] == "application/x-www-form-urlencoded"
    assert b"TEMPLATE=A4-Hoch&scale=1000" in request.body


async def test_the_same_plan_is_printed_once(
    server: RecordedServer, folder: Path, subject: PlanSubject
) -> None:
    async with plans_at(server.url, folder) as plans:
        first, second = [await plans.plan(subject) for _ in range(2)]
    assert first == second
    assert len(server.asked("landreg")) == len(kept(folder)) == 1


async def test_a_plan_is_found_again_only_while_half_of_its_time_is_left(
    server: RecordedServer, folder: Path, subject: PlanSubject
) -> None:
    async with plans_at(server.url, folder, prints_ttl_s=0.02) as plans:
        first = (await plans.plan(subject)).items[0]
        while (again := (await plans.plan(subject)).items[0]) == first:
            pass
    assert again.id != first.id


async def test_an_earlier_plan_serves_while_the_service_is_down(folder: Path, subject: PlanSubject) -> None:
    async with (
        MisbehavingServer() as server,
        plans_at(server.url, folder, cache_ttl_s=0, outbound_max_retries=0) as plans,
    ):
        server.behave(healthy(PDF, "application/pdf"), status(503))
        fresh, old = [(await plans.plan(subject)).items[0] for _ in range(2)]
    assert (fresh.url, old.url) == (fresh.url, fresh.url)
    assert fresh.provenance and not fresh.provenance.stale
    assert old.provenance and old.provenance.stale


@pytest.mark.parametrize("body", [b"", b"<html>Wartung</html>", b"PDF", b" " * 2_000 + PDF])
async def test_what_only_claims_to_be_a_pdf_is_not_kept(
    folder: Path, subject: PlanSubject, body: bytes
) -> None:
    async with MisbehavingServer() as server, plans_at(server.url, folder) as plans:
        server.behave(healthy(body, "application/pdf"))
        with pytest.raises(SourceError) as failed:
            await plans.plan(subject)
    assert failed.value.kind is SourceErrorKind.UNREADABLE
    assert kept(folder) == []


async def test_a_pdf_may_begin_a_little_later(folder: Path, subject: PlanSubject) -> None:
    async with MisbehavingServer() as server, plans_at(server.url, folder) as plans:
        server.behave(healthy(b"\n\n" + PDF, "application/pdf"))
        await plans.plan(subject)
    assert kept(folder) == [b"\n\n" + PDF]


async def test_a_huge_pdf_is_refused(folder: Path, subject: PlanSubject) -> None:
    async with MisbehavingServer() as server, plans_at(server.url, folder) as plans:
        server.behave(healthy(PDF + b" " * 20_000_000, "application/pdf"))
        with pytest.raises(SourceError) as failed:
            await plans.plan(subject)
    assert failed.value.kind is SourceErrorKind.TOO_LARGE


@pytest.mark.parametrize("code", [400, 404, 500, 503])
async def test_a_print_that_fails_is_not_ordered_again(folder: Path, subject: PlanSubject, code: int) -> None:
    """It may have been printed all the same, and printing is work."""
    async with MisbehavingServer() as server, plans_at(server.url, folder) as plans:
        server.behave(status(code))
        with pytest.raises(SourceError) as failed:
            await plans.plan(subject)
    assert failed.value.status == code
    assert len(server.requests) == 1


async def test_a_store_that_takes_nothing_is_told_as_such(
    server: RecordedServer, subject: PlanSubject
) -> None:
    folder = Path(__file__)  # which is none
    async with plans_at(server.url, folder) as plans:
        with pytest.raises(SourceError) as failed:
            await plans.plan(subject)
    assert failed.value.source == "Die Ablage für Grundbuchpläne"


@pytest.mark.parametrize(
    "geometry",
    [
        {"type": "Point", "coordinates": [2600480, 1215440]},
        {"type": "Polygon", "coordinates": [[[2600480, 1], [2600490, 1], [2600495, 1], [2600480, 1]]]},
    ],
)
async def test_what_has_no_area_is_not_printed(
    server: RecordedServer, folder: Path, geometry: dict[str, object]
) -> None:
    async with plans_at(server.url, folder) as plans:
        found = await plans.plan(PlanSubject(geometry))
    assert (found.items, found.remark) == ((), Remark.NO_AREA)
    assert server.asked("landreg") == []


async def test_a_plan_of_a_parcel_with_all_sources_live(server: RecordedServer, folder: Path) -> None:
    settings = live_settings(server.url, prints_url=str(folder))
    outbound = outbound_of(settings)
    assert outbound is not None
    try:
        (plan,) = (await plan_of(gateways_of(settings, outbound), "CH955832730623", None)).items
    finally:
        await outbound.close()
    assert (plan.label, plan.scale) == ("Grundbuchplan Grundstück 198 Messen", 1_000)
    assert server.asked("data/v1") and server.asked("landreg")
