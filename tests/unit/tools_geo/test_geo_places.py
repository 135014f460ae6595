"""Finding municipalities and localities."""

from collections import Counter
from pathlib import Path

import pytest
from contracts.items import Municipality, Place
from hypothesis import given
from hypothesis import strategies as st

from tools_geo.embedded import datafiles, embedded_gateways
from tools_geo.gateways import Gateways, Remark
from tools_geo.settings import Settings

DATA = datafiles.read()


@pytest.mark.parametrize("row", DATA.municipalities, ids=lambda row: row.name)
async def test_every_municipality_is_found_alone_by_its_name(
    gateways: Gateways, row: datafiles.MunicipalityRow
) -> None:
    for name in (row.name, row.name.replace(" (SO)", ""), row.name.upper(), f"Gemeinde {row.name}"):
        (item,) = (await gateways.places.municipalities(name)).items
        assert isinstance(item, Municipality)
        assert (item.id, item.bfs_number, item.name) == (str(row.bfs_number), row.bfs_number, row.name)
        assert item.confidence == 1.0


@pytest.mark.parametrize("row", DATA.localities, ids=lambda row: f"{row.postal_code} {row.name}")
async def test_every_locality_is_a_place(gateways: Gateways, row: datafiles.LocalityRow) -> None:
    for name in (row.name, f"{row.postal_code} {row.name}"):
        (item,) = (await gateways.places.places(name)).items
        assert item.coord == (row.east, row.north)
        assert item.confidence == 1.0


async def test_a_hill_of_the_heights_is_a_place(gateways: Gateways) -> None:
    assert {"Passwang", "Röti"} <= {row.name for row in DATA.hills}
    for row in DATA.hills:
        (item,) = (await gateways.places.places(row.name)).items
        assert (item.label, item.kind, item.coord) == (row.name, "Ort", (row.east, row.north))
        assert (await gateways.places.municipalities(row.name)).items[0] == item


def test_what_has_the_name_of_a_municipality_or_a_locality_is_no_hill() -> None:
    assert not {"Hauenstein", "Weissenstein b. Solothurn", "Aeschi SO"} & {row.name for row in DATA.hills}


async def test_a_municipality_has_label_name_and_extent(gateways: Gateways) -> None:
    (item,) = (await gateways.places.municipalities("Grenchen")).items
    assert isinstance(item, Municipality)
    assert (item.label, item.name) == ("Grenchen (Gemeinde)", "Grenchen")
    assert item.extent == (2592561, 1223174, 2599482, 1232183)
    assert item.bindings() == {"municipality": "Grenchen"}


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Holderbank", "Holderbank (SO)"),
        ("Holderbank SO", "Holderbank (SO)"),
        ("Wangen b. Olten", "Wangen bei Olten"),
        ("Wangen", "Wangen bei Olten"),
        ("Muemliswil-Ramiswil", "Mümliswil-Ramiswil"),
        ("Stadt Solothurn", "Solothurn"),
        ("Messen im Kanton Solothurn", "Messen"),
        ("St. Niklaus", "Feldbrunnen-St. Niklaus"),
        ("3254 Messen", "Messen"),
        ("5746", "Walterswil (SO)"),
        ("4566", "Kriegstetten"),
    ],
)
async def test_everyday_names_of_municipalities_are_exact(gateways: Gateways, query: str, name: str) -> None:
    (item,) = (await gateways.places.municipalities(query)).items
    assert isinstance(item, Municipality)
    assert item.name == name
    assert item.provenance is not None
    assert item.provenance.match == "exact"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Grenschen", "Grenchen"),
        ("Mesen", "Messen"),
        ("Soloturn", "Solothurn"),
        ("Oltne", "Olten"),
        ("Niederbuchsitten", "Niederbuchsiten"),
        ("Grench", "Grenchen"),
    ],
)
async def test_typos_in_municipalities_are_found_and_marked(
    gateways: Gateways, query: str, name: str
) -> None:
    (item,) = (await gateways.places.municipalities(query)).items
    assert isinstance(item, Municipality)
    assert item.name == name
    assert item.provenance is not None
    assert item.provenance.match == "fuzzy"
    assert item.confidence is not None
    assert item.confidence <= 0.9


@pytest.mark.parametrize("query", ["Zürich", "Bern", "Basel", "Thun", "xyz", "", "in der"])
async def test_a_place_outside_the_canton_is_not_found(gateways: Gateways, query: str) -> None:
    assert (await gateways.places.municipalities(query)).items == ()
    assert (await gateways.places.places(query)).items == ()


@pytest.mark.parametrize(
    ("query", "label"),
    [
        ("Halten", "Halten (Gemeinde Kriegstetten)"),
        ("Balm bei Messen", "Balm b. Messen (Gemeinde Messen)"),
        ("Lüterswil-Gächliwil", "Lüterswil (Gemeinde Buchegg)"),
        ("Mariastein", "Mariastein (Gemeinde Metzerlen-Mariastein)"),
    ],
)
async def test_the_name_of_a_former_municipality_gives_the_place(
    gateways: Gateways, query: str, label: str
) -> None:
    (item,) = (await gateways.places.municipalities(query)).items
    assert isinstance(item, Place)
    assert item.label == label


