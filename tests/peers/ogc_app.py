"""pygeoapi on a free port of this machine, which it prints; run by a Python that has it installed.

python ogc_app.py configuration.yml
"""

import json
import os
import socket
import sys
from pathlib import Path

import yaml
from waitress.server import create_server


def main(configuration: str) -> None:
    """The port must be known before: pygeoapi has it in its links."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    settings = yaml.safe_load(Path(configuration).read_text())
    settings["server"] |= {"url": f"http://127.0.0.1:{port}", "bind": {"host": "127.0.0.1", "port": port}}
    Path(configuration).write_text(yaml.safe_dump(settings))
    description = Path(configuration).with_suffix(".openapi.json")
    # What it could do is of no interest here; it takes a while to write that down.
    description.write_text(json.dumps({"openapi": "3.0.2", "info": {}, "paths": {}}))
    os.environ |= {"PYGEOAPI_CONFIG": configuration, "PYGEOAPI_OPENAPI": str(description)}
    from pygeoapi.flask_app import APP

    server = create_server(APP, sockets=[listening])
    print(port, flush=True)  # noqa: T201
    server.run()


if __name__ == "__main__":
    main(sys.argv[1])
