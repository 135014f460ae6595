"""Council information systems that speak OParl (1.0 or 1.1): papers, their files, and who they belong to.

Facts from the specification: an object has a `type` (a URL that ends in its name) and an `id` (its URL).
Lists come in pages with `data` and `links.next`. A System lists bodies, a Body lists papers, a Paper has a
`mainFile` and `auxiliaryFile`s; a File may carry its plain `text`, else it is downloaded. What is gone has
`deleted: true`.
"""

import json
import logging
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlencode

from servicekit.errors import SourceError
from servicekit.outbound import Outbound

from tools_docs.corpus import Proposal, Section, SourceDocument
from tools_docs.formats.encoding import whole
from tools_docs.formats.kinds import format_of_suffix, format_of_type
from tools_docs.formats.reading import (
    Content,
    Origin,
    Problem,
    Unreadable,
    day_of,
    document_of,
    fingerprint,
    paragraphs,
)
from tools_docs.ingest.memory import Memory, recalled, renewed, time_of
from tools_docs.ingest.reader import Readers
from tools_docs.ingest.sources import Bad, Entry, Item

log = logging.getLogger("ask.documents.oparl")

_Object = Mapping[str, Any]

_PROPOSAL = re.compile(
    r"antrag|anträge|motion|postulat|interpellation|anfrage|auftrag|initiative|vorstoss|petition|anregung",
    re.I,
)
"""Sorts of papers with which somebody asks a council for something."""
_FILES = ("mainFile", "auxiliaryFile")
_TEMPORARY = (Problem.NOT_FETCHED, Problem.TOO_SLOW)
_RELATED = ("relatedPaper", "superordinatedPaper", "subordinatedPaper")
_MAX_PAGES = 100_000
"""More than any council has; a list that links back to itself ends by the pages that were seen anyway."""
_JSON = ("application/json",)


