"""Markdown, with what is known of the document in front of it."""

import re
from dataclasses import replace
from functools import lru_cache

from markdown_it import MarkdownIt

from tools_docs.corpus import SourceDocument
from tools_docs.formats.encoding import decode
from tools_docs.formats.html import content_of
from tools_docs.formats.reading import Origin, Problem, Unreadable, day_of, document_of

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_ENTRY = re.compile(r"([A-Za-z_-]++)\s*+:(.*)")
_QUOTED = re.compile(r"""^(["'])(.*)\1$""")


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def read_markdown(content: bytes, origin: Origin) -> SourceDocument:
    """Front matter (`id, title, date, type, body, url`, all optional) is lines of `key: value`.

    Raises `Unreadable`.
    """
    text = decode(content)
    front = _FRONT.match(text)
    known = _entries(front[1]) if front else {}
    found = content_of(_parser().render(text[front.end() :] if front else text))
    title = known.get("title")
    if title is not None and found.title == title:
        found = replace(found, title=None)
    own = replace(
        origin,
        id=known.get("id", origin.id),
        url=known.get("url", origin.url),
        name=title or found.title or origin.name,
        date=day_of(known["date"]) if "date" in known else origin.date,
        kind=known.get("type", origin.kind),
        body=known.get("body", origin.body),
    )
    return document_of(replace(found, title=None, url=None), own, content)


def _entries(front: str) -> dict[str, str]:
    found = {}
    for line in front.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        entry = _ENTRY.fullmatch(line)
        if not entry:
            raise Unreadable(Problem.BROKEN, line[:60])
        said = entry[2].strip()
        quoted = _QUOTED.match(said)
        if value := (quoted[2] if quoted else said):
            found[entry[1].lower()] = value
    return found
