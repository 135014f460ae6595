"""Reading a request body into a contract."""

from typing import TypeVar

from contracts.base import Contract
from pydantic import ValidationError
from starlette.requests import Request

from edge import errors, problems

_C = TypeVar("_C", bound=Contract)


async def read(request: Request, model: type[_C]) -> _C:
    """The body as `model`. Raises an `EdgeError` for another media type, broken JSON and wrong content."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise errors.UnsupportedMediaType()
    document = await request.body()
    try:
        return model.from_json(document)
    except ValidationError as error:
        raise problems.invalid(error) from None
