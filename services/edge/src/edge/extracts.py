"""Extracts of the cadastre for programs that carry them around and models that read them."""

import json
from typing import Any

MAX_CONTENT_CHARS = 100_000
"""As JSON. Ten times as much as what an extract with many restrictions has."""


def without_pixels(value: Any) -> Any:
    """The same JSON without pictures that are written out, as symbols of a legend are: they say nothing."""
    match value:
        case dict():
            return {name: without_pixels(each) for name, each in value.items() if not _is_picture(each)}
        case list():
            return [without_pixels(each) for each in value]
    return value


def readable(extract: dict[str, Any]) -> dict[str, Any]:
    """An extract as JSON without pixels, and without its content when that is longer than anybody reads."""
    shown: dict[str, Any] = without_pixels(extract)
    if len(json.dumps(shown.get("content"), ensure_ascii=False)) > MAX_CONTENT_CHARS:
        del shown["content"]
    return shown


def _is_picture(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("data:image/")
