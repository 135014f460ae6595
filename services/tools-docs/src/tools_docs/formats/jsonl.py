"""JSON Lines: documents and proposals, one a line."""

import json
from collections.abc import Iterator
from typing import Annotated

from contracts.base import Day
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tools_docs.corpus import DocumentFacts, Proposal, Section, SourceDocument
from tools_docs.formats.reading import Origin, Problem, Unreadable, fingerprint

Record = SourceDocument | Proposal | Unreadable


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


OptionalDay = Annotated[Day | None, BeforeValidator(_none_if_empty)]


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    url: str = ""
    date: OptionalDay = None
    kind: str | None = Field(None, validation_alias=AliasChoices("type", "kind"))
    body: str | None = None


class _Passage(BaseModel):
    text: str
    heading: str | None = None


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


def read_records(lines: str) -> Iterator[tuple[int, Record]]:
    """(number of the line, what it holds). A line with a `subject` is a proposal, any other a document."""
    for number, line in enumerate(lines.splitlines(), 1):
        if line.strip():
            yield number, _record(line)


def _record(line: str) -> Record:
    try:
        values = json.loads(line)
        if not isinstance(values, dict):
            return Unreadable(Problem.BROKEN, "no object")
        if "subject" in values:
            return _proposal(_Proposal.model_validate(values))
        return _document(_Document.model_validate(values), line)
    except json.JSONDecodeError as error:
        return Unreadable(Problem.BROKEN, error.msg)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return Unreadable(Problem.INCOMPLETE, f"{where}: {first['msg']}")


def _proposal(read: _Proposal) -> Proposal:
    return Proposal(
        read.identifier, read.name, read.subject, read.url, read.date, read.kind, read.body, read.document_ids
    )


def _document(read: _Document, line: str) -> Record:
    sections = tuple(Section(p.text, p.heading) for p in read.passages if p.text.strip())
    if read.text.strip():
        sections = (Section(read.text.strip()), *sections)
    if not sections:
        return Unreadable(Problem.EMPTY, read.id)
    size = read.size_bytes if read.size_bytes is not None else sum(len(s.text.encode()) for s in sections)
    facts = DocumentFacts(read.id, read.name or read.id, read.url, size, read.date, read.kind, read.body)
    return SourceDocument(facts, sections, fingerprint(line.encode(), Origin(read.id, read.url)))
