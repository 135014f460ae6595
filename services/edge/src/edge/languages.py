"""In which language a request wants its answer: what its body says counts more than its headers."""

from typing import Annotated, Any

from contracts.languages import DEFAULT_LANGUAGE, LANGUAGES, MAX_TAG_CHARS, Language, accepted, language_of
from fastapi import Depends, Header, Request
from pydantic.json_schema import SkipJsonSchema
from starlette.types import Scope

_SCOPE_KEY = "ask.language"


def tag_in(document: object) -> str | None:
    """What a part of a body says about it that has no model."""
    tag = document.get("language") if isinstance(document, dict) else None
    return tag if isinstance(tag, str) and len(tag) <= MAX_TAG_CHARS else None


def say(scope: Scope, *tags: str | None) -> None:
    """Note what the body says; of several tags the first one counts that names a language of ours."""
    if language := next(filter(None, map(language_of, filter(None, tags))), None):
        scope[_SCOPE_KEY] = language


def wanted(scope: Scope) -> Language | None:
    """None when the request names no language of ours."""
    said: Language | None = scope.get(_SCOPE_KEY)
    if said is not None:
        return said
    headers = (value for name, value in scope["headers"] if name == b"accept-language")
    return accepted(b",".join(headers).decode("latin-1"))


def spoken(scope: Scope) -> Language:
    """That of what is said right away."""
    return wanted(scope) or DEFAULT_LANGUAGE


_HEADER = "Accept-Language"
_DESCRIPTION = f"In which language to answer ({', '.join(LANGUAGES)}) where no body says it."


async def _of_request(
    request: Request,
    accept_language: Annotated[
        str | SkipJsonSchema[None], Header(alias=_HEADER, description=_DESCRIPTION)
    ] = None,
) -> Language:
    return spoken(request.scope)


Spoken = Annotated[Language, Depends(_of_request)]
"""The language of a route that says something by itself."""
PARAMETER: dict[str, Any] = {
    "name": _HEADER,
    "in": "header",
    "required": False,
    "description": _DESCRIPTION,
    "schema": {"type": "string"},
}
"""Of the description of a route that has somebody else answer in the language that is wanted."""
