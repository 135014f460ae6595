"""Which source answers which kind of question."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any

from contracts.vocabulary import Vocabulary
from servicekit.cache import TtlCache
from servicekit.outbound import Outbound
from servicekit.probes import Prober, prober

from tools_geo.embedded import dataset_of, embedded_gateways, layers_of
from tools_geo.embedded.datafiles import Dataset
from tools_geo.gateways import Gateways
from tools_geo.layers.services import LayerServices
from tools_geo.live import probe
from tools_geo.live.addresses import LiveAddresses
from tools_geo.live.boundaries import Boundaries, Known
from tools_geo.live.canton_search import CantonSearch
from tools_geo.live.data_service import DataService
from tools_geo.live.features import LiveFeatures, MapService, Names
from tools_geo.live.federal import Federal
from tools_geo.live.geothermal import LiveGeothermal
from tools_geo.live.heights import LiveHeights
from tools_geo.live.landreg import LandRegisterPrint
from tools_geo.live.layers import LiveLayers
from tools_geo.live.named import Facets
from tools_geo.live.ogc_features import OgcFeatures
from tools_geo.live.parcels import LiveParcels
from tools_geo.live.places import LivePlaces
from tools_geo.live.provenance import host_of
from tools_geo.live.vectors import Vectors
from tools_geo.live.weblayers import WebLayers
from tools_geo.outlines import Outlines
from tools_geo.plans import Plans
from tools_geo.settings import Settings
from tools_geo.spelling import place_key
from tools_geo.texts import text
from tools_geo.vocabulary import Samples, samples_of, vocabulary_of

_MAX_HEAVY = 8
"""Answers with many features, and outlines of municipalities, of some megabytes each: so many are kept."""


def _addresses(settings: Settings, outbound: Outbound) -> LiveAddresses:
    return LiveAddresses(
        _canton(settings, outbound, "addresses"),
        settings.search_facet_addresses,
        _federal(settings, outbound),
        limit=settings.max_addresses,
        source=partial(text, "source_canton_addresses", host=host_of(settings.search_url)),
    )


def _places(settings: Settings, outbound: Outbound) -> LivePlaces:
    facets = Facets(
        settings.search_facet_municipalities,
        settings.search_facet_districts,
        settings.search_facet_field_names,
    )
    data = dataset_of(settings)
    return LivePlaces(
        _canton(settings, outbound, "places"),
        facets,
        _federal(settings, outbound),
        limit=settings.max_places,
        canton_name=data.about.canton if data else "",
        source=partial(text, "source_canton_places", host=host_of(settings.search_url)),
    )


def _layers(settings: Settings, outbound: Outbound) -> LiveLayers:
    known = layers_of(dataset_of(settings))
    host = host_of(settings.search_url)
    name = partial(text, "service_layer_metadata", host=host_of(settings.layer_metadata_url))
    weblayers = WebLayers(outbound, settings.layer_metadata_url, cache(settings), name=name)
    return LiveLayers(
        _canton(settings, outbound, "layers"),
        weblayers if settings.layer_metadata_url else None,
        _federal(settings, outbound),
        known.entries,
        known.thesaurus,
        known.search,
        LayerServices.of(settings),
        limit=settings.max_layers,
        source=partial(text, "source_canton_layers", host=host),
    )


def _parcels(settings: Settings, outbound: Outbound) -> LiveParcels:
    host = host_of(settings.data_url)
    data = DataService(
        outbound,
        settings.data_url,
        settings.data_dataset_parcels,
        cache(settings),
        name=partial(text, "service_parcels", host=host),
    )
    return LiveParcels(
        data,
        _places(settings, outbound),
        _federal(settings, outbound),
        tolerance_m=settings.parcel_tolerance_m,
        source=partial(text, "source_canton_parcels", host=host),
    )


def _heights(settings: Settings, outbound: Outbound) -> LiveHeights:
    return LiveHeights(outbound, settings.height_url, cache(settings))


def _geothermal(settings: Settings, outbound: Outbound) -> LiveGeothermal:
    return LiveGeothermal(
        outbound,
        settings.featureinfo_url,
        settings.geothermal_layer,
        settings.geothermal_report_host,
        cache(settings),
    )


def _plans(settings: Settings, outbound: Outbound) -> Plans:
    printer = LandRegisterPrint(outbound, settings.landreg_print_url, settings.landreg_print_template)
    return Plans.of(printer, settings)


def _features(settings: Settings, outbound: Outbound) -> LiveFeatures:
    data = dataset_of(settings)
    federal = _federal(settings, outbound, _heavy_cache(settings))
    return LiveFeatures(
        MapService(outbound, settings.featureinfo_url, cache(settings)),
        _vectors(settings, outbound),
        Boundaries(federal, _known_municipalities(data) if data else {}),
        _names(data) if data else Names(),
        partial(_layers, settings, outbound),
    )


def _names(data: Dataset) -> Names:
    things = {file.layer: file.things for file in data.features if file.things}
    known = layers_of(data)
    return Names(known.entries, known.thesaurus, things)


def _vectors(settings: Settings, outbound: Outbound) -> Vectors:
    def name(host: str) -> str:
        return text("service_features", host=host)

    pages, data_url, ogc_url = _heavy_cache(settings), settings.data_url, settings.features_url
    data_name, ogc_name = partial(name, host_of(data_url)), partial(name, host_of(ogc_url))
    ogc = OgcFeatures(outbound, ogc_url, cache(settings), pages, name=ogc_name)
    return Vectors(
        ogc if ogc_url else None,
        ogc_url,
        (lambda dataset: DataService(outbound, data_url, dataset, pages, name=data_name))
        if data_url
        else None,
        data_url,
        collections=settings.features_collections,
        datasets=settings.features_datasets,
        name=name,
    )


def _known_municipalities(data: Dataset) -> Mapping[str, Known]:
    return {
        place_key(row.name): Known(
            row.bfs_number, None if row.east is None or row.north is None else (row.east, row.north)
        )
        for row in data.municipalities
    }


def _canton(settings: Settings, outbound: Outbound, kind: str) -> CantonSearch:
    name = partial(text, f"service_{kind}", host=host_of(settings.search_url))
    return CantonSearch(outbound, settings.search_url, cache(settings), name=name)


def _federal(settings: Settings, outbound: Outbound, kept: TtlCache | None = None) -> Federal | None:
    if not settings.federal_fallback:
        return None
    kept = kept or cache(settings)
    return Federal(outbound, settings.federal_url, kept, name=partial(text, "service_federal"))


def cache(settings: Settings) -> TtlCache:
    """One for each gateway, so that many addresses do not push out the parcels."""
    return TtlCache(settings.cache_max_entries, settings.cache_ttl_s, settings.cache_stale_s)


def _heavy_cache(settings: Settings) -> TtlCache:
    most = min(_MAX_HEAVY, settings.cache_max_entries)
    return TtlCache(most, settings.cache_ttl_s, settings.cache_stale_s)


def names_of(settings: Settings) -> tuple[Vocabulary, Samples]:
    """What the sources know by name. Raises `DataFileError`.

    Live sources have no list of their names: those of the canton are read from its folder too.
    """
    data = dataset_of(settings)
    if data is None:
        return Vocabulary(), Samples()
    samples = samples_of(data)
    if settings.source_of("features") == "live" and not settings.features_url:
        # Pictures alone cannot be counted: no example says that they can.
        samples = replace(samples, things="")
    return vocabulary_of(data, samples), samples


def outlines_of(settings: Settings) -> Outlines:
    """Those of the canton's municipalities, also for live sources. Raises `DataFileError`."""
    data = dataset_of(settings)
    if data is None:
        return Outlines()
    shapes = {row.bfs_number: row.geometry for row in data.outlines}
    return Outlines(shapes, data.about.sources.outlines or "")


