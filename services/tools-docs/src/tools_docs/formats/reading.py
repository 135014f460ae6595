"""What all formats have in common: where a document comes from, and why one cannot be read."""

import hashlib
import re
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from contracts.base import Day

from tools_docs.corpus import DocumentFacts, Section, SourceDocument
from tools_docs.preparing import VERSION

MAX_HEADING_CHARS = 200
"""What is longer is text, however it is marked."""
_MAX_IGNORED_CHARS = 120


class Problem(StrEnum):
    """Why a document is left out."""

    EMPTY = "empty"
    """No text in it."""
    SCANNED = "scanned"
    """Pages without text, which only text recognition could read."""
    ENCRYPTED = "encrypted"
    BROKEN = "broken"
    """Not what its name or type says, or damaged."""
    ENCODING = "encoding"
    """Text in no encoding that we know."""
    DATE = "date"
    """A date that is none."""
    IGNORED = "ignored"
    """A value that makes no sense: the document is there without it."""
    INCOMPLETE = "incomplete"
    """Something that has to be there is missing."""
    TOO_LARGE = "too_large"
    TOO_SLOW = "too_slow"
    DUPLICATE = "duplicate"
    """Another document of the same source has the same id."""
    UNKNOWN_TYPE = "unknown_type"
    NOT_FETCHED = "not_fetched"
    """Its server did not hand it out."""


class Unreadable(Exception):
    """A document that is reported and left out. `detail` is for the person who asks why."""

    def __init__(self, problem: Problem, detail: str = "") -> None:
        super().__init__(problem, detail)
        self.problem = problem
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known before a document is read; what it says about itself has precedence."""

    id: str
    url: str
    name: str = ""
    """What to call it when it has no title."""
    date: Day | None = None
    kind: str | None = None
    body: str | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """What a format finds in a document."""

    sections: tuple[Section, ...]
    title: str | None = None
    url: str | None = None
    date: Day | None = None


def document_of(content: Content, origin: Origin, raw: bytes) -> SourceDocument:
    """Raises `Unreadable` when there is no text."""
    sections = tuple(s for s in content.sections if s.text.strip())
    if not sections:
        raise Unreadable(Problem.EMPTY)
    facts = DocumentFacts(
        id=origin.id,
        name=_one_line(content.title or "") or origin.name or origin.id,
        url=content.url or origin.url,
        size_bytes=len(raw),
        date=content.date or origin.date,
        kind=origin.kind,
        body=origin.body,
    )
    return SourceDocument(facts, sections, fingerprint(raw, origin))


def fingerprint(raw: bytes, origin: Origin) -> str:
    """Changes with the content, with what is known besides it, and with how documents are prepared."""
    digest = hashlib.sha256(f"{VERSION}\0{origin!r}\0".encode())
    digest.update(raw)
    return digest.hexdigest()[:32]


_ITEM = re.compile(r"^(?:[-*•–·▪◦]\s|\d{1,2}[.)]\s|[a-z]\)\s|\|)")
_CUT = re.compile(r"[^\W\d_]{2}[-\u00ad\u2010]$")
_JOINING = re.compile(r"(?:und|oder|bzw|sowie|resp|et|ou|e|o)\b")
"""After a hyphen it stands for the end of a later word: Luft- und Wasserqualität."""
_MAX_CUT_CHARS = 3
_DAY = re.compile(r"^(\d{4})-(\d{1,2})-(\d{1,2})(?:$|[T ])|^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$")


def day_of(value: str) -> date:
    """`2024-03-12`, `2024-03-12T08:00:00+01:00` or `12.3.2024`. Raises `Unreadable`."""
    found = _DAY.match(value.strip())
    if not found:
        raise Unreadable(Problem.DATE, value[:40])
    year, month, day = found.group(1, 2, 3) if found[1] else found.group(6, 5, 4)
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        raise Unreadable(Problem.DATE, value[:40]) from None


def paragraphs(lines: Sequence[str]) -> str:
    """Paragraphs of lines that were broken by width: joined again, lists and tables left as they are.

    Blank lines separate paragraphs. A word cut by a hyphen at the end of a line is made whole.
    """
    found: list[str] = []
    growing = False
    for line in map(str.strip, lines):
        if not line:
            growing = False
            continue
        if not growing:
            glue = "\n\n" if found else ""
        elif _ITEM.match(line):
            glue = "\n"
        elif _CUT.search(found[-1][-_MAX_CUT_CHARS:]) and line[0].islower() and not _JOINING.match(line):
            found[-1], glue = found[-1][:-1], ""
        else:
            glue = " "
        found += (glue, line)
        growing = True
    return "".join(found)


def ignored(key: str, value: object) -> str:
    """What is said of a value that makes no sense."""
    said = value if isinstance(value, str) else reprlib.repr(value)
    return f"{key}: {said}"[:_MAX_IGNORED_CHARS]


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]
