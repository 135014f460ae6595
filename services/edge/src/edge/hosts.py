"""Under which names this server answers.

A web page can have a name of its own point here, and its scripts then talk to this server as to their own
(DNS rebinding). They cannot change the `Host` header: what asks for another name gets nothing.
"""

import logging
import re
from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from edge import errors

log = logging.getLogger("edge.http")

_HOST = re.compile(r"(?P<name>[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?")
_ORIGIN = re.compile(r"https?://(?P<host>.+)")


class Hosts:
    """The names, with any port. `*.example.ch` is every name below `example.ch`, and not that itself."""

    def __init__(self, allowed: Iterable[str]) -> None:
        names = {name.lower() for name in allowed}
        self._names = frozenset(name for name in names if not name.startswith("*."))
        self._endings = tuple(name[1:] for name in names if name.startswith("*."))

    def include(self, host: str) -> bool:
        """Whether a `Host` is one of them. Raises `HostInvalid` when it cannot be a host."""
        parts = _HOST.fullmatch(host.lower())
        if parts is None:
            raise errors.HostInvalid()
        name = parts["name"]
        return name in self._names or name.endswith(self._endings)

    def serve(self, origin: str) -> bool:
        """Whether an `Origin` is a page of this server."""
        parts = _ORIGIN.fullmatch(origin.lower())
        try:
            return parts is not None and self.include(parts["host"])
        except errors.HostInvalid:
            return False


class HostCheck:
    """Lets requests through that ask for one of our names. Raises `HostInvalid` and `MisdirectedRequest`."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            # Of two, a proxy may have looked at the other one.
            named = [value for name, value in scope["headers"] if name == b"host"]
            if len(named) != 1:
                raise errors.HostInvalid()
            host = named[0].decode("latin-1")
            if not self._hosts.include(host):
                log.warning("another name was asked for: see ALLOWED_HOSTS", extra={"host": host})
                raise errors.MisdirectedRequest()
        await self._app(scope, receive, send)
