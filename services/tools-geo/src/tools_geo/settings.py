"""The settings of this service."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field
from servicekit.settings import OutboundSettings, PrintsSettings, ServiceSettings

Source = Literal["embedded", "live"]


class Settings(ServiceSettings, OutboundSettings, PrintsSettings):
    geo_source: Source = "embedded"
    """The data that ship with the service: it works offline and always answers the same."""
    addresses_source: Source | None = None
    """As GEO_SOURCE; one kind of question may have another source than the others."""
    places_source: Source | None = None
    """As GEO_SOURCE."""
    layers_source: Source | None = None
    """As GEO_SOURCE."""
    parcels_source: Source | None = None
    """As GEO_SOURCE."""
    heights_source: Source | None = None
    """As GEO_SOURCE."""
    geothermal_source: Source | None = None
    """As GEO_SOURCE."""
    plans_source: Source | None = None
    """As GEO_SOURCE."""
    features_source: Source | None = None
    """As GEO_SOURCE."""
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
    layer_attribution: str = "Kanton Solothurn"
    """What a map writes beside layers that name no owner themselves."""
    wmts_url: str = "https://geo.so.ch/api/wmts"
    """The tile service of the canton, which has the background maps."""
    legend_url: str = "https://geo.so.ch/api/v1/legend/somap"
    """The legends of the layers of the canton; empty: layers without a legend."""
    layer_metadata_url: str = "https://geo.so.ch/api/dataproduct/v1/weblayers"
    """The canton's data products (QWC, v1): extent, opacity and members of layers."""
    federal_wms_url: str = "https://wms.geo.admin.ch/"
    """The map service of swisstopo, for federal layers that the canton only lists; empty: without them."""
    federal_wmts_url: str = "https://wmts.geo.admin.ch"
    """The tile service of swisstopo, which has the national map."""
    search_url: str = "https://geo.so.ch/api/search/v2/"
    """The canton's full-text search (QWC, v2), which knows addresses, places and layers."""
    search_facet_addresses: str = "ch.so.agi.av.gebaeudeadressen.gebaeudeeingaenge"
    """Each canton names its facets itself."""
    search_facet_municipalities: str = "ch.so.agi.gemeindegrenzen"
    """Municipalities, with their BFS number."""
    search_facet_districts: str = "ch.so.agi.bezirksgrenzen"
    """Empty where there are none."""
    search_facet_field_names: str = "ch.so.agi.av.nomenklatur.flurnamen"
    """Empty where there are none."""
    data_url: str = "https://geo.so.ch/api/data/v1"
    """The canton's data service (QWC, v1), which holds the parcels with their outlines."""
    data_dataset_parcels: str = "ch.so.agi.av.grundstuecke.rechtskraeftig"
    """The dataset with nummer, egrid, grundbuch, gemeinde, art_txt and flaechenmass."""
    features_url: str = ""
    """The landing page of an OGC API Features server; empty: the data service alone is asked for features."""
    features_collections: dict[str, str] = {}
    """By the id of a layer, the collection that has another id than it."""
    features_datasets: dict[str, str] = {}
    """By the id of a layer, the dataset of DATA_URL that is asked in the place of a collection."""
    federal_url: str = "https://api3.geo.admin.ch"
    """The services of swisstopo, which know the rest of Switzerland."""
    federal_fallback: bool = True
    """Ask swisstopo where the canton knows nothing or is down; without it the canton is the world."""
    height_url: str = "https://api3.geo.admin.ch/rest/services/height"
    """The height model of swisstopo; the one of the canton has no service of its own."""
    featureinfo_url: str = "https://geo.so.ch/api/v1/featureinfo/somap"
    """What the layers of the canton have at a point (GetFeatureInfo); empty: nobody is asked."""
    geothermal_layer: str = "ch.so.afu.ewsabfrage.abfrage"
    """The layer that knows where, and how deep, one may drill."""
    geothermal_report_host: str = "dox42.so.ch"
    """Reports are linked from text of the map service: no other server is linked to."""
    landreg_print_url: str = "https://geo.so.ch/api/v1/landreg/print"
    """The canton's print service for cadastral plans."""
    landreg_print_template: str = "A4-Hoch"
    """Its sheet with a map of 196 by 244 mm."""
    cache_max_entries: Annotated[int, Field(ge=1)] = 2_000
    """For each kind of question; some kilobytes an answer."""
    cache_ttl_s: Annotated[float, Field(ge=0)] = 300.0
    """The cadastre changes daily; within one conversation the same question has one answer."""
    cache_stale_s: Annotated[float, Field(ge=0)] = 86_400.0
    """Yesterday's address beats none while its source is down; users are told."""

    def source_of(self, kind: str) -> Source:
        """The source for one kind of question, a field of `gateways.Gateways`."""
        own: Source | None = getattr(self, f"{kind}_source")
        return own or self.geo_source
