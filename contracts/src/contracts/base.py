"""The base of every contract."""

from datetime import date
from typing import Self

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

Day = date
"""A calendar day, for fields that are called `date` themselves."""


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
        return self.model_dump_json(exclude_none=True).encode()

    @classmethod
    def from_json(cls, document: bytes | str) -> Self:
        """Read a document. Raises `pydantic.ValidationError`."""
        return cls.model_validate_json(document)
