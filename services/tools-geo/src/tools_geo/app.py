"""Entry point: settings, wiring, run."""

from servicekit.service import Service

from tools_geo.embedded import dataset_of
from tools_geo.handlers import register, suggest
from tools_geo.settings import Settings
from tools_geo.sources import gateways, names_of, outbound_of, outlines_of, prober_of
from tools_geo.suggesting import Suggesting


def build() -> Service:
    settings = Settings()
    service = Service("tools-geo", settings)
    outbound = outbound_of(settings)
    vocabulary, samples = names_of(settings)
    toolbox = register(service.bus, gateways(settings, outbound), samples, outlines_of(settings))
    toolbox.knows(vocabulary)
    suggest(service.bus, Suggesting(dataset_of(settings)))
    if outbound is not None:
        service.on_stop(outbound.close)
    if prober := prober_of(settings):
        service.watch(prober)
    service.on_stop(toolbox.stop)
    return service


def main() -> None:
    build().run()


if __name__ == "__main__":
    main()
