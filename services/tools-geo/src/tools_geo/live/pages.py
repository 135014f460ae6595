"""Lists of features that come in pages, as many as a question may be about.

The bodies are kept as they came: some megabytes of text are many more as values.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from servicekit.answers import Answer, parse_json
from servicekit.outbound import SourceError, SourceErrorKind

log = logging.getLogger("ask.features")

MOST_FEATURES = 2_000
MOST_BYTES = 5_000_000
"""Of all pages together."""
_MAX_PAGES = 40
_BAD_REQUEST = 400
_MAX_ID_CHARS = 100
PAGE_SIZE, SMALL_PAGE_SIZE = 500, 50
"""The small one where many features are more than an answer may hold."""

R = TypeVar("R")
F = TypeVar("F", bound=BaseModel)


class Sent(BaseModel):
    """A GeoJSON feature."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[str, BeforeValidator(lambda value: _id(value))] = ""
    properties: dict[str, Any] | None = None
    geometry: dict[str, Any] | None = None

    @property
    def values(self) -> dict[str, Any]:
        return self.properties or {}


@dataclass(frozen=True)
class Listed:
    """What a service has sent."""

    bodies: tuple[bytes, ...]
    is_all: bool
    matched: int | None
    """How many it says that there are."""

    def features(self, source: str) -> list[Sent]:
        """Raises `SourceError`."""
        read = (features_in(parse_json(body, source), source, Sent) for body in self.bodies)
        return [feature for page in read for feature in page][:MOST_FEATURES]


async def listed(
    ask: Callable[[R], Awaitable[Answer]],
    first: Callable[[int], R],
    following: Callable[[dict[str, Any], R, int], R | None],
    *,
    source: str,
) -> Listed:
    """All pages, or the first of too many. Raises `SourceError`.

    `first` is the request for so many features, `following` the one after an answer to a request, when that
    many features have come.
    """
    try:
        return await _collected(ask, first(PAGE_SIZE), following, source)
    except SourceError as error:
        # Some servers refuse more than they would send, instead of sending less.
        if error.kind is not SourceErrorKind.TOO_LARGE and error.status != _BAD_REQUEST:
            raise
        return await _collected(ask, first(SMALL_PAGE_SIZE), following, source)


async def _collected(
    ask: Callable[[R], Awaitable[Answer]],
    request: R | None,
    following: Callable[[dict[str, Any], R, int], R | None],
    source: str,
) -> Listed:
    bodies: list[bytes] = []
    received, size, matched = 0, 0, None
    while request is not None and len(bodies) < _MAX_PAGES and received < MOST_FEATURES and size < MOST_BYTES:
        answer = await ask(request)
        document = answer.json()
        features = features_in(document, source, Sent)
        if features and answer.body in bodies:
            # It takes no notice of which page was asked for: whoever counts on would count twice.
            raise SourceError(SourceErrorKind.UNREADABLE, source)
        bodies.append(answer.body)
        received, size = received + len(features), size + len(answer.body)
        matched = _count(document.get("numberMatched")) if matched is None else matched
        request = following(document, request, received) if features else None
    is_all = request is None and received <= MOST_FEATURES and (matched is None or matched <= received)
    if not is_all:
        log.warning("features cut", extra={"source": source, "received": received, "matched": matched})
    return Listed(tuple(bodies), is_all, matched)


def features_in(document: Any, source: str, kind: type[F]) -> list[F]:
    """The features of a collection. Raises `SourceError` for anything else."""
    features = document.get("features") if isinstance(document, dict) else None
    try:
        if not isinstance(features, list):
            raise TypeError
        return [kind.model_validate(feature) for feature in features]
    except (TypeError, ValidationError):
        raise SourceError(SourceErrorKind.UNREADABLE, source) from None


def _id(value: Any) -> str:
    return "" if value is None else str(value)[:_MAX_ID_CHARS]


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None
