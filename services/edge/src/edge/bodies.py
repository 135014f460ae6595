"""Reading a request body into a model."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from edge import errors, problems

_M = TypeVar("_M", bound=BaseModel)


async def read(request: Request, model: type[_M]) -> _M:
    """The body as `model`. Raises an `EdgeError` for another media type, broken JSON and wrong content."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise errors.UnsupportedMediaType()
    document = await request.body()
    try:
        return model.model_validate_json(document)
    except ValidationError as error:
        raise problems.invalid(error, document) from None
