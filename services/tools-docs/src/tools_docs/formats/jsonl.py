"""JSON Lines: documents and proposals, one a line."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar

from contracts.base import Day
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tools_docs.corpus import DocumentFacts, Proposal, Section, SourceDocument
from tools_docs.formats.encoding import whole
from tools_docs.formats.reading import (
    MAX_HEADING_CHARS,
    Origin,
    Problem,
    Unreadable,
    day_of,
    fingerprint,
    ignored,
)

Record = SourceDocument | Proposal | Unreadable


_MAX_IGNORED = 50
"""A line with more that makes no sense is no document."""


def _day(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return day_of(value) if value.strip() else None
    except Unreadable as error:
        raise ValueError(error.detail) from None


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


class _Line(_Read):
    url: str = ""
    date: Annotated[Day | None, BeforeValidator(_day)] = None
    kind: str | None = Field(None, validation_alias=AliasChoices("type", "kind"))
    body: str | None = None


class _Passage(_Read):
    text: str
    heading: str | None = None
    page: Annotated[int, Field(ge=1)] | None = None
    anchor: str | None = None


class _Document(_Line):
    id: str = Field(min_length=1)
    name: str = Field("", validation_alias=AliasChoices("title", "name"))
    size_bytes: int | None = Field(None, validation_alias=AliasChoices("size_bytes", "sizeBytes", "size"))
    text: str = ""
    passages: tuple[_Passage, ...] = ()


class _Proposal(_Line):
    identifier: str = Field(min_length=1, validation_alias=AliasChoices("identifier", "id"))
    name: str = Field(min_length=1)
    subject: str
    document_ids: tuple[str, ...] = Field(
        (), validation_alias=AliasChoices("documents", "document_ids", "documentIds")
    )


_L = TypeVar("_L", bound=_Line)


def read_records(lines: str) -> Iterator[tuple[int, Record]]:
    """(number of the line, what it holds). A line with a `subject` is a proposal, any other a document."""
    for number, line in enumerate(lines.splitlines(), 1):
        if line.strip():
            yield number, _record(line)


def _record(line: str) -> Record:
    try:
        values = whole(json.loads(line))
        if not isinstance(values, dict):
            return Unreadable(Problem.BROKEN, "no object")
        values = {key: value for key, value in values.items() if value is not None}
        if "subject" in values:
            return _proposal(*_validated(_Proposal, values))
        return _document(*_validated(_Document, values), line)
    except json.JSONDecodeError as error:
        return Unreadable(Problem.BROKEN, error.msg)
    except RecursionError:
        return Unreadable(Problem.BROKEN, "nested too deeply")
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return Unreadable(Problem.INCOMPLETE, f"{where}: {first['msg']}")


def _validated(kind: type[_L], values: dict[str, Any]) -> tuple[_L, tuple[str, ...]]:
    """What a line says, and what of it makes no sense and may be missing. Raises `ValidationError`."""
    nonsense: list[str] = []
    while True:
        try:
            return kind.model_validate(values), tuple(nonsense)
        except ValidationError as error:
            if len(nonsense) >= _MAX_IGNORED or not (gone := _without(values, error)):
                raise
            nonsense.append(gone)


def _without(values: dict[str, Any], error: ValidationError) -> str | None:
    """Takes out the first value that is wrong; a passage without its text is taken out as a whole."""
    first = error.errors()[0]
    path = first["loc"][:-1] if first["type"] == "missing" else first["loc"]
    if not path:
        return None
    *way, key = path
    above: Any = values
    for step in way:
        above = above[step]
    return ignored(".".join(map(str, (*way, key))), above.pop(key))


def _proposal(read: _Proposal, nonsense: tuple[str, ...]) -> Proposal:
    facts = (read.identifier, read.name, read.subject, read.url, read.date, read.kind, read.body)
    return Proposal(*facts, read.document_ids, nonsense)


def _document(read: _Document, nonsense: tuple[str, ...], line: str) -> Record:
    sections = tuple(map(_section, (p for p in read.passages if p.text.strip())))
    if read.text.strip():
        sections = (Section(read.text.strip()), *sections)
    if not sections:
        return Unreadable(Problem.EMPTY, read.id)
    size = read.size_bytes if read.size_bytes is not None else sum(len(s.text.encode()) for s in sections)
    facts = DocumentFacts(read.id, read.name or read.id, read.url, size, read.date, read.kind, read.body)
    return SourceDocument(facts, sections, fingerprint(line.encode(), Origin(read.id, read.url)), nonsense)


def _section(passage: _Passage) -> Section:
    text, heading = passage.text, passage.heading
    if heading and len(heading) > MAX_HEADING_CHARS:
        text, heading = f"{heading}\n\n{text}", None
    return Section(text, heading, passage.page, passage.anchor)
