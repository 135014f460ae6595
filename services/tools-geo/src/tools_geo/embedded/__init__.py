"""The embedded source: data files that ship with the service, searched in SQLite."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache

from tools_geo.embedded import datafiles, index
from tools_geo.embedded.addresses import EmbeddedAddresses
from tools_geo.embedded.datafiles import Dataset
from tools_geo.embedded.features import EmbeddedFeatures, with_extents
from tools_geo.embedded.geothermal import EmbeddedGeothermal
from tools_geo.embedded.heights import EmbeddedHeights
from tools_geo.embedded.layers import EmbeddedLayers
from tools_geo.embedded.names import Names
from tools_geo.embedded.parcels import EmbeddedParcels
from tools_geo.embedded.places import EmbeddedPlaces
from tools_geo.embedded.plans import EmbeddedPlanPrinter
from tools_geo.embedded.sources import Origin, utc_now
from tools_geo.gateways import Gateways
from tools_geo.layers.catalogue import LayerEntry
from tools_geo.layers.search import LayerSearch
from tools_geo.layers.services import LayerServices
from tools_geo.layers.thesaurus import Thesaurus
from tools_geo.plans import Plans
from tools_geo.settings import Settings

__all__ = ["dataset_of", "embedded_gateways", "layers_of"]


def dataset_of(settings: Settings) -> Dataset | None:
    """What is known beforehand of the canton that the settings name. Raises `DataFileError`.

    None where they name servers of another canton than that of the packaged files, and no folder of it.
    """
    is_live = any(settings.source_of(kind.name) == "live" for kind in fields(Gateways))
    is_elsewhere = is_live and settings.search_url != Settings.model_fields["search_url"].default
    if is_elsewhere and settings.geo_data_dir is None:
        return None
    folder = settings.geo_data_dir or datafiles.PACKAGED
    return _packaged() if folder == datafiles.PACKAGED else datafiles.read(folder)


@cache
def _packaged() -> Dataset:
    """Read once: each kind of source looks into it."""
    return datafiles.read()


@dataclass(frozen=True)
class KnownLayers:
    """Layers about which something is known beforehand, and a search among them."""

    entries: tuple[LayerEntry, ...]
    thesaurus: Thesaurus
    search: LayerSearch


def layers_of(data: Dataset | None) -> KnownLayers:
    """Those of the packaged files are made once: that takes longer than all else about a live source."""
    return _packaged_layers() if data is _packaged() else _known_layers(data)


@cache
def _packaged_layers() -> KnownLayers:
    return _known_layers(_packaged())


def _known_layers(data: Dataset | None) -> KnownLayers:
    entries = datafiles.layer_entries(data) if data else ()
    thesaurus = datafiles.thesaurus(data) if data else Thesaurus()
    return KnownLayers(entries, thesaurus, LayerSearch(entries, thesaurus))


def embedded_gateways(settings: Settings, *, now: Callable[[], datetime] = utc_now) -> Gateways:
    """Read the data files and build the index (some tens of milliseconds). Raises `DataFileError`."""
    data = dataset_of(settings) or _packaged()
    db = index.build(data)
    names = Names(db)
    origin = Origin(data.about, now)
    entries = with_extents(datafiles.layer_entries(data), data.features, data.about.extent)
    search = LayerSearch(entries, layers_of(data).thesaurus)
    return Gateways(
        addresses=EmbeddedAddresses(db, names, limit=settings.max_addresses, origin=origin),
        places=EmbeddedPlaces(db, names, limit=settings.max_places, about=data.about, origin=origin),
        layers=EmbeddedLayers(
            entries,
            search,
            LayerServices.of(settings),
            limit=settings.max_layers,
            origin=origin,
        ),
        parcels=EmbeddedParcels(db, names, tolerance_m=settings.parcel_tolerance_m, origin=origin),
        heights=EmbeddedHeights(data.heights, origin=origin),
        geothermal=EmbeddedGeothermal(data.geothermal, origin=origin),
        plans=Plans.of(EmbeddedPlanPrinter(db, origin=origin), settings),
        features=EmbeddedFeatures(
            data.features,
            entries,
            search,
            districts={row.name: row.district for row in data.municipalities},
            origin=origin,
        ),
    )
