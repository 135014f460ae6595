"""The arguments of the tools. Descriptions and examples are read by planners."""

import re
from calendar import monthrange
from datetime import date
from typing import Annotated, Any

from contracts.base import Day
from contracts.items import Passage
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

DEFAULT_LIMIT, MAX_LIMIT = 10, 20

_PART_OF_DAY = re.compile(r"^\s*(\d{4})(?:-(\d{1,2}))?\s*$")


def _first_day(value: Any) -> Any:
    """`2024` and `2024-05` begin on the first day; what is empty is not given."""
    return _whole(value, lambda year, month: date(year, month or 1, 1))


def _last_day(value: Any) -> Any:
    return _whole(value, lambda year, month: date(year, month or 12, monthrange(year, month or 12)[1]))


def _whole(value: Any, day: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    found = _PART_OF_DAY.match(value)
    if not found or not 1 <= int(found[2] or 1) <= 12:
        return value
    return day(int(found[1]), int(found[2]) if found[2] else None)


def _at_most(value: Any) -> Any:
    """Whoever asks for more gets as many as there are at most."""
    return min(value, MAX_LIMIT) if isinstance(value, int) and not isinstance(value, bool) else value


def _none_if_empty(value: Any) -> Any:
    return None if isinstance(value, str) and not value.strip() else value


Query = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4_000)]
Name = Annotated[Annotated[str, Field(max_length=200)] | None, BeforeValidator(_none_if_empty)]


class Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", validate_by_name=True, validate_by_alias=True)


class Filters(Arguments):
    since: Annotated[Day | None, BeforeValidator(_first_day)] = Field(
        None, alias="from", description="Only documents of this day or later.", examples=["2023-01-01"]
    )
    until: Annotated[Day | None, BeforeValidator(_last_day)] = Field(
        None, alias="to", description="Only documents of this day or earlier.", examples=["2024-12-31"]
    )
    kind: Name = Field(
        None, alias="type", description="Only documents of this sort, in German.", examples=["Botschaft"]
    )
    body: Name = Field(
        None, description="Only documents of this authority, in German.", examples=["Regierungsrat"]
    )


class RetrieveArgs(Arguments):
    query: Query = Field(
        description="What is asked for, as a whole question in German that is understood without the "
        "conversation before it.",
        examples=["Bis wann müssen die Grundwasserschutzzonen bereinigt sein?"],
    )
    filters: Filters | None = Field(
        None, description="Only what the user asks for in so many words.", examples=[{"from": "2023-01-01"}]
    )
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT), BeforeValidator(_at_most)] = Field(
        DEFAULT_LIMIT, description="How many documents at most.", examples=[DEFAULT_LIMIT]
    )


class CheckedDocument(Arguments):
    """Without passages those of the index are read."""

    id: Annotated[str, Field(min_length=1, max_length=500)]
    name: str = ""
    passages: tuple[Passage, ...] = ()


class CheckArgs(Arguments):
    query: Query = Field(
        description="The question that the document should help to answer.",
        examples=["Bis wann müssen die Grundwasserschutzzonen bereinigt sein?"],
    )
    document: CheckedDocument = Field(
        description="A document that documents.retrieve has returned.",
        examples=[{"id": "2019-gewaesserschutzzonen-botschaft", "name": "Botschaft zu den Schutzzonen"}],
    )
