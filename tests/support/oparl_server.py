"""A council information system that speaks OParl: answers in the form of real ones, invented content."""

import json
import re
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

from pdf_files import pdf

SCHEMA = "https://schema.oparl.org/1.1"


class OparlServer:
    """One body with two pages of papers. Every object and file has its path and can be changed."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.failing: set[str] = set()
        self.is_simple = False
        """Lists everything, whatever is asked for."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.objects: dict[str, Any] = {}
        self.files: dict[str, tuple[str, bytes]] = {}
        self._fill()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def change(self, path: str, **values: Any) -> None:
        self.objects[path].update(values, modified=datetime.now(UTC).isoformat())

    def modified(self, listed: Any) -> datetime:
        found = self.objects[listed.removeprefix(self.url)] if isinstance(listed, str) else listed
        return datetime.fromisoformat(found["modified"])

    def at(self, path: str) -> str:
        return f"{self.url}{path}"

    def _object(self, path: str, kind: str, **values: Any) -> dict[str, Any]:
        known = {"id": self.at(path), "type": f"{SCHEMA}/{kind}", "created": "2024-01-01T00:00:00+01:00"}
        self.objects[path] = known | {"modified": "2024-01-02T00:00:00+01:00", **values}
        found: dict[str, Any] = self.objects[path]
        return found

    def _list(self, path: str, data: list[Any], following: str | None = None) -> None:
        links = {"next": self.at(following)} if following else {}
        pagination = {"totalElements": 4, "elementsPerPage": 2, "currentPage": 1, "totalPages": 2}
        self.objects[path] = {"data": data, "pagination": pagination, "links": links}

    def _file(self, number: int, name: str, **values: Any) -> dict[str, Any]:
        path = f"/file/{number}"
        return self._object(path, "File", name=name, accessUrl=self.at(f"/show/{number}"), **values)

    def _fill(self) -> None:
        self._object("/system", "System", oparlVersion=f"{SCHEMA}/", body=self.at("/bodies"))
        body = self._object("/body/1", "Body", name="Gemeinde Seldingen", paper=self.at("/papers"))
        self._list("/bodies", [body])
        council = self._object("/organization/1", "Organization", name="Gemeinderat", body=body["id"])
        board = self._object("/organization/2", "Organization", name="Baukommission")
        self.files["/download/1"] = (
            "application/pdf",
            pdf(["Das Hallenbad wird saniert.", "Es kostet viel."]),
        )
        self.files["/download/2"] = (
            "text/html",
            b"<html><h1>Vorlage</h1><p>Zahlen zum Hallenbad.</p></html>",
        )
        main = self._file(1, "Vorlage", fileName="vorlage.pdf", mimeType="application/pdf", size=4711,
                          downloadUrl=self.at("/download/1"))  # fmt: skip
        annex = self._file(2, "Beilage 1", downloadUrl=self.at("/download/2"))
        whole = self._file(
            3, "Antwort", text="Der Gemeinderat prüft ein Parkleitsystem am Bahnhof.", date="2024-05-06"
        )
        gone = self._file(4, "Alt", deleted=True)
        scan = self._file(5, "Scan", downloadUrl=self.at("/download/5"))
        self.files["/download/5"] = ("image/tiff", b"II*\0")
        consultation = {
            "id": self.at("/c/1"),
            "type": f"{SCHEMA}/Consultation",
            "organization": [board["id"]],
        }
        bath = self._object(
            "/paper/1", "Paper", name="Sanierung Hallenbad", reference="2024-01", date="2024-03-04",
            paperType="Vorlage", mainFile=main, auxiliaryFile=[annex, gone],
            originatorOrganization=[council["id"]], consultation=[consultation],
        )  # fmt: skip
        motion = self._object(
            "/paper/2", "Paper", name="Motion für ein Parkleitsystem", reference="M 2/2024",
            date="2024-02-01", paperType="Motion", mainFile=whole, web="https://example.org/m2",
            relatedPaper=[bath["id"]], consultation=[consultation],
        )  # fmt: skip
        empty = self._object("/paper/3", "Paper", name="Ohne Datei", paperType="Anfrage", reference="A 3")
        scanned = self._object("/paper/4", "Paper", name="Gescannt", paperType="Bericht", mainFile=scan)
        self._list("/papers", [bath, motion["id"]], "/papers?page=2")
        self._list(
            "/papers?page=2", [empty, scanned, {**scanned, "id": self.at("/paper/5"), "deleted": True}]
        )


def _since(path: str) -> tuple[str, datetime | None]:
    """A path without the filter for what has changed, and the filter."""
    found = re.search(r"[?&]modified_since=([^&]+)", path)
    return (path.replace(found[0], ""), datetime.fromisoformat(unquote(found[1]))) if found else (path, None)


def _handler(server: OparlServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            server.asked.append(self.path)
            path, since = _since(self.path)
            if self.path in server.failing:
                self._send(404, "text/plain", b"nicht da")
            elif path in server.objects:
                found = server.objects[path]
                if since and not server.is_simple:
                    found = found | {"data": [o for o in found["data"] if server.modified(o) >= since]}
                self._send(200, "application/json", json.dumps(found).encode())
            elif self.path in server.files:
                self._send(200, *server.files[self.path])
            else:
                self._send(404, "text/plain", b"nicht da")

        def _send(self, status: int, media_type: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", media_type)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            return

    return Handler
