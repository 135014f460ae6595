"""PDF: the text of the pages with their headings. Headers and footers that repeat are left out."""

import ctypes
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from tools_docs.corpus import Section, SourceDocument
from tools_docs.formats.encoding import cleaned
from tools_docs.formats.reading import (
    MAX_HEADING_CHARS,
    Content,
    Origin,
    Problem,
    Unreadable,
    document_of,
    paragraphs,
)

MAX_PAGES = 2_000
_FEW_PAGES = 3
"""Fewer pages have nothing that could be told from the text because it repeats."""
_EDGE_LINES = 2
_DIGITS = re.compile(r"\d+")
_SENTENCE_END = re.compile(r"(?<!\d)[.!?:»\"]$")
"""After a number a full stop may be that of a date, and the sentence goes on."""
_NO_HEADING_END = re.compile(r"[.,;:!?]$|[^\W\d_]-$")
_NUMBERED = re.compile(
    r"(?:§++\s*+\d++|Art(?:\.|ikel)\s*+\d++|\d{1,2}(?:\.\d{1,2}){1,4}\.?\s)[\W_]*+[^\W\d_]"
)
_LEADERS = re.compile(r"(?:\.\s?){4}")
"""Between a heading and its page in a table of contents."""
_BOLD = re.compile(r"bold|black|heavy|fett|\bhv\b", re.IGNORECASE)
_FORCED_BOLD = 1 << 18
_LARGER = 1.12
"""So much larger than the text are headings."""
_WIDER = 1.35
"""So much wider than between lines is the space between paragraphs."""
_MAX_HEADING_LINES = 4
_MAX_HEADING_SHARE = 0.3
"""With more headings among its lines a document is a table or a form, and size means something else."""
_FILE_NAME = re.compile(
    r"^microsoft \w++ - |\.(?:docx?|pdf|xlsx?|pptx?|indd|qxp|odt|rtf|tex|dvi|html?|cdr|ai|dwg)$"
    r"|^(?:[^\W\d_]|[.-])*+[_\d][\w.-]*+$"
    r"|^(?:untitled|unbenannt|sans titre|senza titolo|do[ck]ument|pr[äé]sentation|powerpoint.*+)[ -]?\d*$",
    re.IGNORECASE,
)
"""What programs write there, and what says nothing."""
_HYPHENS = frozenset("\x02\ufffe")
"""How PDFium marks a word that goes on in the next line."""
_FONT_NAME_BYTES = 128


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    size: float = 0.0
    """Height of its letters in points, above and below included."""
    bold: bool = False
    top: float = 0.0


def read_pdf(content: bytes, origin: Origin) -> SourceDocument:
    """Raises `Unreadable`."""
    try:
        with pdfium.PdfDocument(content) as file:
            if len(file) > MAX_PAGES:
                raise Unreadable(Problem.TOO_LARGE, str(len(file)))
            title = " ".join(cleaned(file.get_metadata_value("Title")).split())
            pages = [_lines(file, number) for number in range(len(file))]
    except pdfium.PdfiumError as error:
        is_locked = error.err_code == raw.FPDF_ERR_PASSWORD
        raise Unreadable(Problem.ENCRYPTED if is_locked else Problem.BROKEN, str(error)[:200]) from None
    if pages and not any(pages):
        raise Unreadable(Problem.SCANNED)
    known = _Look(pages)
    if not title or _FILE_NAME.search(title):
        title = known.title(pages[0]) if pages else ""
    sections = _sections(_without_edges(pages), known, title)
    return document_of(Content(tuple(sections), title or None), origin, content)


# -- lines ----------------------------------------------------------------------------------------


def _lines(file: pdfium.PdfDocument, number: int) -> list[_Line]:
    found: list[_Line] = []
    with closing(file[number]) as page, closing(page.get_textpage()) as text:
        begin, letters = 0, [chr(raw.FPDFText_GetUnicode(text, n)) for n in range(text.count_chars())]
        for end, letter in enumerate([*letters, "\n"]):
            if letter in "\r\n" or letter in _HYPHENS:
                line = cleaned("".join(letters[begin:end])) + ("-" if letter in _HYPHENS else "")
                if line.strip():
                    found.append(_measured(text, line, [n for n in range(begin, end) if letters[n].strip()]))
                begin = end + 1
    return found


