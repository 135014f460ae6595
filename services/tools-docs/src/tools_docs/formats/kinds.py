"""Which format a document is in, and who reads it."""

from enum import StrEnum

from tools_docs.corpus import SourceDocument
from tools_docs.formats.reading import Origin


class Format(StrEnum):
    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    PDF = "pdf"


_BY_SUFFIX = {
    ".txt": Format.TEXT,
    ".text": Format.TEXT,
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".html": Format.HTML,
    ".htm": Format.HTML,
    ".xhtml": Format.HTML,
    ".pdf": Format.PDF,
}
_BY_TYPE = {
    "text/plain": Format.TEXT,
    "text/markdown": Format.MARKDOWN,
    "text/html": Format.HTML,
    "application/xhtml+xml": Format.HTML,
    "application/pdf": Format.PDF,
}


def format_of_suffix(suffix: str) -> Format | None:
    return _BY_SUFFIX.get(suffix.lower())


def format_of_type(media_type: str, content: bytes) -> Format | None:
    """What the content begins with is believed before the type that somebody has given."""
    start = content[:1_024].lstrip().lower()
    if start.startswith(b"%pdf-"):
        return Format.PDF
    if start.startswith((b"<!doctype html", b"<html")):
        return Format.HTML
    return _BY_TYPE.get(media_type.partition(";")[0].strip().lower())


def read(kind: Format, content: bytes, origin: Origin) -> SourceDocument:
    """Raises `Unreadable`. The libraries are loaded when they are needed."""
    match kind:
        case Format.TEXT:
            from tools_docs.formats.plain import read_text

            return read_text(content, origin)
        case Format.MARKDOWN:
            from tools_docs.formats.markdown import read_markdown

            return read_markdown(content, origin)
        case Format.HTML:
            from tools_docs.formats.html import read_html

            return read_html(content, origin)
        case Format.PDF:
            from tools_docs.formats.pdf import read_pdf

            return read_pdf(content, origin)
