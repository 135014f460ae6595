"""How large a request body may be, and how much of all bodies is in work at once."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from servicekit.connections import network_of
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge import errors

_SMALL_BYTES = 16_384
"""Of a body that is never refused for want of room: a message fits. The number of connections bounds them."""
_SHARE = 4
"""One address gets this part of the room."""

_MAX_DIGITS = 19


@dataclass(slots=True)
class Room:
    """For the bodies in work: what their requests hold until they are answered grows with them."""

    size_bytes: int
    _taken: int = 0
    _by_address: Counter[str] = field(default_factory=Counter)

    def take(self, address: str, wanted: int) -> None:
        """Raises `errors.NoRoom`."""
        if (
            self._taken + wanted > self.size_bytes
            or (self._by_address[address] + wanted) * _SHARE > self.size_bytes
        ):
            raise errors.NoRoom(headers={"Connection": "close"})
        self._taken += wanted
        self._by_address[address] += wanted

    def give_back(self, address: str, taken: int) -> None:
        self._taken -= taken
        self._by_address[address] -= taken
        if not self._by_address[address]:
            del self._by_address[address]


def address_of(scope: Scope) -> str:
    """Where a request comes from, as far as the connection tells."""
    return network_of(scope["client"][0]) if scope.get("client") else ""


def announced_bytes(scope: Scope) -> int | None:
    """The size of the body, if it is told before."""
    told = next((value for name, value in scope["headers"] if name == b"content-length"), None)
    if told is None:
        return None
    # The server has checked that it is a number; Python reads none with thousands of digits.
    return int(told.lstrip(b"0")[:_MAX_DIGITS] or b"0")


class BodyLimit:
    """Refuses a body that is announced as too large, and stops reading one that turns out to be.

    Raises `errors.BodyTooLarge` and `errors.NoRoom` out of the application, before or while it reads.
    """

    def __init__(
        self,
        app: ASGIApp,
        max_body_bytes: int,
        room: Room,
        elsewhere: Mapping[str, int] | None = None,
        address: Callable[[Scope], str] = address_of,
    ) -> None:
        """`elsewhere`: what else is allowed, by the beginning of the path. `address`: whose room it takes."""
        self._app = app
        self._max_body_bytes = max_body_bytes
        self._room = room
        self._elsewhere = elsewhere or {}
        self._address = address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        paths = (each for each in self._elsewhere if scope["path"].startswith(each))
        max_body_bytes = self._elsewhere.get(next(paths, ""), self._max_body_bytes)
        if (announced_bytes(scope) or 0) > max_body_bytes:
            raise _too_large(max_body_bytes)
        address = ""
        read_bytes = held_bytes = 0

        async def counted() -> Message:
            nonlocal address, read_bytes, held_bytes
            message = await receive()
            if message["type"] == "http.request":
                read_bytes += len(message.get("body", b""))
                if read_bytes > max_body_bytes:
                    raise _too_large(max_body_bytes)
                more_bytes = max(0, read_bytes - _SMALL_BYTES) - held_bytes
                if more_bytes:
                    # What has come, not what is announced: who sends slowly must not keep others out.
                    address = address or self._address(scope)
                    self._room.take(address, more_bytes)
                    held_bytes += more_bytes
            return message

        try:
            await self._app(scope, counted, send)
        finally:
            if held_bytes:
                self._room.give_back(address, held_bytes)


def _too_large(max_body_bytes: int) -> errors.BodyTooLarge:
    # What is left of the body would be taken for the next request.
    return errors.BodyTooLarge(max_body_bytes=max_body_bytes, headers={"Connection": "close"})
