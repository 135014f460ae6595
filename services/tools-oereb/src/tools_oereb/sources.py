"""Which cadastre answers."""

from servicekit.cache import TtlCache
from servicekit.outbound import Outbound

from tools_oereb import embedded
from tools_oereb.embedded import EmbeddedCadastre
from tools_oereb.gateways import CadastreGateway
from tools_oereb.links import ExtractLinks
from tools_oereb.live.cadastre import LiveCadastre, Origin
from tools_oereb.live.service import OerebService
from tools_oereb.settings import Settings


def outbound_of(settings: Settings) -> Outbound | None:
    """The HTTP client for the live source; None when it is not used, and nothing is ever asked."""
    return Outbound(settings, (settings.oereb_url,)) if settings.is_live else None


def cadastre(settings: Settings, outbound: Outbound | None) -> CadastreGateway:
    """The live cadastre where there is a client for it, else the embedded one. Raises `DataFileError`."""
    links = ExtractLinks(settings.oereb_url, settings.oereb_map_url)
    if outbound is None:
        entries = embedded.read(settings.oereb_parcels_file or embedded.PACKAGED)
        return EmbeddedCadastre(entries, links, tolerance_m=settings.parcel_tolerance_m)
    return LiveCadastre(
        OerebService(outbound, settings.oereb_url, settings.oereb_format),
        links,
        Origin(settings.oereb_source_name, settings.oereb_license),
        TtlCache(settings.cache_max_entries, settings.cache_ttl_s, settings.cache_stale_s),
        read_timeout_s=settings.oereb_read_timeout_s if settings.oereb_read_extract else None,
        coordinate_parameter=settings.oereb_coordinate_parameter,
    )
