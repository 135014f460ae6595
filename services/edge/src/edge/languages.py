"""In which language a request wants its answer: what its body says counts more than its headers."""

from contracts.languages import DEFAULT_LANGUAGE, Language, accepted, language_of
from starlette.types import Scope

_SCOPE_KEY = "ask.language"


def say(scope: Scope, *tags: object) -> None:
    """Note what the body says; of several tags the first one counts that names a language of ours."""
    found = (language_of(tag) for tag in tags if isinstance(tag, str))
    if language := next(filter(None, found), None):
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
