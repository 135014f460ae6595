"""The languages in which a user is spoken to."""

from collections.abc import Mapping
from typing import Literal, get_args

Language = Literal["de", "fr", "it", "en"]

LANGUAGES: tuple[Language, ...] = get_args(Language)
DEFAULT_LANGUAGE: Language = "de"

MAX_TAG_CHARS = 35
"""Of a tag in a request: longer ones name nothing that anybody speaks (BCP 47, section 4.4.1)."""

Worded = Mapping[Language, str]
"""One text in every language."""


def said_in(worded: Worded, language: str) -> str:
    """The text in a language; in German where there is none."""
    return worded.get(language_of(language) or DEFAULT_LANGUAGE) or worded[DEFAULT_LANGUAGE]


def language_of(tag: str) -> Language | None:
    """The language of a tag as of BCP 47 (`fr-CH`); None for one in which nobody is spoken to."""
    primary = tag.strip().partition("-")[0].casefold()
    return next((language for language in LANGUAGES if language == primary), None)


def accepted(header: str) -> Language | None:
    """The most wanted of our languages in an `Accept-Language`; None when it names none of them."""
    best, weight = None, 0.0
    for entry in header.split(",")[:20]:
        tag, _, quality = entry.partition(";")
        language, q = language_of(tag), _weight(quality)
        if language and q > weight:
            best, weight = language, q
    return best


def _weight(quality: str) -> float:
    name, equals, value = quality.strip().partition("=")
    if name.strip().casefold() != "q" or not equals:
        return 1.0
    try:
        return min(1.0, max(0.0, float(value)))
    except ValueError:
        return 0.0
