"""The settings of this service."""

from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import DirectoryPath, Field, model_validator
from servicekit.settings import OutboundSettings, ServiceSettings

Source = Literal["embedded", "live"]


class Settings(ServiceSettings, OutboundSettings):
    outbound_read_timeout_s: Annotated[float, Field(gt=0)] = 10.0
    """An extract is put together while its reader waits: some seconds for a parcel in a city."""
    outbound_total_timeout_s: Annotated[float, Field(gt=0)] = 12.0
    """After a search that takes long as well, a turn still has room for it."""
    geo_source: Source = "embedded"
    """The data that ship with the service: it works offline and always answers the same."""
    oereb_source: Source | None = None
    """As GEO_SOURCE, unless the cadastre has another source than the other geodata."""
    oereb_parcels_file: Path | None = None
    """Another GeoJSON file in the place of the packaged one, for an installation with its own data."""
    oereb_extracts_dir: DirectoryPath | None = None
    """Extracts of the parcels of that file, `<EGRID>.xml`; those that ship with the service are samples."""
    parcel_tolerance_m: Annotated[float, Field(ge=0, le=50)] = 1.0
    """The cadastre itself answers for points this close to a boundary."""
    oereb_url: str = "https://geo.so.ch/api/oereb"
    """The web service of the canton, which serves the extracts as PDF; every canton has one."""
    oereb_map_url: Annotated[str | None, Field(pattern=r"^https?://[^/\s]+/\S*\{egrid\}\S*$")] = (
        "https://geo.so.ch/map/?oereb_egrid={egrid}"
    )
    """The map of the canton, which shows an extract; what the service itself names comes first."""
    oereb_format: Literal["xml", "json"] = "xml"
    """The directive asks for XML only, and geo.so.ch has nothing else; `json` where a canton offers it."""
    oereb_coordinate_parameter: Literal["EN", "XY"] = "EN"
    """As in version 2.0 of the directive; before it was `XY`, which a few services still want."""
    oereb_language: Literal["de", "fr", "it", "rm"] = "de"
    """Of extracts for users whose language the service has not; without this one it answers in its own."""
    oereb_source_name: str = "ÖREB-Kataster Kanton Solothurn"
    """Whose data it is, as users read it."""
    oereb_license: str = "Freie Nutzung mit Quellenangabe"
    """The terms of the canton of Solothurn."""
    cache_max_entries: Annotated[int, Field(ge=1)] = 2_000
    """Some kilobytes an answer."""
    cache_ttl_s: Annotated[float, Field(ge=0)] = 300.0
    """The cadastre changes daily; within one conversation the same question has one answer."""
    cache_stale_s: Annotated[float, Field(ge=0)] = 86_400.0
    """Yesterday's outline beats none while its source is down; users are told."""

    @model_validator(mode="after")
    def _name_nobody_else(self) -> Self:
        """The name and the map of the canton of Solothurn are not those of another service."""
        if self.oereb_url != type(self).model_fields["oereb_url"].default:
            if "oereb_source_name" not in self.model_fields_set:
                self.oereb_source_name = urlsplit(self.oereb_url).hostname or self.oereb_url
            if "oereb_map_url" not in self.model_fields_set:
                self.oereb_map_url = None
        return self

    @property
    def is_live(self) -> bool:
        return (self.oereb_source or self.geo_source) == "live"
