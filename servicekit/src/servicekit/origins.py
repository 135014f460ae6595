"""Which servers may be called: the origins (scheme, host, port) of configured URLs, and no others."""

from collections.abc import Iterable
from urllib.parse import urljoin

import httpx2

_PORTS = {"http": 80, "https": 443}


class NotAllowed(Exception):
    """The URL leads somewhere else, or nowhere."""


def origin_of(url: httpx2.URL) -> str:
    """E.g. `https://geo.so.ch` or `http://127.0.0.1:8081`; the scheme's own port is left out.

    Raises `NotAllowed` for what is no http or https URL with a host.
    """
    port = url.port or _PORTS.get(url.scheme, 0)
    if url.scheme not in _PORTS or not url.host or port > 65_535:
        raise NotAllowed
    host = f"[{url.host}]" if ":" in url.host else url.host
    return f"{url.scheme}://{host}" + ("" if port == _PORTS[url.scheme] else f":{port}")


def _folder(url: httpx2.URL) -> str:
    return url.path.rstrip("/") + "/"


class Origins:
    """The allow-list. Raises `ValueError` at once for a base URL that is none; empty ones are left out."""

    def __init__(self, base_urls: Iterable[str]) -> None:
        self._known: dict[str, set[str]] = {}
        """Origin -> paths of its services, each with a slash at its end."""
        for base_url in filter(None, base_urls):
            try:
                url = httpx2.URL(base_url)
                self._known.setdefault(origin_of(url), {"/"}).add(_folder(url))
            except (NotAllowed, httpx2.InvalidURL):
                raise ValueError(f"no base URL: {base_url!r}") from None

    def service_of(self, url: httpx2.URL) -> str:
        """Which of the base URLs a known URL belongs to; the origin if to none.

        One server often has several services, which are not down together.
        """
        origin, path = origin_of(url), _folder(url)
        return origin + max((known for known in self._known[origin] if path.startswith(known)), key=len)

    def check(self, url: str | httpx2.URL) -> httpx2.URL:
        """The parsed URL, if it may be called. Raises `NotAllowed`."""
        try:
            parsed = httpx2.URL(url)
        except httpx2.InvalidURL:
            raise NotAllowed from None
        if origin_of(parsed) not in self._known:
            raise NotAllowed
        return parsed

    def redirected(self, url: httpx2.URL, location: str) -> httpx2.URL:
        """Where a redirect leads, if one may go there; never from https to http. Raises `NotAllowed`."""
        try:
            target = self.check(urljoin(str(url), location.strip()))
        except ValueError:
            raise NotAllowed from None
        if url.scheme == "https" and target.scheme != "https":
            raise NotAllowed
        return target
