"""Which cadastre answers."""

from servicekit.cache import TtlCache
from servicekit.outbound import Outbound
from servicekit.probes import Prober, prober

from tools_oereb import embedded
from tools_oereb.embedded import EmbeddedCadastre, Entry
from tools_oereb.gateways import CadastreGateway
from tools_oereb.links import ExtractLinks
from tools_oereb.live import probe
from tools_oereb.live.cadastre import LiveCadastre, Origin
from tools_oereb.live.service import OerebService
from tools_oereb.settings import Settings


def outbound_of(settings: Settings) -> Outbound | None:
    """The HTTP client for the live source; None when it is not used, and nothing is ever asked."""
    return Outbound(settings, (settings.oereb_url,)) if settings.is_live else None


def prober_of(settings: Settings) -> Prober | None:
    return prober(settings, outbound_of, probe.checks)


def example_of(settings: Settings) -> Entry | None:
    """A parcel to name; none of the packaged ones where the settings name the service of another canton."""
    elsewhere = settings.is_live and settings.oereb_url != Settings.model_fields["oereb_url"].default
    if elsewhere and settings.oereb_parcels_file is None:
        return None
    return next(embedded.read(settings.oereb_parcels_file or embedded.PACKAGED), None)


def cadastre(settings: Settings, outbound: Outbound | None) -> CadastreGateway:
    """The live cadastre where there is a client for it, else the embedded one. Raises `DataFileError`."""
    links = ExtractLinks(settings.oereb_url, settings.oereb_map_url)
    if outbound is None:
        file, extracts = settings.oereb_parcels_file, settings.oereb_extracts_dir
        if file is None:
            file, extracts = embedded.PACKAGED, extracts or embedded.EXTRACTS
        entries = embedded.read(file)
        return EmbeddedCadastre(
            entries,
            links,
            extracts=extracts,
            tolerance_m=settings.parcel_tolerance_m,
            source_name=settings.oereb_source_name,
        )
    return LiveCadastre(
        OerebService(outbound, settings.oereb_url, settings.oereb_format, settings.oereb_language),
        links,
        Origin(settings.oereb_source_name, settings.oereb_license),
        TtlCache(settings.cache_max_entries, settings.cache_ttl_s, settings.cache_stale_s),
        coordinate_parameter=settings.oereb_coordinate_parameter,
    )
