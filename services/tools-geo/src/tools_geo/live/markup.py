"""Attributes of map services may hold HTML, and nothing of it is trusted."""

from html.parser import HTMLParser

_BREAKS = frozenset({"br", "div", "li", "p", "td", "tr"})


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.link = ""

    def handle_data(self, data: str) -> None:
        # What is in these is no text.
        if self.cdata_elem is None:
            self.text.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BREAKS:
            self.text.append(" ")
        if tag == "a" and not self.link:
            self.link = (dict(attrs).get("href") or "").strip()


def read_html(fragment: str) -> tuple[str, str]:
    """The text of a piece of HTML, and the address of its first link."""
    reader = _Reader()
    reader.feed(fragment)
    reader.close()
    return "".join(reader.text), reader.link
