"""The embedded source: data files that ship with the service, searched in SQLite."""

from collections.abc import Callable
from datetime import datetime

from tools_geo.embedded import datafiles, index
from tools_geo.embedded.addresses import EmbeddedAddresses
from tools_geo.embedded.layers import EmbeddedLayers
from tools_geo.embedded.names import Names
from tools_geo.embedded.parcels import EmbeddedParcels
from tools_geo.embedded.places import EmbeddedPlaces
from tools_geo.embedded.sources import utc_now
from tools_geo.gateways import Gateways
from tools_geo.settings import Settings

__all__ = ["embedded_gateways"]


def embedded_gateways(settings: Settings, *, now: Callable[[], datetime] = utc_now) -> Gateways:
    """Read the data files and build the index (some tens of milliseconds). Raises `DataFileError`."""
    db = index.build(datafiles.read(settings.geo_data_dir or datafiles.PACKAGED))
    names = Names(db)
    return Gateways(
        addresses=EmbeddedAddresses(db, names, limit=settings.max_addresses, now=now),
        places=EmbeddedPlaces(db, names, limit=settings.max_places, now=now),
        layers=EmbeddedLayers(db, limit=settings.max_layers, wms_url=settings.wms_url, now=now),
        parcels=EmbeddedParcels(db, names, tolerance_m=settings.parcel_tolerance_m, now=now),
    )