class OparlSource:
    """Everything below a URL: a System, a Body, a list of papers, or one Paper.

    Only the server of the URL is asked, and those that `outbound` allows besides.
    """

    def __init__(self, url: str, outbound: Outbound, readers: Readers) -> None:
        self.is_complete = True
        self._url = url
        self._outbound = outbound
        self._readers = readers
        self._names: dict[str, str | None] = {}
        self._files_of: dict[str, list[str]] = {}
        self._related: dict[str, list[str]] = {}
        """As `_files_of`, of papers that were only looked up."""
        self._begun_at = datetime.now(UTC)
        self._memory: Memory | None = None
        self._expected = 0
        self._seen = 0
        """Papers."""
        self._entries = 0

    @property
    def name(self) -> str:
        return self._url

    @property
    def total(self) -> int | None:
        """As many entries a paper as so far; the list of a body says how many papers there are."""
        if not self._expected or not self._seen:
            return None
        return max(self._entries, round(self._entries / self._seen * self._expected))

    def resume(self, remembered: str | None) -> None:
        self._memory = recalled(remembered, self._begun_at)

    def memory(self, problems: Sequence[Bad]) -> str | None:
        if not self.is_complete:
            return None
        missing = {bad.id for bad in problems if bad.reason.problem in _TEMPORARY}
        again = tuple(paper for paper, files in self._files_of.items() if missing.intersection(files))
        kept = renewed(self._memory, self._begun_at, again)
        return kept.model_dump_json() if kept else None

    async def entries(self) -> AsyncIterator[Entry]:
        async for entry in self._all():
            self._entries += 1
            yield entry

    async def _all(self) -> AsyncIterator[Entry]:
        for url in self._memory.again if self._memory else ():
            async for entry in self._again(url):
                yield entry
        try:
            async for entry in self._of(await self._get(self._url), None):
                yield entry
        except (SourceError, Unreadable) as error:
            yield self._incomplete(self._url, error)

    async def _again(self, url: str) -> AsyncIterator[Entry]:
        """A paper that was there last time, with a file that was not."""
        try:
            paper = await self._get(url)
            if not paper.get("deleted"):
                above = _text(paper, "body")
                async for entry in self._paper(paper, await self._name(above) if above else None):
                    yield entry
        except (SourceError, Unreadable) as error:
            yield self._incomplete(url, error)

    async def _of(self, found: _Object, body: str | None) -> AsyncIterator[Entry]:
        kind = str(found.get("type", "")).rpartition("/")[2]
        if "data" in found and not kind:
            listed = self._listed(found)
        elif kind == "System":
            listed = self._list(found.get("body"))
        elif kind == "Body":
            body = _text(found, "name") or body
            listed = self._papers(found.get("paper"))
        elif kind == "Paper":
            self._seen += 1
            if self._is_unchanged(found):
                return
            async for entry in self._paper(found, body):
                yield entry
            return
        else:
            raise Unreadable(Problem.UNKNOWN_TYPE, kind or "no OParl")
        async for each in listed:
            async for entry in self._of(each, body):
                yield entry

    # -- lists -------------------------------------------------------------------------------------

    async def _list(self, where: Any) -> AsyncIterator[_Object]:
        """The objects of a list, which is a URL, or URLs and objects themselves."""
        if isinstance(where, str):
            async for each in self._listed(await self._get(where)):
                yield each
            return
        for each in where if isinstance(where, list) else []:
            if isinstance(each, str):
                yield await self._get(each)
            elif isinstance(each, dict):
                yield each

    async def _papers(self, where: Any) -> AsyncIterator[_Object]:
        """Those of a body; only what has changed, where the server can tell."""
        if isinstance(where, str):
            if self._memory:
                since = urlencode({"modified_since": self._memory.since.isoformat(timespec="seconds")})
                where = f"{where}{'&' if '?' in where else '?'}{since}"
            where = await self._get(where)
            said = _part(where, "pagination").get("totalElements")
            self._expected += said if isinstance(said, int) and said > 0 else 0
            listed = self._listed(where)
        else:
            listed = self._list(where)
        async for paper in listed:
            yield paper

    def _is_unchanged(self, paper: _Object) -> bool:
        """Whether it and its files say that they are as they were last time."""
        if self._memory is None:
            return False
        times = [time_of(each.get("modified")) for each in (paper, *_files(paper)) if isinstance(each, dict)]
        return all(time is not None and time < self._memory.since for time in times)

    async def _listed(self, page: _Object) -> AsyncIterator[_Object]:
        seen: set[str] = set()
        for _ in range(_MAX_PAGES):
            async for each in self._list(page.get("data")):
                if not each.get("deleted"):
                    yield each
            following = _part(page, "links").get("next")
            if not isinstance(following, str) or following in seen:
                return
            seen.add(following)
            page = await self._get(following)

    async def _get(self, url: str) -> _Object:
        """Raises `SourceError`, `Unreadable`."""
        answer = await self._outbound.get(url, source=self._url, accept=_JSON)
        found = whole(answer.json())
        if isinstance(found, list):
            return {"data": found}
        if not isinstance(found, dict):
            raise Unreadable(Problem.BROKEN, url)
        return found

    def _incomplete(self, where: str, error: SourceError | Unreadable) -> Bad:
        self.is_complete = False
        reason = error if isinstance(error, Unreadable) else Unreadable(Problem.NOT_FETCHED, str(error))
        return Bad(where, reason)

    # -- papers and files --------------------------------------------------------------------------

    async def _paper(self, paper: _Object, body: str | None) -> AsyncIterator[Entry]:
        identifier = str(paper.get("id"))
        if identifier in self._files_of:
            # A list may lead back to itself, and a paper be in several.
            return
        try:
            originator = await self._originator(paper) or body
            files = [each async for each in self._list(_files(paper))]
        except (SourceError, Unreadable) as error:
            yield self._incomplete(_label(paper), error)
            return
        present = [file for file in files if file.get("id") and not file.get("deleted")]
        self._files_of[identifier] = [str(file["id"]) for file in present]
        for number, file in enumerate(present):
            yield self._file(paper, file, originator, is_main=number == 0)
        if _PROPOSAL.search(_text(paper, "paperType") or ""):
            yield await self._proposal(paper, originator)

    async def _originator(self, paper: _Object) -> str | None:
        """Who has made a paper, else who deals with it."""
        organisations = [*_list_of(paper.get("originatorOrganization"))]
        for consultation in _list_of(paper.get("consultation")):
            if isinstance(consultation, dict):
                organisations += _list_of(consultation.get("organization"))
        for each in organisations:
            if isinstance(each, dict):
                return _text(each, "name")
            if isinstance(each, str) and (name := await self._name(each)):
                return name
        return None

    async def _name(self, url: str) -> str | None:
        if url not in self._names:
            try:
                self._names[url] = _text(await self._get(url), "name")
            except (SourceError, Unreadable) as error:
                log.warning("organisation not found", extra={"url": url, "reason": str(error)})
                self._names[url] = None
        return self._names[url]

    def _file(self, paper: _Object, file: _Object, body: str | None, *, is_main: bool) -> Entry:
        label = f"{_label(paper)} / {_text(file, 'name') or _text(file, 'fileName') or file['id']}"
        origin = Origin(
            id=str(file["id"]),
            url=_text(file, "accessUrl") or _text(file, "downloadUrl") or str(file["id"]),
            name=_name_of(paper, file, is_main=is_main),
            date=_day(file) or _day(paper),
            kind=_text(paper, "paperType"),
            body=body,
        )
        said = json.dumps({k: file.get(k) for k in _CHANGING}, sort_keys=True).encode()

        async def load() -> SourceDocument:
            return await self._load(file, origin)

        return Item(label, fingerprint(said, origin), load, origin.id)

    async def _load(self, file: _Object, origin: Origin) -> SourceDocument:
        if text := _text(file, "text"):
            sections: tuple[Section, ...] = (Section(paragraphs(text.splitlines())),)
            raw = text.encode()
        else:
            content, media_type = await self._download(file)
            suffix = (_text(file, "fileName") or "").rpartition(".")[2]
            kind = format_of_type(media_type, content) or format_of_suffix(f".{suffix}")
            if kind is None:
                raise Unreadable(Problem.UNKNOWN_TYPE, media_type)
            read = await self._readers.read(kind, content, origin)
            sections, raw = read.sections, content
        size = file.get("size")
        # Titles inside of files are those of templates; the register knows better.
        document = document_of(Content(sections), origin, raw)
        if not isinstance(size, int) or isinstance(size, bool):
            return document
        return _with_size(document, size)

    async def _download(self, file: _Object) -> tuple[bytes, str]:
        url = _text(file, "downloadUrl") or _text(file, "accessUrl")
        if url is None:
            raise Unreadable(Problem.INCOMPLETE, "downloadUrl")
        try:
            answer = await self._outbound.get(url, source=self._url)
        except SourceError as error:
            raise Unreadable(Problem.NOT_FETCHED, str(error)) from None
        return answer.body, answer.content_type or _text(file, "mimeType") or ""

    async def _linked(self, paper: Any) -> Sequence[str]:
        """The ids of the files of a paper, which was read before, comes later, or has not changed."""
        identifier = paper if isinstance(paper, str) else str(paper.get("id"))
        known = self._files_of.get(identifier) or self._related.get(identifier)
        if known is None:
            try:
                if isinstance(paper, str) or not any(name in paper for name in _FILES):
                    paper = await self._get(identifier)
                files = [file if isinstance(file, dict) else {"id": file} for file in _files(paper)]
                known = [str(file["id"]) for file in files if file.get("id") and not file.get("deleted")]
            except (SourceError, Unreadable) as error:
                log.warning("related paper not found", extra={"url": identifier, "reason": str(error)})
                known = []
            self._related[identifier] = known
        return known

    async def _proposal(self, paper: _Object, body: str | None) -> Proposal:
        identifier = str(paper.get("id"))
        documents = list(self._files_of[identifier])
        for each in (each for name in _RELATED for each in _list_of(paper.get(name))):
            if isinstance(each, str | dict):
                documents += await self._linked(each)
        name = _text(paper, "name") or _text(paper, "reference") or identifier
        return Proposal(
            identifier=_text(paper, "reference") or identifier,
            name=name,
            subject=_text(paper, "subject") or name,
            url=_text(paper, "web") or identifier,
            date=_day(paper),
            kind=_text(paper, "paperType"),
            body=body,
            document_ids=tuple(dict.fromkeys(documents)),
        )


