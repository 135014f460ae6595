"""The packaged features: complete, consistent, and strict about mistakes."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tools_geo.embedded import datafiles, embedded_gateways
from tools_geo.embedded.datafiles import DataFileError, FeatureFile
from tools_geo.features import shapes
from tools_geo.features.geojson import points_of
from tools_geo.gateways import Area
from tools_geo.settings import Settings

DATA = datafiles.read()
SITES = "ch.so.afu.altlasten.standorte"


@pytest.mark.parametrize("file", DATA.features, ids=lambda file: file.layer)
def test_every_file_has_sensible_features(file: FeatureFile) -> None:
    assert 8 <= len(file.features) <= 30 and file.things
    assert len({row.id for row in file.features}) == len(file.features)
    for row in file.features:
        assert len(list(points_of(row.geometry))) <= 30
        assert row.municipality and row.attributes
        names = [name for name, _, _ in row.named]
        assert "Nummer" in names and "Gemeinde" in names and not any("[" in name for name in names)


def test_the_number_of_an_invented_feature_says_so() -> None:
    others = [file for file in DATA.features if file.layer != "ch.so.awjf.jagdreviere"]
    assert all(str(row.attributes["Nummer"]).startswith("M-") for file in others for row in file.features)


def test_sample_parcels_and_addresses_lie_on_some_of_them() -> None:
    places = [{"type": "Point", "coordinates": [2605899, 1229278]}]
    places += [row.geometry for row in DATA.parcels if row.accuracy != "invented"]
    for place in places:
        reach = shapes.Reach(Area(geometry=place))
        assert any(reach.touches(row.geometry) for file in DATA.features for row in file.features)


async def test_a_folder_without_features_still_works(copy: Path) -> None:
    shutil.rmtree(copy / "features")
    gateways = embedded_gateways(Settings(geo_data_dir=copy))
    assert gateways.features.names() == ()
    assert (await gateways.features.at((2605899, 1229278), [SITES], 5)).silent == (SITES,)
    assert (await gateways.features.within("Altlasten", Area())).items == ()


def changed(folder: Path, **properties: Any) -> None:
    """The first feature with other properties; those that are None are left away."""
    path = folder / "features" / f"{SITES}.geojson"
    members = json.loads(path.read_text(encoding="utf-8"))
    first = members["features"][0]
    first["geometry"] = properties.pop("geometry", first["geometry"])
    first["properties"] |= properties
    first["properties"] = {k: v for k, v in first["properties"].items() if v is not None}
    path.write_text(json.dumps(members), encoding="utf-8")


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"id": None}, "feature 1, column id"),
        ({"label": " "}, "feature 1, column label: .*must not be empty"),
        ({"municipality": "Nirgendwil"}, "feature 1: Nirgendwil is a missing municipality"),
        ({"Status": ["x"]}, r"feature 1, column attributes\.Status"),
        ({"geometry": {"type": "Point", "coordinates": [7.5, 47.2]}}, "feature 1: no points, lines"),
        ({"geometry": None}, "feature 1, column geometry"),
    ],
)
def test_a_mistake_in_a_feature_is_named_with_its_place(
    copy: Path, properties: dict[str, Any], message: str
) -> None:
    changed(copy, **properties)
    with pytest.raises(DataFileError, match=rf"{SITES}\.geojson {message}"):
        datafiles.read(copy)


def test_a_file_of_an_unknown_layer_is_named(copy: Path) -> None:
    (copy / "features" / f"{SITES}.geojson").rename(copy / "features" / "nowhere.geojson")
    with pytest.raises(DataFileError, match=r"nowhere\.geojson: nowhere is a missing layer"):
        datafiles.read(copy)


def test_a_file_that_is_no_geojson_is_named(copy: Path) -> None:
    (copy / "features" / f"{SITES}.geojson").write_text("{}", encoding="utf-8")
    with pytest.raises(DataFileError, match=rf"{SITES}\.geojson: no GeoJSON"):
        datafiles.read(copy)


def test_what_is_null_is_no_attribute(copy: Path) -> None:
    changed(copy, Status=None, municipality="Olten|Trimbach")
    (file,) = (file for file in datafiles.read(copy).features if file.layer == SITES)
    assert "Status" not in file.features[0].attributes
    assert file.features[0].municipality == ("Olten", "Trimbach")