_LIVE: Mapping[str, Callable[[Settings, Outbound], Any]] = {
    "addresses": _addresses,
    "places": _places,
    "layers": _layers,
    "parcels": _parcels,
    "heights": _heights,
    "geothermal": _geothermal,
    "plans": _plans,
    "features": _features,
}
"""A live adapter for each field of `Gateways`."""


def outbound_of(settings: Settings) -> Outbound | None:
    """The HTTP client for the live sources; None when there are none, and nothing is ever asked."""
    if not _live_kinds(settings):
        return None
    urls = (
        settings.search_url,
        settings.data_url,
        settings.features_url,
        settings.layer_metadata_url,
        settings.federal_url,
        settings.height_url,
        settings.featureinfo_url,
        settings.landreg_print_url,
    )
    return Outbound(settings, filter(None, urls))


def prober_of(settings: Settings) -> Prober | None:
    return prober(settings, outbound_of, lambda s, outbound: probe.checks(s, outbound, _live_kinds(s)))


def gateways(settings: Settings, outbound: Outbound | None) -> Gateways:
    """An adapter for each kind of question. Raises `DataFileError`."""
    embedded = embedded_gateways(settings)
    if outbound is None:
        return embedded
    return replace(embedded, **{kind: live(kind, settings, outbound) for kind in _live_kinds(settings)})


def live(kind: str, settings: Settings, outbound: Outbound) -> Any:
    """The live adapter for one kind of question, a field of `Gateways`."""
    return _LIVE[kind](settings, outbound)


def _live_kinds(settings: Settings) -> list[str]:
    return [kind.name for kind in fields(Gateways) if settings.source_of(kind.name) == "live"]
