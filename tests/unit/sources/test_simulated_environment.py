"""Whoever runs on the simulation asks nobody else."""

from typing import Any

import pytest
from recorded.environment import environment

from tools_geo import sources as geo
from tools_geo.settings import Settings as GeoSettings
from tools_oereb import sources as oereb
from tools_oereb.settings import Settings as OerebSettings

URL = "http://127.0.0.1:8090"


@pytest.mark.parametrize(("sources", "settings"), [(geo, GeoSettings), (oereb, OerebSettings)])
def test_all_sources_are_live_and_none_is_anywhere_else(
    sources: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment(URL).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sources, "Outbound", lambda _, allowed: list(allowed))
    allowed = sources.outbound_of(settings())
    assert allowed and all(url.startswith(f"{URL}/") or url == URL for url in allowed)


def test_what_is_only_handed_on_to_clients_stays_real(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment(URL).items():
        monkeypatch.setenv(name, value)
    settings = GeoSettings()
    assert (settings.wms_url, settings.wmts_url) == (
        "https://geo.so.ch/api/wms",
        "https://geo.so.ch/api/wmts",
    )
