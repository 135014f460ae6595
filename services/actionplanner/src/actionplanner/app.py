"""Entry point: settings, wiring, run."""

from servicekit.service import Service

from actionplanner import handlers
from actionplanner.settings import Settings


def build() -> Service:
    service = Service("actionplanner", Settings())
    handlers.register(service.bus)
    return service


def main() -> None:
    build().run()


if __name__ == "__main__":
    main()