_CHANGING = (
    "id",
    "name",
    "fileName",
    "modified",
    "date",
    "size",
    "text",
    "downloadUrl",
    "sha512Checksum",
    "sha1Checksum",
)
"""What tells that a file is another one than last time, without fetching it."""


def _files(paper: _Object) -> list[Any]:
    return [file for name in _FILES for file in _list_of(paper.get(name))]


def _list_of(value: Any) -> Iterable[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _part(found: _Object, name: str) -> _Object:
    value = found.get(name)
    return value if isinstance(value, dict) else {}


def _text(found: _Object, name: str) -> str | None:
    value = found.get(name)
    return value.strip() or None if isinstance(value, str) else None


def _day(found: _Object) -> date | None:
    try:
        return day_of(_text(found, "date") or "")
    except Unreadable:
        return None


def _label(paper: _Object) -> str:
    return _text(paper, "reference") or _text(paper, "name") or str(paper.get("id"))


def _name_of(paper: _Object, file: _Object, *, is_main: bool) -> str:
    """Files are often called `Vorlage` or `Anlage 1`: without their paper that says nothing."""
    of_paper, own = _text(paper, "name"), _text(file, "name") or _text(file, "fileName")
    if of_paper is None or own is None:
        return of_paper or own or ""
    return of_paper if is_main or own in of_paper else f"{of_paper}: {own}"


def _with_size(document: SourceDocument, size: int) -> SourceDocument:
    return replace(document, facts=replace(document.facts, size_bytes=size))
