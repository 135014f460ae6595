"""Addresses that strangers name: which of them may be opened or loaded."""

import re
from collections.abc import Iterable
from typing import Annotated, Any
from urllib.parse import quote, urldefrag, urlsplit

from contracts.prints import is_path
from pydantic import BeforeValidator, Field

MAX_URL_CHARS = 2_000
"""Longer than what any of the services answers to."""
MAX_SYMBOL_CHARS = 8_000
"""Of a symbol of a legend, some pixels wide, that is an address by itself."""
MAX_ANCHOR_CHARS = 200
_PIXELS = re.compile(r"data:image/(?:png|jpeg|gif);base64,[A-Za-z0-9+/]+={0,2}")


def web_url(value: object) -> str | None:
    """The value if it is an absolute http or https address without credentials, else None."""
    if not isinstance(value, str) or len(value) > MAX_URL_CHARS:
        return None
    if any(c.isspace() or not c.isprintable() or c in '<>"\\' for c in value):
        return None
    try:
        parts = urlsplit(value)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        return None
    return value if is_web else None


def link(value: object) -> str | None:
    """The value if a client can open it: a web address, or the path of a print of the edge; else None."""
    return value if isinstance(value, str) and is_path(value) else web_url(value)


def place(url: str, *, page: int | None = None, anchor: str | None = None) -> str | None:
    """The address of a place in a document; None when nothing leads there.

    An anchor is more exact than a page. It stands in the place of what the address named before.
    """
    fragment = quote(anchor, safe="") if anchor else f"page={page}" if page else ""
    return web_url(f"{urldefrag(url).url}#{fragment}") if web_url(url) and fragment else None


def is_of(url: str, hosts: Iterable[str]) -> bool:
    """Whether it is an https address of one of the hosts, or of a host below one of them."""
    if web_url(url) is None or not url.lower().startswith("https://"):
        return False
    host = (urlsplit(url).hostname or "").rstrip(".")
    return any(host == each or host.endswith(f".{each}") for each in hosts)


def without_password(url: str) -> str:
    """The URL as it may be shown, also one that is none."""
    return re.sub(r"(?s)^([^:/]*://)?.*@", r"\1", url)


def names_url(key: str) -> bool:
    """Whether clients may take the value under this key for an address."""
    return key.lower().endswith(("url", "href", "uri"))


def _required(value: Any) -> Any:
    return (link(value) or "") if isinstance(value, str) else value


def _optional(value: Any) -> Any:
    return link(value) if isinstance(value, str) else value


def _anchor(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    is_name = value.isprintable() and not any(c.isspace() for c in value)
    return value if is_name and 0 < len(value) <= MAX_ANCHOR_CHARS else None


def _symbol(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return value if len(value) <= MAX_SYMBOL_CHARS and _PIXELS.fullmatch(value) else web_url(value)


WebUrl = Annotated[str, BeforeValidator(_required)]
"""An address that can be opened. Anything else becomes the empty text: one bad address spoils no answer."""
OptionalUrl = Annotated[str | None, BeforeValidator(_optional)]
"""The same where there may be none."""
OptionalSymbol = Annotated[str | None, BeforeValidator(_symbol)]
"""The address of a small picture, or its pixels as a `data:` address; a drawing could contain code."""
Anchor = Annotated[str | None, BeforeValidator(_anchor)]
"""The name of a place in a document, without blanks. One that is none, or endless, leads nowhere."""
Page = Annotated[int, Field(ge=1, le=100_000)]
"""Of a document, from 1."""
