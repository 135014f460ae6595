"""pyramid_oereb on a free port of this machine, which it prints; run by a Python that has it installed.

python oereb_app.py configuration.yml
"""

import sys

from pyramid.config import Configurator
from waitress.server import create_server


def main(configuration: str) -> None:
    settings = {"pyramid_oereb.cfg.file": configuration, "pyramid_oereb.cfg.section": "pyramid_oereb"}
    config = Configurator(settings=settings)
    config.include("pyramid_oereb", route_prefix="oereb")
    server = create_server(config.make_wsgi_app(), host="127.0.0.1", port=0)
    print(server.effective_port, flush=True)  # noqa: T201
    server.run()


if __name__ == "__main__":
    main(sys.argv[1])
