"""Entry point: settings, wiring, run."""

from servicekit.service import Service

from tools_geo.embedded import embedded_gateways
from tools_geo.handlers import register
from tools_geo.settings import Settings


def main() -> None:
    settings = Settings()
    service = Service("tools-geo", settings)
    toolbox = register(service.bus, embedded_gateways(settings))
    service.on_stop(toolbox.stop)
    service.run()


if __name__ == "__main__":
    main()
