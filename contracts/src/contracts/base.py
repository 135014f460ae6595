"""The base of every contract."""

from datetime import date
from functools import cached_property
from operator import not_
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_core import from_json, to_jsonable_python

Day = date
"""A calendar day, for fields that are called `date` themselves."""

Arguments = Annotated[dict[str, Any], AfterValidator(to_jsonable_python)]
"""Of a call: whoever gives them, they are as they would be read from JSON."""

UNLESS_EMPTY = Field(exclude_if=not_)
"""For fields of what only this system reads: left out where there is nothing."""


class Contract(BaseModel):
    """A frozen value with camelCase JSON.

    Unknown keys are ignored, so that an old reader understands a newer writer.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        frozen=True,
        extra="ignore",
    )

    def to_json(self) -> bytes:
        """The JSON document as UTF-8; absent optional values are left out."""
        return self.__pydantic_serializer__.to_json(self, exclude_none=True)

    def as_json(self) -> dict[str, Any]:
        """The same document, read: what becomes part of other JSON."""
        document: dict[str, Any] = from_json(self.to_json())
        return document

    @classmethod
    def from_json(cls, document: bytes | str) -> Self:
        """Read a document. Raises `pydantic.ValidationError`."""
        return cls.model_validate_json(document)


class WrittenOnce(Contract):
    """A value that goes to several places: its JSON document is made once."""

    @cached_property
    def document(self) -> bytes:
        return super().to_json()

    def to_json(self) -> bytes:
        return self.document

    def __copy__(self) -> Self:
        copied = super().__copy__()
        copied.__dict__.pop("document", None)
        return copied


def spliced(document: bytes, **members: bytes) -> bytes:
    """A JSON object that is not empty, with further members, which are JSON already."""
    added = (b',"%b":%b' % (name.encode(), value) for name, value in members.items())
    return document[:-1] + b"".join(added) + b"}"
