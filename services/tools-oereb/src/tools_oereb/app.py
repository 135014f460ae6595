"""Entry point: settings, wiring, run."""

from servicekit.service import Service

from tools_oereb import embedded
from tools_oereb.embedded import EmbeddedCadastre
from tools_oereb.handlers import register
from tools_oereb.links import ExtractLinks
from tools_oereb.settings import Settings


def main() -> None:
    settings = Settings()
    service = Service("tools-oereb", settings)
    cadastre = EmbeddedCadastre(
        embedded.read(settings.oereb_parcels_file or embedded.PACKAGED),
        ExtractLinks(settings.oereb_base_url, settings.oereb_map_url),
        tolerance_m=settings.parcel_tolerance_m,
    )
    toolbox = register(service.bus, cadastre)
    service.on_stop(toolbox.stop)
    service.run()


if __name__ == "__main__":
    main()
