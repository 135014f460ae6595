"""The files of the built client. They are few and small, so they are read once and served from memory."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

INDEX = "index.html"
CODINGS = {"br": ".br", "gzip": ".gz"}
"""By content coding, the better one first: the ending of the compressed file beside a file."""

_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".geojson": "application/geo+json",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
"""What Python knows about endings depends on its version and on the machine."""
_UNKNOWN = "application/octet-stream"
_HASHED = re.compile(r"assets/.+-[\w-]{8}\.\w+(\.map)?")
"""Names that Vite makes from the content: another content has another name."""


@dataclass(frozen=True)
class Form:
    """A file as it goes over the wire."""

    body: bytes
    etag: str


@dataclass(frozen=True)
class PageFile:
    media_type: str
    is_immutable: bool
    forms: Mapping[str, Form]
    """By content coding; the plain one is `identity`."""

    @property
    def is_page(self) -> bool:
        return self.media_type.startswith("text/html")


def read(folder: Path) -> dict[str, PageFile]:
    """All files by their path below the folder, with slashes. Raises `OSError`."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    compressed = {path.with_name(path.name + ending) for path in paths for ending in CODINGS.values()}
    return {
        path.relative_to(folder).as_posix(): file_of(folder, path) for path in paths if path not in compressed
    }


def file_of(folder: Path, path: Path) -> PageFile:
    """A file below the folder, with the compressed forms beside it. Raises `OSError`."""
    forms = {"identity": form_of(path.read_bytes())}
    for coding, ending in CODINGS.items():
        beside = path.with_name(path.name + ending)
        if beside.is_file():
            forms[coding] = form_of(beside.read_bytes())
    is_immutable = _HASHED.fullmatch(path.relative_to(folder).as_posix()) is not None
    return PageFile(_MEDIA_TYPES.get(path.suffix, _UNKNOWN), is_immutable, forms)


def form_of(body: bytes) -> Form:
    """The same content has the same tag."""
    return Form(body, f'"{hashlib.sha256(body).hexdigest()[:16]}"')
