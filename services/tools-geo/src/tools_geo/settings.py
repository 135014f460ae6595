"""The settings of this service."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field
from servicekit.settings import ServiceSettings


class Settings(ServiceSettings):
    geo_source: Literal["embedded"] = "embedded"
    """The data that ship with the service: it works offline and always answers the same."""
    geo_data_dir: Path | None = None
    """A folder with the same files as the packaged one, for an installation with its own data."""
    max_addresses: Annotated[int, Field(ge=1)] = 25
    """A street with more numbers than this is no choice that anybody reads."""
    max_places: Annotated[int, Field(ge=1)] = 8
    """Enough for every name that occurs several times in the canton."""
    max_layers: Annotated[int, Field(ge=1)] = 8
    """A topic such as water has more layers than fit on a screen; the best come first."""
    parcel_tolerance_m: Annotated[float, Field(ge=0, le=50)] = 1.0
    """The cadastre itself answers for points this close to a boundary."""
    wms_url: str = "https://geo.so.ch/api/wms"
    """The map service of the canton, which all layer ids belong to."""
