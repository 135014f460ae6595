"""Reading a request body into a model."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.types import Message, Receive, Scope

from edge import errors, problems, shapes
from edge.shapes import Shape

_M = TypeVar("_M", bound=BaseModel)

_LARGE_BYTES = 32_768
"""Below it parsing takes less time than the way to a thread and back."""
_PARSER = ThreadPoolExecutor(1, "bodies")
"""One large body after the other: between two of them everybody else has their turn."""


async def read(request: Request, model: type[_M], shape: Shape = shapes.CHAT) -> _M:
    """The body as `model`. Raises an `EdgeError` for another media type, broken JSON and wrong content."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise errors.UnsupportedMediaType()
    # `request.body()` would keep it as long as the answer takes.
    document = bytearray()
    async for piece in request.stream():
        document += piece
    if len(document) > _LARGE_BYTES:
        return await asyncio.get_running_loop().run_in_executor(_PARSER, _parsed, document, model, shape)
    return _parsed(document, model, shape)


def _parsed(document: bytearray, model: type[_M], shape: Shape) -> _M:
    parsed = shapes.parse(document, shape)
    try:
        return model.model_validate(parsed)
    except ValidationError as error:
        raise problems.invalid(error, parsed) from None


async def examined(scope: Scope, receive: Receive, shape: Shape) -> Receive:
    """For an application that reads bodies itself: what it receives, once the body is seen to be harmless.

    Raises `InvalidRequest` for one that is too much. Broken JSON is left to the application, as an empty
    body: other parsers might read it.
    """
    request = Request(scope, receive)
    document = bytearray()
    async for piece in request.stream():
        document += piece
    body: bytes | None = bytes(document)
    try:
        if len(document) > _LARGE_BYTES:
            await asyncio.get_running_loop().run_in_executor(_PARSER, shapes.parse, document, shape)
        else:
            shapes.parse(document, shape)
    except errors.MalformedJson:
        body = b""

    async def again() -> Message:
        nonlocal body
        if body is None:
            return await receive()
        message: Message = {"type": "http.request", "body": body, "more_body": False}
        body = None
        return message

    return again
