"""The settings of this service."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field
from servicekit.settings import ServiceSettings


class Settings(ServiceSettings):
    geo_source: Literal["embedded"] = "embedded"
    """The data that ship with the service: it works offline and always answers the same."""
    oereb_parcels_file: Path | None = None
    """Another GeoJSON file in the place of the packaged one, for an installation with its own data."""
    parcel_tolerance_m: Annotated[float, Field(ge=0, le=50)] = 1.0
    """The cadastre itself answers for points this close to a boundary."""
    oereb_base_url: str = "https://geo.so.ch/api/oereb"
    """The web service of the canton, which serves the extracts as PDF."""
    oereb_map_url: str = "https://geo.so.ch/map/"
    """The map of the canton, which shows an extract interactively."""
