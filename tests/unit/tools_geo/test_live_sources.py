"""Which source answers which kind of question is a matter of settings."""

import asyncio
import socket
from dataclasses import fields
from typing import Any

import pytest
from geo_live import live_settings
from pydantic import ValidationError
from recorded.server import RecordedServer
from servicekit.outbound import Outbound, SourceError, SourceErrorKind

from tools_geo.embedded.addresses import EmbeddedAddresses
from tools_geo.embedded.places import EmbeddedPlaces
from tools_geo.gateways import Gateways
from tools_geo.live import probe
from tools_geo.live.addresses import LiveAddresses
from tools_geo.live.parcels import LiveParcels
from tools_geo.live.places import LivePlaces
from tools_geo.settings import Settings
from tools_geo.sources import gateways, live, outbound_of

KINDS = [kind.name for kind in fields(Gateways)]


def test_everything_is_embedded_by_default() -> None:
    assert outbound_of(Settings()) is None
    assert isinstance(gateways(Settings(), None).addresses, EmbeddedAddresses)


async def test_one_setting_makes_everything_live() -> None:
    settings = Settings(geo_source="live")
    outbound = outbound_of(settings)
    assert outbound is not None
    found = gateways(settings, outbound)
    assert isinstance(found.addresses, LiveAddresses)
    assert all(type(getattr(found, kind)).__module__.split(".")[1] != "embedded" for kind in KINDS)
    await outbound.close()


async def test_each_kind_can_have_a_source_of_its_own() -> None:
    settings = Settings(geo_source="live", places_source="embedded")
    outbound = outbound_of(settings)
    found = gateways(settings, outbound)
    assert isinstance(found.addresses, LiveAddresses) and isinstance(found.places, EmbeddedPlaces)
    settings = Settings(places_source="live")
    found = gateways(settings, outbound)
    assert isinstance(found.addresses, EmbeddedAddresses) and isinstance(found.places, LivePlaces)
    assert outbound is not None
    await outbound.close()


def test_the_sources_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEO_SOURCE", "live")
    monkeypatch.setenv("PARCELS_SOURCE", "embedded")
    settings = Settings()
    assert {kind: settings.source_of(kind) for kind in KINDS} == {
        **dict.fromkeys(KINDS, "live"),
        "parcels": "embedded",
    }


def test_an_unknown_source_is_refused() -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"geo_source": "somewhere"})


@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_has_a_live_adapter_and_a_setting(kind: str) -> None:
    settings = Settings.model_validate({f"{kind}_source": "live"})
    outbound = outbound_of(settings)
    assert outbound is not None
    assert live(kind, settings, outbound) is not None
    await outbound.close()


async def test_what_is_embedded_opens_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a connection")

    found = gateways(Settings(), None)
    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", refuse)
    assert (await found.addresses.addresses("Rötistrasse 4, Solothurn")).items
    assert (await found.places.municipalities("Grenchen")).items
    assert (await found.parcels.by_number("168", "Messen")).items
    assert (await found.layers.layers("Gewässerschutz")).items


async def test_only_the_configured_servers_may_be_called(server: RecordedServer) -> None:
    settings = live_settings(server.url)
    outbound = outbound_of(settings)
    assert outbound is not None
    with pytest.raises(SourceError) as caught:
        await outbound.get("https://geo.so.ch/api/search/v2/", source="x")
    assert caught.value.kind is SourceErrorKind.FORBIDDEN
    assert (await live("places", settings, outbound).municipalities("Grenchen")).items
    await outbound.close()


async def test_another_canton_has_other_names(server: RecordedServer) -> None:
    settings = live_settings(
        server.url,
        search_facet_municipalities="my.municipalities",
        data_dataset_parcels="my.parcels",
    )
    outbound = Outbound(settings, (server.url,))
    await live("places", settings, outbound).municipalities("Grenchen")
    parcels = live("parcels", settings, outbound)
    assert isinstance(parcels, LiveParcels)
    with pytest.raises(SourceError):
        await parcels.by_egrid("CH000000000000")
    assert server.asked("/search/v2/")[0].query["filter"] == "my.municipalities"
    assert server.asked("/data/v1/")[0].path == "/api/data/v1/my.parcels/"
    await outbound.close()


async def test_the_servers_of_another_canton_are_asked_without_the_names_of_ours(
    server: RecordedServer,
) -> None:
    settings = live_settings(server.url, geo_data_dir=None)
    outbound = Outbound(settings, (server.url,))
    assert not (await live("places", settings, outbound).places("Kanton")).items
    assert not server.seen
    layers = live("layers", settings, outbound)
    assert (await layers.layers("Grundbuchplan")).items
    await layers.layers("Bohren")
    searched = {request.query["searchtext"] for request in server.asked("/search/v2/")}
    assert searched == {"Grundbuchplan", "Bohren"}, "our words are not theirs"
    assert [check.setting for check in probe.checks(settings, outbound, ("layers",))] == ["SEARCH_URL"]
    await outbound.close()


async def test_each_gateway_has_a_cache_of_its_own(server: RecordedServer) -> None:
    settings = live_settings(server.url, cache_max_entries=1)
    outbound = Outbound(settings, (server.url,))
    places, addresses = live("places", settings, outbound), live("addresses", settings, outbound)
    await places.municipalities("Grenchen")
    await addresses.addresses("Rötistrasse 4, Solothurn")
    await addresses.addresses("Rötistrasse 5, Solothurn")
    asked = len(server.seen)
    await places.municipalities("Grenchen")
    assert len(server.seen) == asked
    await outbound.close()
