"""How values are put into sentences and labels: plain text, safe links, Swiss numbers, lists."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from contracts.items import Item, Parcel
from contracts.prints import is_path

from actionplanner.texts import Say

_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*>")
_TAG_START = re.compile(r"<(?=[a-zA-Z/!?])")
_ENTITIES = {
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&#39;": "'",
    "&apos;": "'",
    "&nbsp;": " ",
    "&amp;": "&",
}
_ENTITY = re.compile("|".join(_ENTITIES), re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n]+")
_MAX_LISTED = 10
_MAX_DOUBTFUL = 0.5


def plain(value: str) -> str:
    """Text without markup: what services send as HTML fragments becomes what a reader sees of it."""
    read = _without_tags(value)
    read = _without_tags(_ENTITY.sub(lambda found: _ENTITIES[found.group().lower()], read))
    # A tag that never ends is no markup yet, but would be when something follows it.
    return _BLANKS.sub(" ", _TAG_START.sub("< ", read)).strip()


def _without_tags(value: str) -> str:
    while (stripped := _TAG.sub("", value)) != value:
        value = stripped
    return value


def web_url(value: object) -> str | None:
    """The value if it is an absolute http or https address, else None."""
    if not isinstance(value, str) or any(c.isspace() or not c.isprintable() for c in value):
        return None
    try:
        parts = urlsplit(value)
        return value if parts.scheme in ("http", "https") and parts.hostname else None
    except ValueError:
        return None


def link(value: object) -> str | None:
    """The value if a client can open it: a web address, or the path of a print of the edge; else None."""
    return value if isinstance(value, str) and is_path(value) else web_url(value)


def number(value: float, decimals: int = 0) -> str:
    """Swiss notation: 2'600'513 or 618.5; a fraction of zero is left out."""
    written = f"{value:,.{decimals}f}".replace(",", "'")
    return written.rstrip("0").rstrip(".") if "." in written else written


def title(item: Item) -> str:
    """Its label as plain text, or the next best thing to call it by; never empty."""
    return plain(item.label) or plain(item.id) or plain(item.type) or "?"


def short(label: str) -> str:
    """The label up to the first comma: the street without the town."""
    return label.partition(",")[0].strip() or label


def is_doubtful(item: Item) -> bool:
    """Whether the tool itself thinks that it may be something else than what was asked for.

    A name with a typo is found for certain; another house number is not.
    """
    fuzzy = item.provenance is not None and item.provenance.match == "fuzzy"
    return fuzzy and item.confidence is not None and item.confidence <= _MAX_DOUBTFUL


def is_in_other_register(parcel: Parcel) -> bool:
    """Whether its land register has another name than its municipality, as after a merger."""
    return bool(parcel.land_register) and parcel.land_register != parcel.municipality


def listed(labels: Sequence[str], say: Say) -> str:
    """«A», «B» und «C»; at most ten."""
    quoted = [say("quoted", label=label) for label in labels]
    if len(quoted) > _MAX_LISTED:
        return say("and_more", listed=", ".join(quoted[:_MAX_LISTED]), count=len(quoted) - _MAX_LISTED)
    if len(quoted) < 2:
        return "".join(quoted)
    return say("and", first=", ".join(quoted[:-1]), last=quoted[-1])
