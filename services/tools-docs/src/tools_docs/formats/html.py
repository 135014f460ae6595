"""HTML: the main text with its headings, lists and tables; navigation and scripts are left out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tools_docs.corpus import Section, SourceDocument
from tools_docs.formats.encoding import decode
from tools_docs.formats.reading import MAX_HEADING_CHARS, Content, Origin, Unreadable, day_of, document_of

_NOISE = (
    "script, style, noscript, template, nav, header nav, footer, aside, form, button, iframe, svg, dialog,"
    " [hidden], [aria-hidden=true], [role=navigation], [role=banner], [role=contentinfo]"
)
_MAIN = ("main", "[role=main]", "article", "body")
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BLOCKS = _HEADINGS | frozenset(
    [
        "address",
        "article",
        "blockquote",
        "body",
        "caption",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "header",
        "hr",
        "html",
        "li",
        "main",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_ANY_HEADING = ", ".join(sorted(_HEADINGS))
_SECTIONS = frozenset({"section", "article", "div"})
_CELLS = frozenset({"td", "th"})
_DATES = (
    "meta[property='article:published_time']",
    "meta[name='dcterms.date']",
    "meta[name='DC.date']",
    "meta[name='date']",
)
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{2,20})", re.IGNORECASE)
_LOOKED_AT_BYTES = 4_096
_SPACE = re.compile(r"[ \t\r\n\f\u200b]+")


def read_html(content: bytes, origin: Origin) -> SourceDocument:
    """Raises `Unreadable`."""
    declared = _CHARSET.search(content[:_LOOKED_AT_BYTES])
    text = decode(content, declared[1].decode("ascii") if declared else None)
    return document_of(content_of(text), origin, content)


def content_of(html: str) -> Content:
    """The sections of a page, and what it says about itself."""
    tree = LexborHTMLParser(html)
    title, url, day = _title(tree), _attribute(tree, "link[rel=canonical]", "href"), _date(tree)
    for noise in tree.css(_NOISE):
        noise.decompose()
    main = next((node for name in _MAIN if (node := tree.css_first(name)) is not None), None)
    sections = _sections(main, title) if main is not None else ()
    return Content(sections, title, url if url and url.startswith(("http://", "https://")) else None, day)


def _title(tree: LexborHTMLParser) -> str | None:
    heading, title = tree.css_first("main h1, article h1, h1"), tree.css_first("title")
    found = heading if heading is not None else title
    return " ".join(found.text().split()) or None if found is not None else None


def _attribute(tree: LexborHTMLParser, selector: str, name: str) -> str | None:
    node = tree.css_first(selector)
    return (node.attributes.get(name) or "").strip() or None if node is not None else None


def _date(tree: LexborHTMLParser) -> date | None:
    for selector in _DATES:
        if value := _attribute(tree, selector, "content"):
            try:
                return day_of(value)
            except Unreadable:
                continue
    return None


@dataclass
class _Text:
    """The text of one section while it grows."""

    heading: str | None = None
    anchor: str | None = None
    pieces: list[str] = field(default_factory=list)
    last: str = ""
    """The sort of block that came last."""
    row: int = 0
    """The table row that it belonged to."""

    def add(self, block: LexborNode | None, text: str) -> None:
        tag = (block.tag if block is not None else None) or ""
        row = block.parent.mem_id if tag in _CELLS and block is not None and block.parent is not None else 0
        if row and row == self.row:
            self._append(text, " | ")
        elif tag == "li":
            self._append(f"- {text}", "\n" if self.last == "li" else "\n\n")
        else:
            self._append(text, "\n" if tag in _CELLS and self.last in _CELLS else "\n\n")
        self.last, self.row = tag, row

    def _append(self, text: str, glue: str) -> None:
        self.pieces += (glue if self.pieces else "", text)

    def section(self) -> Section:
        return Section("".join(self.pieces), self.heading, anchor=self.anchor)


def _sections(root: LexborNode, title: str | None) -> tuple[Section, ...]:
    sections = [_Text()]
    for block, text in _blocks(root):
        heading = " ".join(text.split())
        if block is not None and block.tag in _HEADINGS and len(heading) <= MAX_HEADING_CHARS:
            sections.append(_Text(None if heading == title else heading, _anchor(block)))
        else:
            sections[-1].add(block, text)
    return tuple(each.section() for each in sections if each.pieces)


def _anchor(heading: LexborNode) -> str | None:
    """The id of a heading, of a mark in it, or of the section that it opens."""
    mark, above = heading.css_first("[id], a[name]"), heading.parent
    opens = above is not None and above.tag in _SECTIONS and above.css_first(_ANY_HEADING) == heading
    for node in (heading, mark, above if opens else None):
        if node is not None and (found := node.attributes.get("id") or node.attributes.get("name")):
            return found.strip() or None
    return None


def _blocks(root: LexborNode) -> Iterator[tuple[LexborNode | None, str]]:
    """Each block with its own text, in the order of the page."""
    blocks: dict[int, LexborNode | None] = {}
    current: LexborNode | None = None
    text: list[str] = []
    for node in root.traverse(include_text=True):
        above = blocks.get(node.parent.mem_id) if node.parent is not None else None
        if node.tag != "-text":
            blocks[node.mem_id] = node if node.tag in _BLOCKS else above
            if node.tag == "br":
                text.append("\n")
            continue
        if above is not current and (whole := _cleaned(text, current)):
            yield current, whole
        if above is not current:
            current, text = above, []
        text.append(node.text_content or "")
    if whole := _cleaned(text, current):
        yield current, whole


def _cleaned(text: list[str], block: LexborNode | None) -> str:
    """Line breaks count where they are meant: those of `br`, and all within `pre`."""
    if block is not None and block.tag == "pre":
        return "".join(text).strip("\n")
    lines = "".join(part if part == "\n" else _SPACE.sub(" ", part) for part in text).split("\n")
    return "\n".join(filter(None, (line.strip() for line in lines)))
