"""Markdown, with what is known of the document in front of it."""

import re
from dataclasses import replace
from functools import lru_cache

import yaml
from markdown_it import MarkdownIt

from tools_docs.corpus import SourceDocument
from tools_docs.formats.encoding import decode
from tools_docs.formats.html import content_of
from tools_docs.formats.reading import Origin, Unreadable, day_of, document_of, ignored

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_KEYS = frozenset({"id", "title", "date", "type", "body", "url"})
_ENTRY = re.compile(r"^([A-Za-z]++)[ \t]*+:[ \t]++(.*)$", re.MULTILINE)
"""What can be made of front matter that is not quite YAML: a title with a colon and without quotes."""


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def read_markdown(content: bytes, origin: Origin) -> SourceDocument:
    """Front matter is YAML: `id, title, date, type, body, url`, all optional, and whatever others read there.

    Raises `Unreadable`.
    """
    text = decode(content)
    front = _FRONT.match(text)
    known, nonsense = _known(front[1]) if front else ({}, ())
    found = content_of(_parser().render(text[front.end() :] if front else text))
    title = known.get("title")
    if title is not None and found.title == title:
        found = replace(found, title=None)
    day = origin.date
    if "date" in known:
        try:
            day = day_of(known["date"])
        except Unreadable:
            nonsense += (ignored("date", known["date"]),)
    own = replace(
        origin,
        id=known.get("id", origin.id),
        url=known.get("url", origin.url),
        name=title or found.title or origin.name,
        date=day,
        kind=known.get("type", origin.kind),
        body=known.get("body", origin.body),
    )
    return replace(document_of(replace(found, title=None, url=None), own, content), ignored=nonsense)


def _known(front: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The entries that we know, and what makes no sense."""
    nonsense: tuple[str, ...] = ()
    try:
        # Everything stays text: a number like 131.10 would lose its zero otherwise.
        entries = yaml.load(front, yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark, what = getattr(error, "problem_mark", None), getattr(error, "problem", None) or error
        nonsense = (ignored("YAML", f"{what} ({mark.line + 2})" if mark else what),)
        entries = dict(_ENTRY.findall(front))
    if not isinstance(entries, dict):
        return {}, (*nonsense, *((ignored("YAML", front),) if front.strip() else ()))
    known = {}
    for key, value in entries.items():
        if not isinstance(key, str) or (name := key.lower()) not in _KEYS:
            continue
        if not isinstance(value, str):
            nonsense += (ignored(key, value),)
        elif said := " ".join(value.split()):
            known[name] = said
    return known, nonsense
