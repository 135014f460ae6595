"""What the services do that nobody expects; each of these has cost somebody a day."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from geo_live import live_gateway, live_settings
from misbehaving import MisbehavingServer, healthy, status
from pydantic_core import to_json
from recorded.server import RecordedServer
from servicekit.cache import TtlCache
from servicekit.outbound import Outbound, SourceError, SourceErrorKind

from tools_geo.gateways import Remark
from tools_geo.live.canton_search import CantonSearch, Hits
from tools_geo.live.data_service import DataService, all_of, any_of, equals, equals_in_any_case
from tools_geo.live.federal import Federal, Location, plain

PARCELS = "ch.so.agi.av.grundstuecke.rechtskraeftig"
ADDRESSES = "ch.so.agi.av.gebaeudeadressen.gebaeudeeingaenge"


@asynccontextmanager
async def outbound_to(url: str) -> AsyncIterator[Outbound]:
    outbound = Outbound(live_settings(url, outbound_max_retries=0), (url,))
    try:
        yield outbound
    finally:
        await outbound.close()


@asynccontextmanager
async def answering(document: Any) -> AsyncIterator[MisbehavingServer]:
    """A server that answers everything with one document."""
    async with MisbehavingServer() as misbehaving:
        misbehaving.behave(healthy(to_json(document)))
        yield misbehaving


def canton_hit(**changes: Any) -> dict[str, Any]:
    known = {
        "bbox": [2605899, 1229278, 2605899, 1229278],
        "dataproduct_id": ADDRESSES,
        "display": "Langendorfstrasse 19b, 4500 Solothurn (Adresse)",
        "feature_id": "623490242",
        "id_field_name": "t_id",
        "id_field_type": False,
        "srid": "EPSG:2056",
    }
    return {"feature": {**known, **changes}}


def federal_hit(**changes: Any) -> dict[str, Any]:
    known = {
        "origin": "address",
        "label": "Seftigenstrasse 264 <b>3084 Wabern</b>",
        "detail": "seftigenstrasse 264 3084 wabern 355 koeniz ch be",
        "featureId": "1272199_0",
        "x": 1197427.0,
        "y": 2600968.75,
    }
    return {"id": 1420809, "weight": 1512, "attrs": {**known, **changes}}


# -- the canton's search ---------------------------------------------------------------------------


async def test_number_9_does_not_find_number_19(server: RecordedServer) -> None:
    async with live_gateway("addresses", server.url) as addresses:
        (address,) = (await addresses.addresses("Burgunderstrasse 9, Solothurn")).items
    assert address.house_number == "9"


async def test_a_house_number_inside_of_a_postal_code_does_not_count(server: RecordedServer) -> None:
    async with live_gateway("addresses", server.url) as addresses:
        (address,) = (await addresses.addresses("Rötistrasse 5, Solothurn")).items
        found = await addresses.addresses("Rötistrasse 50, Solothurn")
    assert address.house_number == "5"
    assert found.remark is Remark.NUMBER_UNKNOWN


async def test_a_word_with_a_colon_does_not_search_another_facet(server: RecordedServer) -> None:
    async with live_gateway("addresses", server.url) as addresses:
        assert (await addresses.addresses("Karte: Rötistrasse 4")).items == ()
        assert (await addresses.addresses("Adresse:Rötistrasse 4")).items
        assert (await addresses.addresses("Gemeinde: Rötistrasse 4, Solothurn")).items
    assert all(":" not in seen.query["searchtext"] for seen in server.asked("/search/v2/"))


async def test_nothing_found_is_an_empty_list_and_no_error(server: RecordedServer) -> None:
    async with outbound_to(server.url) as outbound:
        search = CantonSearch(outbound, f"{server.url}/api/search/v2/", TtlCache(), name=lambda: "x")
        assert (await search.features(("xyz",), (ADDRESSES,))).value == Hits([], is_all=True)
        assert (await search.features(("Solothurn",), ("no.such.facet",))).value == Hits([], is_all=True)


async def test_an_error_with_status_200_is_no_empty_answer() -> None:
    async with (
        answering({"error": "Missing search string"}) as misbehaving,
        live_gateway("addresses", misbehaving.url, federal_fallback=False) as addresses,
    ):
        with pytest.raises(SourceError) as caught:
            await addresses.addresses("Rötistrasse 4")
    assert caught.value.kind is SourceErrorKind.UNREADABLE


@pytest.mark.parametrize(
    "changes",
    [
        {"bbox": None, "srid": None},
        {"srid": "EPSG:21781"},
        {"bbox": [2605899, 1229278]},
        {"bbox": [0, 0, 0, 0]},
        {"display": None},
        {"feature_id": None},
        {"display": "Langendorfstrasse 19b"},
    ],
)
async def test_an_address_without_position_or_text_is_left_out(changes: dict[str, Any]) -> None:
    results = [canton_hit(**changes), canton_hit()]
    if changes.get("feature_id", "") is None:
        del results[0]["feature"]["feature_id"]
    async with (
        answering({"results": results, "result_counts": [{"count": None}]}) as misbehaving,
        live_gateway("addresses", misbehaving.url, federal_fallback=False) as addresses,
    ):
        found = await addresses.addresses("Langendorfstrasse 19b, Solothurn")
    assert [item.id for item in found.items] == ["623490242"]


@pytest.mark.parametrize("count", [None, -1, 1])
async def test_the_older_back_end_is_understood(count: int | None) -> None:
    hit = canton_hit(feature_id=623490242)
    del hit["feature"]["srid"]
    counts = [{"count": count, "dataproduct_id": ADDRESSES, "filterword": "Adresse"}]
    async with (
        answering({"results": [hit], "result_counts": counts}) as misbehaving,
        live_gateway("addresses", misbehaving.url, federal_fallback=False) as addresses,
    ):
        (address,) = (await addresses.addresses("Langendorfstrasse 19b, Solothurn")).items
    assert (address.id, address.coord) == ("623490242", (2605899, 1229278))


async def test_layers_among_the_features_are_passed_over() -> None:
    layer = {"dataproduct": {"dataproduct_id": "x", "display": "Rötistrasse 4, 4500 Solothurn"}}
    async with (
        answering({"results": [layer, canton_hit(), "x", None]}) as misbehaving,
        live_gateway("addresses", misbehaving.url, federal_fallback=False) as addresses,
    ):
        assert len((await addresses.addresses("Langendorfstrasse 19b, Solothurn")).items) == 1


# -- the data service ------------------------------------------------------------------------------


@asynccontextmanager
async def data_service(url: str) -> AsyncIterator[DataService]:
    async with outbound_to(url) as outbound:
        yield DataService(outbound, f"{url}/api/data/v1", PARCELS, TtlCache(), name=lambda: "x")


async def test_the_case_of_a_municipality_does_not_matter(server: RecordedServer) -> None:
    async with data_service(server.url) as data:
        assert (await data.where(equals("gemeinde", "messen"))).value == []
        found = await data.where(equals_in_any_case("gemeinde", "messen"))
    assert {feature.properties["gemeinde"] for feature in found.value} == {"Messen"}


@pytest.mark.parametrize("pattern", ["M%", "Messe_", "%", r"Messen\%", "\\"])
async def test_a_wildcard_in_a_name_is_an_ordinary_character(pattern: str, server: RecordedServer) -> None:
    async with data_service(server.url) as data:
        assert (await data.where(equals_in_any_case("gemeinde", pattern))).value == []


async def test_numbers_are_sent_as_text_and_a_limit_with_an_offset(server: RecordedServer) -> None:
    async with live_gateway("parcels", server.url) as parcels:
        await parcels.by_number("168", "Messen")
    query = server.seen[0].query
    assert json.loads(query["filter"])[0] == ["nummer", "=", "168"]
    assert (query["limit"], query["offset"]) == ("50", "0")


async def test_the_path_of_a_dataset_ends_with_a_slash(server: RecordedServer) -> None:
    async with live_gateway("parcels", server.url, data_url=f"{server.url}/api/data/v1/") as parcels:
        assert (await parcels.by_egrid("CH955832730623")).items
    assert [seen.path for seen in server.seen] == [f"/api/data/v1/{PARCELS}/"]


async def test_filters_nest_and_keep_umlauts(server: RecordedServer) -> None:
    wanted = all_of(
        equals("nummer", "168"), any_of(equals("gemeinde", "Büren"), equals("gemeinde", "Messen"))
    )
    async with data_service(server.url) as data:
        assert len((await data.where(wanted)).value) == 2
    assert json.loads(server.seen[0].query["filter"]) == [
        ["nummer", "=", "168"],
        "and",
        [["gemeinde", "=", "Büren"], "or", ["gemeinde", "=", "Messen"]],
    ]


@pytest.mark.parametrize("document", [[], {}, {"features": None}, {"features": [{"geometry": None}]}])
async def test_a_collection_without_features_is_unreadable(document: Any) -> None:
    async with answering(document) as misbehaving, data_service(misbehaving.url) as data:
        with pytest.raises(SourceError) as caught:
            await data.where(equals("egrid", "CH955832730623"))
    assert caught.value.kind is SourceErrorKind.UNREADABLE


# -- the federal search ----------------------------------------------------------------------------


def test_x_is_the_north_and_y_the_east_of_a_federal_hit() -> None:
    location = Location.model_validate({**federal_hit()["attrs"], "id": 1})
    assert location.coord == (2600968.75, 1197427.0)


def test_the_box_of_a_federal_hit_is_east_before_north() -> None:
    box = "BOX(2551183.522999998 1167969.4200000018,2551736.6559999995 1168560.9329999983)"
    hit = {**federal_hit()["attrs"], "id": 1, "geom_st_box2d": box, "x": 1168265.375, "y": 2551474}
    location = Location.model_validate(hit)
    assert location.extent == (2551183.523, 1167969.42, 2551736.656, 1168560.933)
    assert location.coord == (2551474, 1168265.375)


def test_coordinates_in_the_old_system_are_not_taken_for_new_ones() -> None:
    hit = {**federal_hit()["attrs"], "id": 1, "x": 197427.0, "y": 600968.75, "geom_st_box2d": "BOX(1 2,3 4)"}
    location = Location.model_validate(hit)
    assert (location.coord, location.extent) == (None, None)


async def test_the_federal_search_is_asked_for_lv95(server: RecordedServer) -> None:
    async with live_gateway("addresses", server.url) as addresses:
        await addresses.addresses("Seftigenstrasse 264, Wabern")
    (seen,) = server.asked("SearchServer")
    assert (seen.query["sr"], seen.query["type"], seen.query["origins"]) == ("2056", "locations", "address")
    assert int(seen.query["limit"]) <= 50


async def test_no_more_than_ten_words_are_sent(server: RecordedServer) -> None:
    async with outbound_to(server.url) as outbound:
        federal = Federal(outbound, server.url, TtlCache(), name=lambda: "x")
        await federal.locations([f"wort{n}" for n in range(15)], ("gg25",))
    assert len(server.seen[0].query["searchText"].split()) == 10


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<b>Muri bei Bern</b> 1 (CH 2346 8535 6930)", "Muri bei Bern 1 (CH 2346 8535 6930)"),
        ("<i>Populated Place</i> <b>Wabern</b> (BE) - Köniz", "Populated Place Wabern (BE) - Köniz"),
        ("Rue de l&#39;H&ocirc;pital <b>1003 Lausanne</b>", "Rue de l'Hôpital 1003 Lausanne"),
        ("&lt;script&gt;alert(1)&lt;/script&gt; <b>x</b>", "x"),
        ("a  <b>\n b</b>", "a b"),
    ],
)
def test_labels_are_plain_text(markup: str, text: str) -> None:
    assert plain(markup) == text


async def test_the_egrid_of_a_federal_parcel_is_the_last_word_of_its_detail() -> None:
    hit = federal_hit(
        origin="parcel",
        label="<b>Muri bei Bern</b> 1 (CH 2346 8535 6930)",
        detail="1 muri bei bern 356 ch234685356930",
    )
    async with (
        answering({"results": [hit], "features": []}) as misbehaving,
        live_gateway("parcels", misbehaving.url) as parcels,
    ):
        (parcel,) = (await parcels.by_number("1", "Muri bei Bern")).items
    assert (parcel.egrid, parcel.number, parcel.municipality) == ("CH234685356930", "1", "Muri bei Bern")


async def test_a_fuzzy_answer_is_not_trusted() -> None:
    hits = [federal_hit(label="Hefligerstrasse 264 <b>3084 Wabern</b>", featureId="1_0"), federal_hit()]
    async with (
        answering({"fuzzy": "true", "results": hits}) as misbehaving,
        live_gateway("addresses", misbehaving.url) as addresses,
    ):
        (address,) = (await addresses.addresses("Seftigenstrase 264, Wabern")).items
        nothing = await addresses.addresses("Bahnhofstrasse 1, Wabern")
    assert address.street == "Seftigenstrasse"
    assert address.provenance and address.provenance.match == "fuzzy"
    assert nothing.items == ()


async def test_an_exact_hit_in_a_fuzzy_answer_is_exact() -> None:
    async with (
        answering({"fuzzy": "true", "results": [federal_hit()]}) as misbehaving,
        live_gateway("addresses", misbehaving.url) as addresses,
    ):
        (address,) = (await addresses.addresses("Seftigenstrasse 264, Wabern")).items
    assert address.provenance and address.provenance.match == "exact"


async def test_a_refusal_of_the_federal_search_is_a_failure() -> None:
    refusal = to_json({"success": False, "error": {"code": 400, "message": "Please provide a search text"}})
    async with MisbehavingServer() as misbehaving, outbound_to(misbehaving.url) as outbound:
        misbehaving.behave(status(400, refusal))
        federal = Federal(outbound, misbehaving.url, TtlCache(), name=lambda: "Die Suche von swisstopo")
        with pytest.raises(SourceError) as caught:
            await federal.locations(("x",), ("gg25",))
    assert (caught.value.kind, caught.value.status) == (SourceErrorKind.FAILED, 400)


@pytest.mark.parametrize("attrs", [None, {}, {"origin": "address"}, {"origin": "address", "label": None}])
async def test_an_odd_hit_does_not_spoil_the_others(attrs: Any) -> None:
    async with (
        answering({"results": [{"id": 1, "attrs": attrs}, federal_hit(), None]}) as misbehaving,
        live_gateway("addresses", misbehaving.url) as addresses,
    ):
        assert len((await addresses.addresses("Seftigenstrasse 264, Wabern")).items) == 1


# -- identify --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["attributes", "properties"])
async def test_attributes_are_read_under_both_of_their_names(name: str) -> None:
    building = {
        "strname_deinr": "Seftigenstrasse 264",
        "plz_plz6": "3084/308400",
        "ggdename": "Köniz",
        "gkode": 2600983.546,
        "gkodn": 1197396.177,
    }
    result = {"layerBodId": "ch.bfs.gebaeude_wohnungs_register", "featureId": "1272199_0", name: building}
    async with (
        answering({"results": [result]}) as misbehaving,
        live_gateway("addresses", misbehaving.url) as addresses,
    ):
        (address,) = (await addresses.addresses("2600980, 1197400")).items
    assert (address.postal_code, address.locality, address.municipality) == ("3084", "Köniz", "Köniz")


async def test_identify_gets_what_it_needs_for_a_tolerance_in_metres(server: RecordedServer) -> None:
    async with live_gateway("addresses", server.url) as addresses:
        await addresses.addresses("2600980, 1197400")
    query = server.asked("identify")[0].query
    west, south, east, north = map(float, query["mapExtent"].split(","))
    width, height, _ = map(float, query["imageDisplay"].split(","))
    assert ((east - west) / width, (north - south) / height) == (1, 1)
    assert query["geometry"] == "2600980.0,1197400.0"


async def test_a_former_municipality_at_a_point_is_passed_over(server: RecordedServer) -> None:
    async with live_gateway("places", server.url) as places:
        (item,) = (await places.municipalities("2607096, 1228655")).items
    assert item.name == "Solothurn"
