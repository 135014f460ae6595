"""Who is asked for layers when the canton has none, or is down."""

import json
from collections.abc import AsyncIterator

import pytest
from contracts.items import Layer
from geo_live import live_gateway
from layer_searches import found_by, ids, product
from misbehaving import Exchange, MisbehavingServer, healthy, status
from recorded.server import Options, RecordedServer
from servicekit.outbound import SourceError, SourceErrorKind

from tools_geo.gateways import LayerGateway, Remark


@pytest.fixture
async def layers(server: RecordedServer) -> AsyncIterator[LayerGateway]:
    async with live_gateway("layers", server.url) as gateway:
        yield gateway


async def test_where_the_canton_has_nothing_the_confederation_is_asked(
    layers: LayerGateway, server: RecordedServer
) -> None:
    (layer,) = (await layers.layers("Solarenergie")).items
    assert isinstance(layer, Layer)
    assert (layer.id, layer.label) == (
        "ch.bfe.solarenergie-eignung-daecher",
        "Solarenergie: Eignung Hausdächer",
    )
    assert layer.source.parameters["LAYERS"] == "ch.bfe.solarenergie-eignung-daecher"
    assert layer.attribution == "Bund (geo.admin.ch)"
    assert layer.provenance is not None
    assert (layer.provenance.source, layer.provenance.match) == ("swisstopo, Karten des Bundes", "fuzzy")
    (asked,) = server.asked("SearchServer")
    assert (asked.query["type"], asked.query["lang"], asked.query["limit"]) == ("layers", "de", "30")


async def test_the_markup_of_federal_titles_is_no_part_of_them(layers: LayerGateway) -> None:
    (layer,) = (await layers.layers("Solarenergie")).items
    assert "<" not in layer.label


async def test_who_else_knows_is_said_when_nobody_has_a_layer(layers: LayerGateway) -> None:
    found = await layers.layers("Velowege")
    assert (found.items, found.remark, found.values) == (
        (),
        Remark.KNOWN_ELSEWHERE,
        {"see": "schweizmobil.ch"},
    )


async def test_without_the_confederation_it_is_not_asked(server: RecordedServer) -> None:
    async with live_gateway("layers", server.url, federal_fallback=False) as gateway:
        found = await gateway.layers("Solarenergie")
    assert (found.items, found.values) == ((), {"see": "sonnendach.ch"})
    assert server.asked("SearchServer") == []


async def test_the_first_failure_is_told_when_everybody_is_down() -> None:
    server = MisbehavingServer()
    server.behave(status(500))
    with pytest.raises(SourceError) as failed:
        await found_by("Wald", server, outbound_max_retries=0)
    assert failed.value.kind is SourceErrorKind.FAILED
    assert failed.value.source.startswith("Die Kartensuche von 127.0.0.1")


async def test_a_search_that_fails_is_missed_only_when_none_succeeds() -> None:
    server = MisbehavingServer()

    async def only_archaeology(exchange: Exchange) -> None:
        text = exchange.request.query.get("searchtext", [""])[0]
        body = {"results": [product("ch.so.ada.archaeologie.fundstellen", "Archäologische Fundstellen")]}
        good = healthy(json.dumps(body).encode()) if text.startswith("Archäo") else status(500)
        await good(exchange)

    server.behave(only_archaeology)
    found = await found_by("Römer", server, outbound_max_retries=0)
    assert ids(found) == ["ch.so.ada.archaeologie.fundstellen"]


async def test_an_error_in_an_answer_with_status_200_is_an_error() -> None:
    server = MisbehavingServer()
    server.behave(healthy(b'{"error": "Missing search string"}'))
    with pytest.raises(SourceError) as failed:
        await found_by("Wald", server, federal_fallback=False)
    assert failed.value.kind is SourceErrorKind.UNREADABLE


async def test_old_answers_serve_while_the_canton_is_down_and_say_so() -> None:
    async with RecordedServer(options=Options()) as server:
        gone = server.url
        async with live_gateway("layers", gone, cache_ttl_s=0, outbound_max_retries=0) as gateway:
            fresh = await gateway.layers("Wildtierkorridore")
            await server.__aexit__(None, None, None)
            stale = await gateway.layers("Wildtierkorridore")
    assert ids(stale) == ids(fresh) == ["ch.so.awjf.wildtierkorridore"]
    before, after = fresh.items[0].provenance, stale.items[0].provenance
    assert before is not None and after is not None
    assert (before.stale, after.stale) == (False, True)
    assert after.retrieved_at <= before.retrieved_at or after.retrieved_at == before.retrieved_at
