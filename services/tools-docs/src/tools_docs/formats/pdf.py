"""PDF: the text of the pages. Headers and footers that repeat are left out."""

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from tools_docs.corpus import Section, SourceDocument
from tools_docs.formats.reading import Content, Origin, Problem, Unreadable, document_of, paragraphs

MAX_PAGES = 2_000
_FEW_PAGES = 3
"""Fewer pages have nothing that could be told from the text because it repeats."""
_EDGE_LINES = 2
_DIGITS = re.compile(r"\d+")
_SENTENCE_END = re.compile(r"[.!?:»\"]$")

# It warns about every flaw that it has repaired.
logging.getLogger("pypdf").setLevel(logging.ERROR)


def read_pdf(content: bytes, origin: Origin) -> SourceDocument:
    """Raises `Unreadable`."""
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable(Problem.ENCRYPTED)
        if len(reader.pages) > MAX_PAGES:
            raise Unreadable(Problem.TOO_LARGE, str(len(reader.pages)))
        pages = [page.extract_text().split("\n") for page in reader.pages]
        title = (reader.metadata.title if reader.metadata else None) or None
    except Unreadable:
        raise
    except PyPdfError as error:
        raise Unreadable(Problem.BROKEN, str(error)[:200]) from None
    except Exception as error:
        # Damaged files lead it into all kinds of errors.
        raise Unreadable(Problem.BROKEN, f"{type(error).__name__}: {error}"[:200]) from None
    if pages and not any(line.strip() for page in pages for line in page):
        raise Unreadable(Problem.SCANNED)
    text = paragraphs(list(_joined(_without_edges(pages))))
    return document_of(Content((Section(text),), title), origin, content)


def _without_edges(pages: list[list[str]]) -> list[list[str]]:
    """The pages without the lines at their top and bottom that most of them share but for a number."""
    edges = [_edges(page) for page in pages]
    seen = Counter(key for page in edges for key in {_key(line) for _, line in page})
    repeated = {key for key, count in seen.items() if count > len(pages) / 2}
    if len(pages) < _FEW_PAGES or not repeated:
        return pages
    gone = [{n for n, line in page if _key(line) in repeated} for page in edges]
    return [
        [line for n, line in enumerate(page) if n not in left_out]
        for page, left_out in zip(pages, gone, strict=True)
    ]


def _edges(page: list[str]) -> list[tuple[int, str]]:
    filled = [(n, line) for n, line in enumerate(page) if line.strip()]
    return filled[:_EDGE_LINES] + filled[-_EDGE_LINES:]


def _key(line: str) -> str:
    return _DIGITS.sub("#", line.strip())


def _joined(pages: list[list[str]]) -> Iterator[str]:
    """All lines; a page ends a paragraph only where a sentence ends."""
    for page in pages:
        yield from page
        if page and _SENTENCE_END.search(page[-1].rstrip()):
            yield ""
