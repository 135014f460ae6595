"""Extracts of the cadastre for programs that carry them around and models that read them."""

import json
from typing import Any

MAX_CONTENT_CHARS = 100_000
"""As JSON. Ten times as much as what an extract with many restrictions has."""
_GENERAL = ("glossary", "information", "disclaimers")
"""The same in every extract."""


def without_pixels(value: Any) -> Any:
    """The same JSON without pictures that are written out, as symbols of a legend are: they say nothing."""
    match value:
        case dict():
            return {name: without_pixels(each) for name, each in value.items() if not _is_picture(each)}
        case list():
            return [without_pixels(each) for each in value]
    return value


def readable(extract: dict[str, Any]) -> dict[str, Any]:
    """An extract as JSON without pixels.

    Of a content that is longer than anybody reads the general words are left out. If it is still too long,
    all of it is, and `contentTooLong` says so: without content and without this it could not be read.
    """
    shown: dict[str, Any] = without_pixels(extract)
    if _is_too_long(shown.get("content")):
        shown["content"] = {key: each for key, each in shown["content"].items() if key not in _GENERAL}
    if _is_too_long(shown.get("content")):
        del shown["content"]
        shown["contentTooLong"] = True
    return shown


def _is_too_long(content: Any) -> bool:
    return len(json.dumps(content, ensure_ascii=False)) > MAX_CONTENT_CHARS


def _is_picture(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("data:image/")
