"""The recorded servers answer as the real ones do, errors included."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from recorded.server import RecordedServer

SUPPORT = Path(__file__).parents[2] / "support"
SEARCH = "/api/search/v2/"
DATA = "/api/data/v1/ch.so.agi.av.grundstuecke.rechtskraeftig/"
SEARCH_SERVER = "/rest/services/api/SearchServer"
IDENTIFY = "/rest/services/api/MapServer/identify"
ADDRESSES = "ch.so.agi.av.gebaeudeadressen.gebaeudeeingaenge"
MUNICIPALITIES = "ch.so.agi.gemeindegrenzen"


@pytest.fixture
async def http(server: RecordedServer) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=server.url) as client:
        yield client


def filtered(*parts: Any) -> dict[str, str]:
    return {"filter": json.dumps(parts[0] if len(parts) == 1 else parts)}


# -- search v2 -------------------------------------------------------------------------------------


async def test_a_feature_of_the_newer_back_end(http: httpx2.AsyncClient) -> None:
    answer = await http.get(SEARCH, params={"searchtext": "Langendorfstrasse 19b", "filter": ADDRESSES})
    assert answer.json() == {
        "results": [
            {
                "feature": {
                    "bbox": [2605899, 1229278, 2605899, 1229278],
                    "dataproduct_id": ADDRESSES,
                    "display": "Langendorfstrasse 19b, 4500 Solothurn (Adresse)",
                    "feature_id": "623490242",
                    "id_field_name": "t_id",
                    "id_field_type": False,
                    "srid": "EPSG:2056",
                }
            }
        ],
        "result_counts": [{"count": 1, "dataproduct_id": ADDRESSES, "filterword": "Adresse"}],
    }


async def test_a_feature_of_the_older_back_end(http: httpx2.AsyncClient, server: RecordedServer) -> None:
    server.options.search_backend = "solr"
    answer = await http.get(SEARCH, params={"searchtext": "Langendorfstrasse", "filter": ADDRESSES})
    (result,) = answer.json()["results"]
    assert result["feature"]["feature_id"] == 623490242 and "srid" not in result["feature"]
    assert answer.json()["result_counts"][0]["count"] == len(answer.json()["results"])


@pytest.mark.parametrize(
    ("backend", "kinds"),
    [("postgresql", {"singleactor", "layergroup"}), ("solr", {"datasetview", "layergroup"})],
)
async def test_layers_and_groups(
    backend: Any, kinds: set[str], http: httpx2.AsyncClient, server: RecordedServer
) -> None:
    server.options.search_backend = backend
    answer = await http.get(SEARCH, params={"searchtext": "wald", "filter": "foreground"})
    products = [result["dataproduct"] for result in answer.json()["results"]]
    assert {product["type"] for product in products} <= kinds
    (plan,) = (product for product in products if product["dataproduct_id"] == "ch.so.awjf.waldplan")
    assert [member["display"] for member in plan["sublayers"]]


@pytest.mark.parametrize(
    ("params", "count"),
    [
        ({"searchtext": "Adresse: Rötistrasse 4", "filter": MUNICIPALITIES}, 11),
        ({"searchtext": "Nirgends: Rötistrasse 4", "filter": ADDRESSES}, 0),
        ({"searchtext": "Rötistrasse", "filter": "unknown"}, 0),
        ({"searchtext": "Rötistrasse", "filter": ADDRESSES, "limit": "2"}, 2),
        ({"searchtext": "Rötistrasse", "filter": ADDRESSES, "limit": "-2"}, 11),
        ({"searchtext": " .,", "filter": ADDRESSES}, 0),
    ],
)
async def test_words_and_facets(params: dict[str, str], count: int, http: httpx2.AsyncClient) -> None:
    answer = await http.get(SEARCH, params=params)
    assert (answer.status_code, len(answer.json()["results"])) == (200, count)


@pytest.mark.parametrize(
    ("backend", "text", "limit", "sent", "count"),
    [
        ("postgresql", "Röti", 2, 2, 11),
        ("postgresql", "Lange Gasse", 2, 2, -1),
        ("postgresql", "Lange Gasse", 200, 50, -1),
        ("solr", "Lange Gasse", 200, 200, 500),
        ("solr", "Röti", 2, 2, 11),
    ],
)
async def test_the_number_of_hits_is_limited_by_the_back_end(
    backend: Any,
    text: str,
    limit: int,
    sent: int,
    count: int,
    http: httpx2.AsyncClient,
    server: RecordedServer,
) -> None:
    server.options.search_backend = backend
    answer = await http.get(SEARCH, params={"searchtext": text, "filter": ADDRESSES, "limit": str(limit)})
    assert len(answer.json()["results"]) == sent
    assert [counted["count"] for counted in answer.json()["result_counts"]] == [count]


@pytest.mark.parametrize(("limit", "counts"), [(2, [None]), (200, [])])
async def test_the_older_back_end_counts_no_layers(
    limit: int, counts: list[None], http: httpx2.AsyncClient, server: RecordedServer
) -> None:
    server.options.search_backend = "solr"
    answer = await http.get(
        SEARCH, params={"searchtext": "wald", "filter": "foreground", "limit": str(limit)}
    )
    assert [counted["count"] for counted in answer.json()["result_counts"]] == counts


@pytest.mark.parametrize("text", ["l'Ancienne", "Wald & Wiese", "(Wald", "100%", "a|b", "Wald*", "a\\b"])
async def test_signs_of_query_languages_are_errors(text: str, http: httpx2.AsyncClient) -> None:
    answer = await http.get(SEARCH, params={"searchtext": text, "filter": ADDRESSES})
    assert (answer.status_code, answer.json()) == (500, {"message": "Internal Server Error"})


async def test_of_a_layer_that_is_not_there_nothing_is_said(http: httpx2.AsyncClient) -> None:
    point = {"SERVICE": "WMS", "REQUEST": "GetFeatureInfo", "CRS": "EPSG:2056", "INFO_FORMAT": "text/xml"}
    place = {
        "BBOX": "2600514.5,1215461.5,2600615.5,1215562.5",
        "WIDTH": "101",
        "HEIGHT": "101",
        "I": "50",
        "J": "50",
    }
    params = {**point, **place, "LAYERS": "nonsense", "QUERY_LAYERS": "nonsense"}
    answer = await http.get("/api/v1/featureinfo/somap", params=params)
    assert answer.status_code == 200
    assert answer.text.endswith("<GetFeatureInfoResponse></GetFeatureInfoResponse>")


async def test_nothing_to_search_for_is_an_error_with_status_200(http: httpx2.AsyncClient) -> None:
    answer = await http.get(SEARCH, params={"filter": ADDRESSES})
    assert (answer.status_code, answer.json()) == (200, {"error": "Missing search string"})


# -- data service ----------------------------------------------------------------------------------


async def test_a_collection(http: httpx2.AsyncClient) -> None:
    answer = (await http.get(DATA, params=filtered(["egrid", "=", "CH727994320611"]))).json()
    (feature,) = answer["features"]
    assert feature["properties"] == {
        "nummer": "2084",
        "egrid": "CH727994320611",
        "grundbuch": "Biberist",
        "art_txt": "Liegenschaft",
        "gemeinde": "Biberist",
        "bfs_nr": 2513,
        "nbident": "SO0200002513",
        "flaechenmass": 618,
    }
    assert answer["crs"] == {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::2056"}}
    assert (answer["numberMatched"], answer["numberReturned"]) == (1, 1)
    assert answer["bbox"] == [2609046.6755, 1226265.3198, 2609078.051, 1226298.802]


async def test_an_empty_collection_has_no_bbox(http: httpx2.AsyncClient) -> None:
    answer = await http.get(DATA, params=filtered(["gemeinde", "=", "messen"]))
    assert (answer.status_code, answer.json()["features"]) == (200, [])
    assert "bbox" not in answer.json()


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ([["nummer", "=", "168"], "and", ["gemeinde", "=", "Messen"]], 2),
        (
            [["nummer", "=", "168"], "and", [["grundbuch", "=", "Messen"], "or", ["grundbuch", "~", "balm"]]],
            2,
        ),
        ([["nummer", "=", "2084"], "or", ["nummer", "=", "168"], "and", ["grundbuch", "=", "Messen"]], 2),
        (["gemeinde", "ILIKE", "messen"], 4),
        (["gemeinde", "LIKE", "mess%"], 0),
        (["gemeinde", "ILIKE", "mess%"], 4),
        (["gemeinde", "ILIKE", "mess\\%"], 0),
        (["gemeinde", "ILIKE", "Messe_"], 4),
        (["gemeinde", "!=", "Messen"], 20),
        (["flaechenmass", "IS", None], 4),
        (["flaechenmass", "=", None], 4),
        (["flaechenmass", "IS NOT", None], 20),
        (["bfs_nr", "=", 2457], 4),
        (["bfs_nr", "=", "2457"], 4),
        (["bfs_nr", ">=", 2500], 17),
        (["?no_such_column", "=", "1"], 24),
        (["<id>", "=", 681114306], 1),
    ],
)
async def test_the_filter_grammar(condition: Any, count: int, http: httpx2.AsyncClient) -> None:
    assert (await http.get(DATA, params=filtered(condition))).json()["numberMatched"] == count


@pytest.mark.parametrize(
    ("path", "params", "status", "message"),
    [
        (DATA, {"filter": "[["}, 400, "Invalid filter expression: Invalid JSON"),
        (
            DATA,
            filtered(["foo", "=", "1"]),
            400,
            "Invalid filter expression: Column name not found or permission error in ['foo', '=', '1']",
        ),
        (DATA, filtered(["nummer", "==", "1"]), 400, "Invalid operator in ['nummer', '==', '1']"),
        (
            DATA,
            filtered(["nummer", "=", 168]),
            400,
            "Feature query failed. Please check filter expression and operators.",
        ),
        ("/api/data/v1/unknown/", {}, 404, "Dataset not found or permission error"),
        (f"{DATA}1", {}, 404, "Feature not found"),
        (DATA, {"limit": "2"}, 500, "Internal Server Error"),
        (DATA, {"bbox": "1,2,3"}, 400, "Invalid bounding box"),
    ],
)
async def test_what_the_data_service_refuses(
    path: str, params: dict[str, str], status: int, message: str, http: httpx2.AsyncClient
) -> None:
    answer = await http.get(path, params=params)
    assert answer.status_code == status
    assert answer.json()["message"].endswith(message)


async def test_pages_fields_and_places(http: httpx2.AsyncClient) -> None:
    page = (await http.get(DATA, params={"limit": "2", "offset": "1", "sortby": "-egrid"})).json()
    assert (page["numberMatched"], page["numberReturned"]) == (24, 2)
    few = (await http.get(DATA, params={"FIELDS": "egrid", "limit": "1", "offset": "0"})).json()
    assert (few["features"][0]["properties"].keys(), few["features"][0]["geometry"]) == ({"egrid"}, None)
    near = (await http.get(DATA, params={"bbox": "2600512,1215518,2600514,1215520"})).json()
    assert near["numberMatched"] == 2
    point = json.dumps({"type": "Point", "coordinates": [2600513, 1215519]})
    assert (await http.get(DATA, params={"filter_geom": point})).json()["numberMatched"] == 2
    one = (await http.get(f"{DATA}681114306")).json()
    assert one["properties"]["egrid"] == "CH955832730623"
    assert len((await http.get(f"{DATA}extent")).json()["bbox"]) == 4


@pytest.mark.parametrize("path", [SEARCH, DATA])
async def test_a_path_without_its_slash_is_redirected(path: str, http: httpx2.AsyncClient) -> None:
    answer = await http.get(path.rstrip("/"), params={"searchtext": "x"})
    assert answer.status_code == 308
    assert httpx2.URL(answer.headers["location"]).path == path


# -- federal services ------------------------------------------------------------------------------


async def search_server(http: httpx2.AsyncClient, **params: str) -> Any:
    return (await http.get(SEARCH_SERVER, params={"type": "locations", **params})).json()


async def test_a_federal_address(http: httpx2.AsyncClient) -> None:
    document = await search_server(http, searchText="seftigenstrasse 264", origins="address", sr="2056")
    (result,) = document["results"]
    attrs = result["attrs"]
    assert attrs["label"] == "Seftigenstrasse 264 <b>3084 Wabern</b>"
    assert attrs["detail"] == "seftigenstrasse 264 3084 wabern 355 koeniz ch be"
    assert attrs["x"] < 1_300_000 < 2_480_000 < attrs["y"]
    assert attrs["geom_st_box2d"].startswith("BOX(26")
    assert "fuzzy" not in document


async def test_a_federal_parcel_has_its_egrid_in_the_detail_only(http: httpx2.AsyncClient) -> None:
    (result,) = (await search_server(http, searchText="CH974590888353", sr="2056"))["results"]
    assert result["attrs"]["label"] == "<b>Moudon</b> 1260 (CH 9745 9088 8353)"
    assert result["attrs"]["detail"] == "1260 moudon 5678 ch974590888353"
    assert "egrid" not in result["attrs"] and "featureId" not in result["attrs"]


async def test_the_default_system_is_the_old_one(http: httpx2.AsyncClient) -> None:
    (result,) = (await search_server(http, searchText="seftigenstrasse 264"))["results"]
    assert (result["attrs"]["x"], result["attrs"]["y"]) == (197427.0, 600968.625)


async def test_a_first_word_says_what_is_looked_for(http: httpx2.AsyncClient) -> None:
    results = (await search_server(http, searchText="parzelle messen"))["results"]
    assert {result["attrs"]["origin"] for result in results} == {"parcel"}
    assert (await search_server(http, searchText="parzelle messen", origins="parcel"))["results"] == []


async def test_a_fuzzy_answer_says_so(http: httpx2.AsyncClient) -> None:
    document = await search_server(http, searchText="Grenchn", origins="gg25")
    assert document["fuzzy"] == "true" and len(document["results"]) == 1
    assert await search_server(http, searchText="Qwertz") == {"fuzzy": "true", "results": []}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"type": "locations"}, "Please provide a search text"),
        ({"searchText": "x"}, "Please provide a type parameter"),
        ({"type": "places", "searchText": "x"}, "The type parameter you provided is not valid"),
        ({"type": "locations", "searchText": "a b c d e f g h i j k"}, "can not contain more than 10 words"),
        ({"type": "locations", "searchText": "x", "origins": "houses"}, "Bad value(s) in parameter origins"),
        ({"type": "locations", "searchText": "x", "sr": "1"}, "Unsupported spatial reference 1"),
        ({"type": "locations", "searchText": "x", "bbox": "1,2"}, "Please provide 4 coordinates"),
        ({"type": "locations", "searchText": "x", "limit": "many"}, "should be an integer"),
    ],
)
async def test_what_the_federal_search_refuses(
    params: dict[str, str], message: str, http: httpx2.AsyncClient
) -> None:
    answer = await http.get(SEARCH_SERVER, params=params)
    assert answer.status_code == 400
    assert message in answer.json()["error"]["message"]


POINT = {
    "geometry": "2600513,1215519",
    "geometryType": "esriGeometryPoint",
    "layers": "all:ch.kantone.cadastralwebmap-farbe",
    "tolerance": "0",
    "sr": "2056",
}


async def test_identify_in_both_of_its_formats(http: httpx2.AsyncClient) -> None:
    esri = await http.get(IDENTIFY, params=POINT)
    assert esri.headers["content-type"] == "application/json"
    assert esri.json()["results"][0]["attributes"]["egris_egrid"] == "CH955832730623"
    assert esri.json()["results"][0]["geometry"]["spatialReference"] == {"wkid": 2056}
    geojson = await http.get(IDENTIFY, params={**POINT, "geometryFormat": "geojson"})
    assert geojson.headers["content-type"] == "application/geo+json"
    assert geojson.json()["results"][0]["properties"]["number"] == "198"
    assert geojson.json()["results"][0]["geometry"]["type"] == "MultiPolygon"


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({**POINT, "geometry": None}, "geometry"),
        ({**POINT, "tolerance": None}, "tolerance"),
        ({**POINT, "tolerance": "5"}, "mapExtent"),
    ],
)
async def test_what_identify_refuses(
    params: dict[str, str | None], name: str, http: httpx2.AsyncClient
) -> None:
    answer = await http.get(IDENTIFY, params={k: v for k, v in params.items() if v is not None})
    assert (answer.status_code, answer.json()["code"]) == (400, 400)
    assert answer.json()["detail"] == f"Please provide the parameter {name} (Required)"


# -- the command -----------------------------------------------------------------------------------


def test_the_servers_start_as_a_command() -> None:
    command = [sys.executable, "-m", "recorded", "--port", "0"]
    environment = {**os.environ, "PYTHONPATH": str(SUPPORT)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            answer = httpx2.get(f"{url}{SEARCH}", params={"searchtext": "Grenchen", "filter": MUNICIPALITIES})
        finally:
            process.terminate()
    assert answer.json()["results"][0]["feature"]["display"] == "Grenchen | 2546 (Gemeinde)"
