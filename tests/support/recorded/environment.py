"""The environment variables that make all sources live and send them to one server."""

from urllib.parse import urlsplit

from pydantic_settings import BaseSettings

from tools_geo.embedded import datafiles
from tools_geo.settings import Settings as GeoSettings
from tools_oereb import embedded
from tools_oereb.settings import Settings as OerebSettings

_ASKED: tuple[tuple[type[BaseSettings], tuple[str, ...]], ...] = (
    (
        GeoSettings,
        (
            "search_url",
            "data_url",
            "layer_metadata_url",
            "federal_url",
            "height_url",
            "featureinfo_url",
            "landreg_print_url",
        ),
    ),
    (OerebSettings, ("oereb_url",)),
)
"""The URLs that services ask themselves. Others, such as that of the WMS, are only handed on to clients."""


def environment(url: str) -> dict[str, str]:
    """Each URL keeps its path and leads to the server at `url`."""
    paths = {
        name.upper(): urlsplit(settings.model_fields[name].default).path
        for settings, names in _ASKED
        for name in names
    }
    return {
        "GEO_SOURCE": "live",
        "OEREB_SOURCE": "live",
        # The names that the server knows, and is known by.
        "GEO_DATA_DIR": str(datafiles.PACKAGED),
        "OEREB_PARCELS_FILE": str(embedded.PACKAGED),
        "OEREB_SOURCE_NAME": OerebSettings.model_fields["oereb_source_name"].default,
        "OEREB_MAP_URL": OerebSettings.model_fields["oereb_map_url"].default,
        **{name: f"{url}{path}" for name, path in paths.items()},
    }