def _measured(page: pdfium.PdfTextPage, line: str, places: list[int]) -> _Line:
    """What its first, middle and last letter look like is what a line looks like."""
    looked_at = {places[0], places[len(places) // 2], places[-1]} if places else set()
    boxes = [page.get_charbox(n, loose=True) for n in looked_at]
    return _Line(
        " ".join(line.split()),
        round(min((top - bottom for _, bottom, _, top in boxes), default=0.0), 1),
        bool(looked_at) and all(_is_bold(page, n) for n in looked_at),
        max((top for *_, top in boxes), default=0.0),
    )


def _is_bold(page: pdfium.PdfTextPage, place: int) -> bool:
    name, flags = ctypes.create_string_buffer(_FONT_NAME_BYTES), ctypes.c_int()
    size = raw.FPDFText_GetFontInfo(page, place, name, _FONT_NAME_BYTES, ctypes.byref(flags))
    known = name.value.decode("utf-8", "replace") if 0 < size <= _FONT_NAME_BYTES else ""
    return bool(_BOLD.search(known) or flags.value & _FORCED_BOLD)


def _without_edges(pages: list[list[_Line]]) -> list[list[_Line]]:
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


def _edges(page: list[_Line]) -> list[tuple[int, _Line]]:
    numbered = list(enumerate(page))
    return numbered[:_EDGE_LINES] + numbered[-_EDGE_LINES:]


def _key(line: _Line) -> str:
    return _DIGITS.sub("#", line.text)


# -- what they look like --------------------------------------------------------------------------


class _Look:
    """What is usual in a document, and so what stands out."""

    def __init__(self, pages: list[list[_Line]]) -> None:
        letters: Counter[tuple[float, bool]] = Counter()
        for line in (line for page in pages for line in page):
            letters[line.size, line.bold] += len(line.text)
        (self._size, self._bold), _ = letters.most_common(1)[0] if letters else ((0.0, False), 0)
        steps = [above.top - below.top for page in pages for above, below in pairwise(page)]
        self._step = statistics.median([step for step in steps if step > 0] or [0.0])
        lines = [line for page in pages for line in page]
        self._has_headings = (
            sum(map(self._stands_out, lines)) <= max(_MAX_HEADING_LINES, _MAX_HEADING_SHARE * len(lines))
        )  # fmt: skip

    def is_heading(self, line: _Line, above: _Line | None) -> bool:
        """`above`: the line before it on the page. What only has a number must not be amid a sentence."""
        if not self._has_headings or not self._stands_out(line):
            return False
        begins = above is None or self.is_apart(above, line) or bool(_SENTENCE_END.search(above.text))
        return begins or self._is_marked(line) or (above is not None and self._is_marked(above))

    def _stands_out(self, line: _Line) -> bool:
        is_long = len(line.text) > MAX_HEADING_CHARS
        if is_long or not any(map(str.isalpha, line.text)) or _LEADERS.search(line.text):
            return False
        return self._is_marked(line) or (
            line.size >= self._size
            and not _NO_HEADING_END.search(line.text)
            and bool(_NUMBERED.match(line.text))
        )

    def _is_marked(self, line: _Line) -> bool:
        if line.size >= _LARGER * self._size:
            return True
        is_bold = line.bold and not self._bold and line.size >= self._size
        return is_bold and not _NO_HEADING_END.search(line.text)

    def is_apart(self, above: _Line, below: _Line) -> bool:
        """Whether a new paragraph begins, as far as the space tells."""
        return above.top - below.top > _WIDER * max(self._step, 1.0)

    def title(self, page: list[_Line]) -> str:
        """The largest lines of the first page."""
        largest = max((line.size for line in page if any(map(str.isalpha, line.text))), default=0.0)
        if largest < _LARGER * self._size:
            return ""
        begin = next(n for n, line in enumerate(page) if line.size == largest)
        lines = page[begin : begin + _MAX_HEADING_LINES]
        end = next((n for n, line in enumerate(lines) if line.size != largest), len(lines))
        title = paragraphs([line.text for line in lines[:end]])
        return title if len(title) <= MAX_HEADING_CHARS else ""


# -- sections -------------------------------------------------------------------------------------


@dataclass
class _Growing:
    page: int
    heading: list[_Line] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def section(self, title: str) -> Section:
        heading = paragraphs([line.text for line in self.heading])
        if heading == title:
            heading = ""
        return Section(paragraphs(self.lines), heading or None, self.page, f"page={self.page}")


def _sections(pages: list[list[_Line]], look: _Look, title: str) -> Iterator[Section]:
    """One for each heading and page. A paragraph that goes on over the end of a page stays whole."""
    growing = _Growing(1)
    for number, page in enumerate(pages, 1):
        above = None
        for line in page:
            if look.is_heading(line, above):
                if growing.lines or not _goes_on(growing.heading, line, title):
                    yield from _ended(growing, title)
                    growing = _Growing(number)
                growing.heading.append(line)
            else:
                ends = bool(growing.lines) and bool(_SENTENCE_END.search(growing.lines[-1]))
                if growing.page != number and ends:
                    yield growing.section(title)
                    growing = replace(growing, page=number, lines=[])
                elif above and look.is_apart(above, line):
                    growing.lines.append("")
                growing.lines.append(line.text)
            above = line
    yield from _ended(growing, title)


def _goes_on(heading: list[_Line], line: _Line, title: str) -> bool:
    """A heading of several lines, or one below another one that is not the title."""
    if paragraphs([each.text for each in heading]) == title:
        return False
    chars = sum(len(each.text) + 1 for each in heading) + len(line.text)
    return len(heading) < _MAX_HEADING_LINES and chars <= MAX_HEADING_CHARS


def _ended(growing: _Growing, title: str) -> Iterator[Section]:
    found = growing.section(title)
    if not found.text and found.heading:
        # Nothing below it: it is the text.
        found = replace(found, text=found.heading, heading=None)
    if found.text:
        yield found