async def test_a_name_within_a_longer_name_is_no_choice(gateways: Gateways) -> None:
    for name in ("Messen", "Buchegg"):
        municipalities = await gateways.places.municipalities(name)
        places = await gateways.places.places(name)
        assert [item.label for item in municipalities.items] == [f"{name} (Gemeinde)"]
        assert [item.label for item in places.items] == [name]


async def test_a_short_form_of_two_names_is_a_choice(gateways: Gateways) -> None:
    found = await gateways.places.municipalities("Balm")
    assert [item.label for item in found.items] == [
        "Balm bei Günsberg (Gemeinde)",
        "Balm b. Messen (Gemeinde Messen)",
    ]
    assert {item.confidence for item in found.items} == {0.8}


async def test_a_missing_position_is_admitted(gateways: Gateways) -> None:
    found = await gateways.places.municipalities("Walterswil")
    assert found.items[0].coord is None
    assert (found.remark, found.values) == (Remark.POSITION_UNKNOWN, {"name": "Walterswil SO (Gemeinde)"})


@pytest.mark.parametrize(
    ("query", "label", "kind"),
    [
        ("Grenchen", "Grenchen", "Ortschaft"),
        ("Buchegg", "Buchegg", "Gemeinde"),
        ("Oekingen", "Oekingen (Gemeinde Kriegstetten)", "ehemalige Gemeinde"),
        ("Flüh", "Flüh (Gemeinde Hofstetten-Flüh)", "Ortschaft"),
        ("Weissenstein", "Weissenstein b. Solothurn (Gemeinde Oberdorf SO)", "Ortschaft"),
        ("Halten, Kriegstetten", "Halten (Gemeinde Kriegstetten)", "ehemalige Gemeinde"),
        ("Mühldorf", "Mühledorf SO (Gemeinde Buchegg)", "ehemalige Gemeinde"),
    ],
)
async def test_places_say_what_they_are(gateways: Gateways, query: str, label: str, kind: str) -> None:
    (item,) = (await gateways.places.places(query)).items
    assert (item.label, item.kind) == (label, kind)


@pytest.mark.parametrize("district", sorted({row.district for row in DATA.municipalities}))
async def test_a_district_is_a_place_around_its_localities(gateways: Gateways, district: str) -> None:
    own = {row.bfs_number for row in DATA.municipalities if row.district == district}
    (item,) = (await gateways.places.places(f"Bezirk {district}")).items
    assert (item.label, item.kind, item.coord) == (f"Bezirk {district}", "Bezirk", None)
    assert item.extent is not None and item.provenance is not None
    assert item.provenance.match == "exact"
    west, south, east, north = item.extent
    points = [(row.east, row.north) for row in DATA.localities if row.bfs_number in own]
    assert points
    assert all(west < e < east and south < n < north for e, n in points)


async def test_every_municipality_has_its_district() -> None:
    counted = Counter(row.district for row in DATA.municipalities)
    assert counted == {
        "Bucheggberg": 7,
        "Dorneck": 11,
        "Gäu": 8,
        "Gösgen": 10,
        "Lebern": 15,
        "Olten": 15,
        "Solothurn": 1,
        "Thal": 8,
        "Thierstein": 12,
        "Wasseramt": 17,
    }


@pytest.mark.parametrize(
    ("query", "label"),
    [
        ("Bucheggberg", "Bezirk Bucheggberg"),
        ("das Gäu", "Bezirk Gäu"),
        ("bezirk wasseramt", "Bezirk Wasseramt"),
        ("Bezirk Solothurn", "Bezirk Solothurn"),
        ("Solothurn", "Solothurn"),
        ("Olten", "Olten"),
        ("Buchegg", "Buchegg"),
    ],
)
async def test_a_name_without_more_is_a_district_where_no_place_has_it(
    gateways: Gateways, query: str, label: str
) -> None:
    (item,) = (await gateways.places.places(query)).items
    assert item.label == label


async def test_data_without_districts_have_none(copy: Path) -> None:
    path = copy / "municipalities.csv"
    rows = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(",".join(row[:2] + row[3:]) + "\n" for row in rows), encoding="utf-8")
    places = embedded_gateways(Settings(geo_data_dir=copy)).places
    assert (await places.places("Bezirk Thal")).items == ()
    assert (await places.places("Kanton")).items


@pytest.mark.parametrize("query", ["Kanton Solothurn", "kanton so", "Kanton"])
async def test_the_canton_is_a_place_around_all_localities(gateways: Gateways, query: str) -> None:
    (item,) = (await gateways.places.places(query)).items
    assert (item.label, item.kind, item.coord) == ("Kanton Solothurn", "Kanton", None)
    assert item.extent is not None
    west, south, east, north = item.extent
    for row in DATA.localities:
        assert west < row.east < east
        assert south < row.north < north


async def test_a_postal_code_gives_all_its_localities(gateways: Gateways) -> None:
    found = await gateways.places.places("4566")
    assert [item.label.split()[0] for item in found.items] == ["Kriegstetten", "Halten", "Oekingen"]


async def test_the_municipality_after_a_comma_decides(gateways: Gateways) -> None:
    (item,) = (await gateways.places.places("Balm, Messen")).items
    assert item.label == "Balm b. Messen (Gemeinde Messen)"


@given(query=st.text(max_size=200))
async def test_any_text_is_answered_by_the_register(gateways: Gateways, query: str) -> None:
    for found in (await gateways.places.municipalities(query), await gateways.places.places(query)):
        assert len(found.items) <= 8
