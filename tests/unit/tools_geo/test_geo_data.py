"""The data files: complete, consistent, and strict about mistakes."""

import threading
from pathlib import Path

import pytest
from swissgeo.outlines import polygons_of

from tools_geo.embedded import datafiles, embedded_gateways, index
from tools_geo.embedded.datafiles import DataFileError
from tools_geo.settings import Settings

DATA = datafiles.read()
CANTON = (2590900, 1212800, 2646300, 1262800)


def in_canton(east: float, north: float) -> bool:
    return CANTON[0] <= east <= CANTON[2] and CANTON[1] <= north <= CANTON[3]


def test_all_municipalities_and_localities_are_there() -> None:
    assert len({row.bfs_number for row in DATA.municipalities}) == len(DATA.municipalities) == 104
    assert len({(row.postal_code, row.name) for row in DATA.localities}) == len(DATA.localities) == 137


def test_every_locality_belongs_to_a_municipality() -> None:
    assert {row.bfs_number for row in DATA.localities} <= {row.bfs_number for row in DATA.municipalities}


def test_everything_lies_in_the_canton() -> None:
    points = [(row.east, row.north) for row in DATA.localities]
    points += [(row.east, row.north) for row in DATA.addresses]
    points += [(row.east, row.north) for row in DATA.municipalities if row.east and row.north]
    points += [
        p for row in DATA.parcels for rings in polygons_of(row.geometry) for ring in rings for p in ring
    ]
    assert [point for point in points if not in_canton(*point)] == []


def test_only_one_municipality_lacks_a_point() -> None:
    assert [row.name for row in DATA.municipalities if row.east is None] == ["Walterswil (SO)"]


def test_layer_groups_are_groups_and_not_empty() -> None:
    groups = {row.id for row in DATA.layers if row.kind == "group"}
    parents = {row.group for row in DATA.layers if row.group}
    assert parents == groups
    assert not any(row.group for row in DATA.layers if row.kind == "group")


def test_there_are_enough_layers_with_unique_ids() -> None:
    assert len({row.id for row in DATA.layers}) == len(DATA.layers) >= 200


def test_layers_of_others_have_an_owner() -> None:
    assert [row.id for row in DATA.layers if row.external and not row.attribution] == []


def test_no_keyword_leads_to_layers_of_two_kinds_by_accident() -> None:
    owners: dict[str, set[str]] = {}
    for row in DATA.layers:
        for keyword in row.keywords:
            owners.setdefault(keyword.casefold(), set()).add(row.id)
    assert {keyword: ids for keyword, ids in owners.items() if len(ids) > 1} == {}


def append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


async def test_an_address_added_by_hand_is_found(copy: Path) -> None:
    append(copy / "addresses.csv", "x1,Hauptgasse,1,4500,Solothurn,2601,2607100,1228700,exact")
    gateways = embedded_gateways(Settings(geo_data_dir=copy))
    (item,) = (await gateways.addresses.addresses("Hauptgasse 1")).items
    assert item.id == "x1"


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("addresses.csv", "x1,Hauptgasse,1,4500,Solothurn,2601,east,1228700,exact", "line 16, column east"),
        ("addresses.csv", "x1,Hauptgasse,1,4500", "line 16, column"),
        ("addresses.csv", "x1,,1,4500,Solothurn,2601,2607100,1228700,exact", "line 16, column street"),
        (
            "addresses.csv",
            "x1,Hauptgasse,1,4500,Solothurn,9999,2607100,1228700,exact",
            "missing municipality",
        ),
        ("addresses.csv", "x1,Hauptgasse,1,3000,Bern,2601,2607100,1228700,exact", "missing locality"),
        ("addresses.csv", "623490242,Hauptgasse,1,4500,Solothurn,2601,2607100,1228700,exact", "address.id"),
        ("layers.csv", "x,layer,nowhere,Titel,,,,wms,", "x names a missing layer group, nowhere"),
        ("layers.csv", "ch.so.afu.karst,layer,,Titel,,,,wms,", "the id ch.so.afu.karst occurs twice"),
        ("layers.csv", "x,layer,,Titel,,,,ftp,", "column service"),
        ("layers.csv", "x,leyer,,Titel,,,,wms,", "column kind"),
        ("municipalities.csv", "2601,Doppelt,Solothurn,4500,,,,,,,", "municipality.bfs"),
    ],
)
def test_a_mistake_in_a_file_is_named(copy: Path, file: str, line: str, message: str) -> None:
    append(copy / file, line)
    with pytest.raises(DataFileError, match=message):
        index.build(datafiles.read(copy))


def test_a_parcel_without_polygon_is_named(copy: Path) -> None:
    path = copy / "parcels.geojson"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"Polygon"', '"LineString"', 1), encoding="utf-8"
    )
    with pytest.raises(DataFileError, match="parcel CH955832730623: expected a Polygon"):
        index.build(datafiles.read(copy))


def test_a_missing_file_is_named(copy: Path) -> None:
    (copy / "layers.csv").unlink()
    with pytest.raises(DataFileError, match=r"layers\.csv"):
        datafiles.read(copy)


def test_a_file_that_is_no_geojson_is_named(copy: Path) -> None:
    (copy / "parcels.geojson").write_text("[]", encoding="utf-8")
    with pytest.raises(DataFileError, match=r"parcels\.geojson"):
        datafiles.read(copy)


def test_a_byte_order_mark_from_a_spreadsheet_is_accepted(copy: Path) -> None:
    path = copy / "localities.csv"
    path.write_text("\ufeff" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert datafiles.read(copy).localities == DATA.localities


def test_an_index_may_be_closed_in_another_thread() -> None:
    unraised: list[object] = []
    closing = threading.Thread(target=index.build(datafiles.read()).close)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threading, "excepthook", unraised.append)
        closing.start()
        closing.join()
    assert not unraised
