"""Entry point: settings, wiring, run."""

from servicekit.service import Service

from actionplanner import handlers
from actionplanner.settings import Settings


def main() -> None:
    service = Service("actionplanner", Settings())
    handlers.register(service.bus)
    service.run()


if __name__ == "__main__":
    main()
