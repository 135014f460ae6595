"""What a client takes, and what it has already, by its headers."""

import re

_REFUSED = re.compile(r"q=0(\.0*)?")


def names(header: str, value: str) -> bool:
    """Whether `Accept` or `Accept-Encoding` names a value, unless to refuse it. Wildcards name nothing."""
    for part in header.lower().split(","):
        name, *parameters = (each.strip() for each in part.split(";"))
        if name == value:
            return not any(_REFUSED.fullmatch(parameter) for parameter in parameters)
    return False


def has_already(if_none_match: str, etag: str) -> bool:
    """Whether `If-None-Match` has the tag of what would be sent."""
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return etag in tags or "*" in tags
