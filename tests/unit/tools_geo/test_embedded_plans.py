"""Cadastral plans drawn from the embedded data."""

import asyncio
import re
import zlib
from base64 import a85decode
from pathlib import Path
from typing import Any

import pytest
from contracts import prints
from contracts.items import CadastralPlan, Parcel
from servicekit import ownership

from tools_geo.embedded import embedded_gateways
from tools_geo.gateways import Gateways, PlanSubject
from tools_geo.plans import plan_of
from tools_geo.settings import Settings

PARCEL, RIGHT = "CH955832730623", "CH710620327442"
MM = 72 / 25.4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "prints"


@pytest.fixture
def gateways(folder: Path) -> Gateways:
    return embedded_gateways(Settings(prints_url=str(folder)))


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def drawn(
    gateways: Gateways, egrid: str | None, geometry: dict[str, Any] | None = None
) -> CadastralPlan:
    found = await plan_of(gateways, egrid, geometry)
    assert found.remark is None
    return found.items[0]


def drawing(folder: Path, plan: CadastralPlan) -> str:
    """The instructions on the sheet, readable."""
    body = (folder / prints.name_of("local", plan.id)).read_bytes()
    assert body.startswith(b"%PDF-") and body.rstrip().endswith(b"%%EOF")
    (stream,) = re.findall(rb"stream\r?\n(.*?)endstream", body, re.DOTALL)
    return zlib.decompress(a85decode(b"<~" + stream.strip(), adobe=True)).decode("latin-1")


def texts(folder: Path, plan: CadastralPlan) -> list[str]:
    return re.findall(r"\((.*?)\) Tj", drawing(folder, plan))


async def test_a_plan_says_what_it_shows_and_that_it_is_a_sample(gateways: Gateways, folder: Path) -> None:
    plan = await drawn(gateways, PARCEL)
    said = texts(folder, plan)
    assert "Grundbuchplan Grundst\\374ck 198 Messen" in said
    assert any(PARCEL in line for line in said)
    assert "Massstab 1:1'000" in said
    assert "Beispiel, nicht rechtsverbindlich" in said
    assert {"BEISPIEL", "198", "531", "N", "50 m"} <= set(said)
    assert {"2'600'500", "2'600'600", "1'215'500"} <= set(said)
    assert plan.provenance is not None and plan.provenance.source.startswith("Beispieldaten")


async def test_lengths_on_paper_are_those_of_the_scale(gateways: Gateways, folder: Path) -> None:
    """At 1:1000 a metre is a millimetre, and two grid lines are 100 of them apart."""
    plan = await drawn(gateways, PARCEL)
    lines = re.findall(r"n ([\d.]+) ([\d.]+) m ([\d.]+) ([\d.]+) l S", drawing(folder, plan))
    upright = sorted({float(x1) for x1, _, x2, _ in lines if x1 == x2})
    assert len(upright) == 2
    assert upright[1] - upright[0] == pytest.approx(100 * MM, abs=0.01)


async def test_the_same_subject_gives_the_same_bytes(
    gateways: Gateways, folder: Path, tmp_path: Path
) -> None:
    other_folder = tmp_path / "other"
    other = embedded_gateways(Settings(prints_url=str(other_folder)))
    one, two = await drawn(gateways, PARCEL), await drawn(other, PARCEL)
    assert one.id != two.id
    first, second = (
        (folder / prints.name_of("local", one.id)).read_bytes(),
        (other_folder / prints.name_of("local", two.id)).read_bytes(),
    )
    assert first == second
    third = await drawn(gateways, RIGHT)
    assert (folder / prints.name_of("local", third.id)).read_bytes() != first


async def test_a_repeated_call_draws_nothing_new(gateways: Gateways, folder: Path) -> None:
    first, second = await asyncio.gather(drawn(gateways, PARCEL), drawn(gateways, PARCEL))
    assert first.url == second.url
    assert len(names_in(folder)) == 1


async def test_nobody_gets_the_plan_that_was_drawn_for_somebody_else(
    gateways: Gateways, folder: Path
) -> None:
    with ownership.working_for("anna.1"):
        first = await drawn(gateways, PARCEL)
    with ownership.working_for("beat.1"):
        second = await drawn(gateways, PARCEL)
    assert first.url != second.url
    assert set(names_in(folder)) == {
        prints.name_of("anna", first.id),
        prints.name_of("beat", second.id),
    }


async def test_ids_cannot_be_guessed(gateways: Gateways) -> None:
    one, two = await drawn(gateways, PARCEL), await drawn(gateways, RIGHT)
    assert prints.is_id(one.id) and prints.is_id(two.id)
    assert one.id != two.id


async def test_an_outline_without_a_parcel_can_be_drawn(gateways: Gateways, folder: Path) -> None:
    ring = [[2600480, 1215440], [2600480, 1215520], [2600560, 1215520], [2600480, 1215440]]
    plan = await drawn(gateways, None, {"type": "Polygon", "coordinates": [ring]})
    assert (plan.label, plan.scale) == ("Grundbuchplan", 500)
    assert "Grundbuchplan" in texts(folder, plan)


async def test_names_that_the_font_does_not_have_do_no_harm(gateways: Gateways, folder: Path) -> None:
    parcel = (await gateways.parcels.by_egrid(PARCEL)).items[0]
    assert isinstance(parcel, Parcel) and parcel.geometry is not None
    odd = parcel.model_copy(update={"municipality": "Łódź 東京 (\\) 🏔", "number": "1)2"})
    found = await gateways.plans.plan(PlanSubject(parcel.geometry, odd))
    assert (folder / prints.name_of("local", found.items[0].id)).stat().st_size > 1_000


async def test_a_whole_municipality_has_room_too(gateways: Gateways, folder: Path) -> None:
    ring = [
        [2590000, 1210000],
        [2590000, 1260000],
        [2640000, 1260000],
        [2640000, 1210000],
        [2590000, 1210000],
    ]
    plan = await drawn(gateways, None, {"type": "MultiPolygon", "coordinates": [[ring]]})
    assert plan.scale == 500_000
    assert "20'000 m" in texts(folder, plan)
