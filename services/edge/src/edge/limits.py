"""How large a request body may be."""

from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge import errors


class BodyLimit:
    """Refuses a body that is announced as too large, and stops reading one that turns out to be.

    Raises `errors.BodyTooLarge` out of the application, before or while it reads.
    """

    def __init__(self, app: ASGIApp, max_body_bytes: int, elsewhere: Mapping[str, int] | None = None) -> None:
        """`elsewhere`: what else is allowed, by the beginning of the path."""
        self._app = app
        self._max_body_bytes = max_body_bytes
        self._elsewhere = elsewhere or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        paths = (each for each in self._elsewhere if scope["path"].startswith(each))
        max_body_bytes = self._elsewhere.get(next(paths, ""), self._max_body_bytes)
        announced = next((value for name, value in scope["headers"] if name == b"content-length"), None)
        if announced is not None:
            # The server has checked that it is a number.
            if int(announced) > max_body_bytes:
                raise _too_large(max_body_bytes)
            await self._app(scope, receive, send)
            return
        read_bytes = 0

        async def counted() -> Message:
            nonlocal read_bytes
            message = await receive()
            if message["type"] == "http.request":
                read_bytes += len(message.get("body", b""))
                if read_bytes > max_body_bytes:
                    raise _too_large(max_body_bytes)
            return message

        await self._app(scope, counted, send)


def _too_large(max_body_bytes: int) -> errors.BodyTooLarge:
    # What is left of the body would be taken for the next request.
    return errors.BodyTooLarge(max_body_bytes=max_body_bytes, headers={"Connection": "close"})
