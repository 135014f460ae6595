"""A MapServer on a free port of this machine, with the maps of this folder."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

MISSING = "MapServer is not installed: apt-get install mapserver-bin"

_MAPS = Path(__file__).with_name("maps")
_TIMEOUT_S = 20


@contextmanager
def map_server() -> Iterator[str]:
    """The URL of its WMS. Raises `FileNotFoundError` with what has to be installed."""
    program = shutil.which("mapserv")
    if program is None:
        raise FileNotFoundError(MISSING)
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(program)) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/wms"
        finally:
            server.shutdown()
            thread.join(_TIMEOUT_S)


def _handler(program: str) -> type[BaseHTTPRequestHandler]:
    class Cgi(BaseHTTPRequestHandler):
        """Only as much of CGI as MapServer needs."""

        def do_GET(self) -> None:
            answered = subprocess.run(
                [program],
                env={
                    "REQUEST_METHOD": "GET",
                    "QUERY_STRING": urlsplit(self.path).query,
                    "MAPSERVER_CONFIG_FILE": str(_MAPS / "mapserver.conf"),
                    "MS_MAPFILE": str(_MAPS / "zones.map"),
                },
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=True,
                timeout=_TIMEOUT_S,
            )
            head, _, body = answered.stdout.partition(b"\r\n\r\n")
            self.send_response(200)
            for line in head.decode().splitlines():
                name, _, value = line.partition(": ")
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    return Cgi
