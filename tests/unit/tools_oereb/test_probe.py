"""What an ÖREB web service must speak for these settings."""

from typing import Any

import pytest
from recorded.server import RecordedServer
from starlette.responses import JSONResponse

from tools_oereb.settings import Settings
from tools_oereb.sources import prober_of


async def findings(recorded: RecordedServer, path: str, **settings: Any) -> list[tuple[str, str, str]]:
    """(setting, path, what is missing)"""
    prober = prober_of(Settings(oereb_source="live", oereb_url=f"{recorded.url}{path}", **settings))
    assert prober is not None
    await prober.check()
    await prober.stop()
    found: Any = prober.details()["findings"]
    return [
        (each["setting"], each["url"].removeprefix(recorded.url + path), each["missing"]) for each in found
    ]


@pytest.mark.parametrize(
    ("path", "form"), [("/api/oereb", "xml"), ("/json-canton/oereb", "xml"), ("/json-canton/oereb", "json")]
)
async def test_both_services_have_what_is_configured(recorded: RecordedServer, path: str, form: str) -> None:
    assert await findings(recorded, path, oereb_format=form) == []
    assert len(recorded.seen) == 2


async def test_a_format_that_the_service_lacks_is_found(recorded: RecordedServer) -> None:
    assert await findings(recorded, "/api/oereb", oereb_format="json") == [
        ("OEREB_URL", "/versions/json/", "an answer (failed, HTTP 500)"),
        ("OEREB_URL", "/capabilities/json/", "an answer (failed, HTTP 500)"),
    ]


async def test_another_version_language_or_coordinate_system_is_named(recorded: RecordedServer) -> None:
    recorded.options.instead["/versions/"] = JSONResponse(
        {"GetVersionsResponse": {"supportedVersion": [{"version": "1.0"}, {"version": "1.1"}]}}
    )
    topic = {"Code": "ch.Nutzungsplanung", "Text": [{"Language": "de", "Text": "Nutzungsplanung"}]}
    recorded.options.instead["/capabilities/"] = JSONResponse(
        {"GetCapabilitiesResponse": {"topic": [topic], "language": ["fr", "it"], "crs": ["epsg:21781"]}}
    )
    assert await findings(recorded, "/json-canton/oereb", oereb_format="json") == [
        ("OEREB_URL", "/versions/json/", "version 'extract-2.0' among ['1.0', '1.1']"),
        ("OEREB_LANGUAGE", "/capabilities/json/", "language 'de' among ['fr', 'it']"),
        ("OEREB_URL", "/capabilities/json/", "coordinates of EPSG:2056 among ['epsg:21781']"),
    ]


async def test_the_language_is_the_one_that_is_configured(recorded: RecordedServer) -> None:
    french = {"oereb_format": "json", "oereb_language": "fr"}
    assert await findings(recorded, "/json-canton/oereb", **french) == []
    romansh = await findings(recorded, "/json-canton/oereb", **{**french, "oereb_language": "rm"})
    assert romansh == [("OEREB_LANGUAGE", "/capabilities/json/", "language 'rm' among ['de', 'fr']")]


async def test_what_the_service_does_not_list_is_not_missed(recorded: RecordedServer) -> None:
    recorded.options.instead["/capabilities/"] = JSONResponse({"GetCapabilitiesResponse": {"topic": []}})
    assert await findings(recorded, "/json-canton/oereb", oereb_format="json") == []


def test_nothing_is_asked_of_the_packaged_cadastre_or_when_it_is_switched_off() -> None:
    assert prober_of(Settings()) is None
    assert prober_of(Settings(geo_source="live", outbound_probe_interval_s=0)) is None


async def test_the_language_is_that_of_the_installation(recorded: RecordedServer) -> None:
    for form in ("xml", "json"):
        assert await findings(recorded, "/json-canton/oereb", oereb_format=form, oereb_language="fr") == []
    assert await findings(recorded, "/api/oereb", oereb_language="fr") == [
        ("OEREB_LANGUAGE", "/capabilities/xml/", "language 'fr' among ['de']")
    ]
