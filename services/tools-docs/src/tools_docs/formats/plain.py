"""Text without marks."""

import re

from tools_docs.corpus import Section, SourceDocument
from tools_docs.formats.encoding import decode
from tools_docs.formats.reading import Content, Origin, document_of, paragraphs

_MAX_TITLE_CHARS = 150
_SENTENCE = re.compile(r"[.!?:;,]$")


def read_text(content: bytes, origin: Origin) -> SourceDocument:
    """A short first line of its own is the title. Raises `Unreadable`."""
    lines = decode(content).split("\n")
    first = next((n for n, line in enumerate(lines) if line.strip()), None)
    title = None
    if first is not None and _is_title(lines, first):
        title, lines = lines[first].strip(), lines[first + 1 :]
    return document_of(Content((Section(paragraphs(lines)),), title), origin, content)


def _is_title(lines: list[str], at: int) -> bool:
    line, following = lines[at].strip(), lines[at + 1 : at + 2]
    stands_alone = bool(following) and not following[0].strip() and any(map(str.strip, lines[at + 1 :]))
    return stands_alone and len(line) <= _MAX_TITLE_CHARS and not _SENTENCE.search(line)
