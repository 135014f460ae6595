"""Reading a request body into a model."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.types import Message, Receive, Scope

from edge import errors, problems, shapes
from edge.lane import Lane
from edge.shapes import Shape

_M = TypeVar("_M", bound=BaseModel)
_T = TypeVar("_T")

_LIGHT_BYTES = 32_768
_LIGHT_VALUES = 1_000
"""Reading what is lighter takes less time than the way to a thread and back."""
_LANE = Lane("bodies", share=0.125)
"""Bodies that are not light together get an eighth of the time: in the rest everybody has their turn."""


async def read(request: Request, model: type[_M], shape: Shape) -> _M:
    """The body as `model`. Raises an `EdgeError` for another media type, broken JSON and a wrong shape, and
    `RequestValidationError` for wrong content."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise errors.UnsupportedMediaType()
    document = await _document(request)
    return await _weighed(document, lambda: parsed(document, model, shape))


async def _document(request: Request) -> bytearray:
    # `request.body()` would keep it as long as the answer takes.
    document = bytearray()
    async for piece in request.stream():
        document += piece
    return document


async def _weighed(document: bytearray, work: Callable[[], _T]) -> _T:
    if len(document) > _LIGHT_BYTES or shapes.values_in(document) > _LIGHT_VALUES:
        return await asyncio.wrap_future(_LANE.submit(work))
    return work()


def parsed(document: bytearray, model: type[_M], shape: Shape) -> _M:
    """Raises as `read` does."""
    content = shapes.parse(document, shape)
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise RequestValidationError(problems.findings_of(error), body=content) from None


async def examined(scope: Scope, receive: Receive, shape: Shape) -> Receive:
    """For an application that reads bodies itself: what it receives, once the body is seen to be harmless.

    Raises `InvalidRequest` for one that is too much. Broken JSON is left to the application, as an empty
    body: other parsers might read it.
    """
    document = await _document(Request(scope, receive))
    body: bytes | None = bytes(document)
    try:
        await _weighed(document, lambda: shapes.parse(document, shape))
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
