"""tools-geo with live sources, all of them asked at one local server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from servicekit.outbound import Outbound

from tools_geo.embedded import datafiles
from tools_geo.settings import Settings
from tools_geo.sources import live


def live_settings(url: str, **changes: Any) -> Settings:
    """Every URL of a service keeps its path, and leads to the server at `url`."""
    defaults = {name: field.default for name, field in Settings.model_fields.items()}
    local = {
        name: url + urlsplit(default).path.rstrip("/") + ("/" if default.endswith("/") else "")
        for name, default in defaults.items()
        if name.endswith("_url") and str(default).startswith("https://")
    }
    return Settings(**{"geo_source": "live", "geo_data_dir": datafiles.PACKAGED, **local, **changes})


@asynccontextmanager
async def live_gateway(kind: str, url: str, *others: str, **changes: Any) -> AsyncIterator[Any]:
    """The live adapter for a field of `Gateways`; `others` are servers that may be called as well."""
    settings = live_settings(url, **changes)
    outbound = Outbound(settings, (url, *others))
    try:
        yield live(kind, settings, outbound)
    finally:
        await outbound.close()
