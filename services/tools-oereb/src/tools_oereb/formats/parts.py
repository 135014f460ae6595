"""A part of an answer, whichever its format: XML and JSON have the same names for the same things."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import datetime
from math import isfinite
from urllib.parse import quote

from swissgeo.outlines import Polygon

LocalisedText = tuple[str | None, str | None]
"""(language, text)"""
MAX_TEXT_CHARS = 3_000
"""The longest provisions of a legend and articles of a disclaimer have some hundred."""
_NOT_IN_URL = re.compile(r'[ <>"]')
_EGRID = re.compile(r"CH[0-9]{12}")


class Broken(ValueError):
    """A part is not of the form that it has to have."""


class Part(ABC):
    """Something with parts that have names. Texts come in the first of `languages` there is."""

    languages: tuple[str, ...]

    @abstractmethod
    def parts(self, name: str) -> Sequence["Part"]:
        """All parts of this name. Raises `Broken` for what has no parts itself."""

    @abstractmethod
    def texts(self, name: str) -> Sequence[Sequence[LocalisedText]]:
        """Of all texts of this name what they are in each language, which may not be said."""

    @abstractmethod
    def polygons(self, name: str) -> list[Polygon]:
        """The surfaces of this name. Raises `ValueError` for what is none."""

    def part(self, name: str) -> "Part | None":
        """The first part of this name; None for what has no parts."""
        try:
            return next(iter(self.parts(name)), None)
        except Broken:
            return None

    def text(self, name: str, max_chars: int = MAX_TEXT_CHARS) -> str | None:
        """The first text of this name."""
        return next(iter(self.each_text(name, max_chars)), None)

    def each_text(self, name: str, max_chars: int = MAX_TEXT_CHARS) -> list[str]:
        """All texts of this name that are not empty."""
        said = (in_language(texts, self.languages) for texts in self.texts(name))
        return [text if len(text) <= max_chars else f"{text[: max_chars - 1]}…" for text in said if text]

    def address(self, name: str) -> str | None:
        """The web address of this name, with what people write into one and no address may have encoded."""
        return _NOT_IN_URL.sub(lambda found: quote(found[0]), self.text(name) or "") or None

    def number(self, name: str, at_most: float = float("inf")) -> float | None:
        """The number of this name; None for one that cannot be: all that are asked for are amounts."""
        try:
            number = float(self.text(name) or "")
        except ValueError:
            return None
        return number if isfinite(number) and 0 <= number <= at_most else None

    def moment(self, name: str) -> datetime | None:
        """The moment of this name; in local time where no offset is written."""
        try:
            return datetime.fromisoformat(self.text(name) or "")
        except ValueError:
            return None


def in_language(texts: Iterable[LocalisedText], languages: Sequence[str]) -> str | None:
    """The text in the first of these languages there is, else the first one; None when there is none."""
    said = [((written or "").lower(), text.strip()) for written, text in texts if text and text.strip()]
    wanted = (text for language in languages for written, text in said if written == language)
    return next(wanted, said[0][1] if said else None)


def compact_egrid(written: str | None) -> str | None:
    """`CH955832730623` for `CH 9558 3273 0623`; None for what is no EGRID."""
    compact = re.sub(r"\s", "", written or "").upper()
    return compact if _EGRID.fullmatch(compact) else None
