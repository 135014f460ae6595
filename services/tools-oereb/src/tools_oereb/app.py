"""Entry point: settings, wiring, run."""

from servicekit.service import Service

from tools_oereb.handlers import register
from tools_oereb.settings import Settings
from tools_oereb.sources import cadastre, example_of, outbound_of, prober_of
from tools_oereb.vocabulary import vocabulary_of


def build() -> Service:
    settings = Settings()
    service = Service("tools-oereb", settings)
    outbound = outbound_of(settings)
    example = example_of(settings)
    toolbox = register(service.bus, cadastre(settings, outbound), example)
    toolbox.knows(vocabulary_of(example))
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
