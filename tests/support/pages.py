"""What the tests need of Markdown: tables by heading, code blocks, links."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = (
    "docs",
    "bench",
    "cli",
    "contracts",
    "deploy",
    "e5",
    "german",
    "packages",
    "requirements",
    "servicekit",
    "services",
    "swissgeo",
    "tests",
)

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")

Row = dict[str, str]


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int


def files() -> list[Path]:
    """Every page of the repository; sample documents are data, what is installed or built is none."""
    pages = [*ROOT.glob("*.md"), *(p for folder in FOLDERS for p in (ROOT / folder).rglob("*.md"))]
    others = {"node_modules", "dist"}
    return sorted(page for page in pages if page.parent.name != "documents" and others.isdisjoint(page.parts))


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Section:
    prose: str
    blocks: list[Block]


def blocks(page: Path) -> list[Block]:
    """The fenced code blocks."""
    return _blocks_of(page.read_text(encoding="utf-8"), 0)


def _blocks_of(text: str, lines_before: int) -> list[Block]:
    return [
        Block(m[1], m[2], lines_before + text.count("\n", 0, m.start()) + 1) for m in _FENCE.finditer(text)
    ]


def sections(page: Path) -> dict[str, Section]:
    """The parts of a page by heading of the second level; "" is what stands before the first one."""
    text = page.read_text(encoding="utf-8")
    found: dict[str, Section] = {}
    name, start = "", 0
    for heading in (*re.finditer(r"^## (.*)\n", text, re.MULTILINE), None):
        part = text[start : heading.start() if heading else None]
        found[name] = Section(_FENCE.sub("", part), _blocks_of(part, text.count("\n", 0, start)))
        if heading:
            name, start = heading[1], heading.end()
    return found


def prose(page: Path) -> str:
    """The page without its code blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    return _LINK.findall(prose(page))


def anchors(page: Path) -> set[str]:
    """The fragments that GitHub makes of the headings."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def tables(page: Path) -> Iterator[tuple[str, list[Row]]]:
    """(heading, rows) of every table; a row maps the title of a column to its text."""
    heading, lines = "", [*prose(page).splitlines(), ""]
    table: list[list[str]] = []
    for line in lines:
        if line.startswith("|"):
            table.append([cell.strip() for cell in line.strip().strip("|").split("|")])
            continue
        if table:
            titles, _, *rows = table
            yield heading, [dict(zip(titles, row, strict=True)) for row in rows]
            table = []
        if line.startswith("#"):
            heading = line.lstrip("# ")


def table(page: Path, heading: str, title: str) -> list[Row]:
    """The table under a heading that has a column with that title."""
    return next(rows for under, rows in tables(page) if under == heading and title in rows[0])


def names(cell: str) -> tuple[str, ...]:
    """The parts of a list, without the marks of code."""
    return tuple(part.strip().strip("`") for part in cell.split(","))
