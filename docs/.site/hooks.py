"""What MkDocs does not do by itself: folders in the navigation, and links out of the docs."""

import posixpath
import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?:\.\./)+[^)\s#]*)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """A folder in the navigation stands for its pages."""
    docs = Path(config.docs_dir)
    for section in config.nav:
        for pages in section.values():
            for page in pages if isinstance(pages, list) else ():
                for title, path in page.items():
                    if path.endswith("/"):
                        page[title] = sorted(f"{path}{each.name}" for each in (docs / path).glob("*.md"))
    return config


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """A link to a source leads to where the repository is read; if nobody has said where, it is just text."""
    folder = posixpath.dirname(f"docs/{page.file.src_uri}")

    def led(link: re.Match[str]) -> str:
        text, path, anchor = link[1], link[2], link[3] or ""
        target = posixpath.normpath(posixpath.join(folder, path))
        if target.startswith("docs/"):
            return link[0]
        return f"[{text}]({config.repo_url}/blob/main/{target}{anchor})" if config.repo_url else text

    return _LINK.sub(led, markdown)
