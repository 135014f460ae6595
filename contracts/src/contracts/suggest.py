"""What the end of an unfinished message may become: names that the tools know."""

from typing import Annotated, Literal

from contracts.base import Contract
from contracts.items import Coord
from contracts.languages import DEFAULT_LANGUAGE, Language
from pydantic import Field, StringConstraints

MAX_QUERY_CHARS = 100
MAX_SUGGESTIONS = 10

Query = Annotated[str, StringConstraints(min_length=2, max_length=MAX_QUERY_CHARS)]
Limit = Annotated[int, Field(ge=1, le=MAX_SUGGESTIONS)]
SuggestionKind = Literal["address", "place", "municipality", "parcel", "layer"]


class SuggestQuery(Contract):
    """The parameters of `GET /api/suggest`."""

    q: Query
    """What is written so far, or the end of it."""
    limit: Limit = 6


class Suggestion(Contract):
    """One name; `label` takes the place of what is written."""

    kind: SuggestionKind
    label: str
    detail: str | None = None
    """What tells it from others of the same name: a district, a municipality, an EGRID, an everyday word."""
    coord: Coord | None = None


class Suggestions(Contract):
    """Best first; none is a normal answer."""

    items: tuple[Suggestion, ...] = ()
    from_: Annotated[int, Field(alias="from", ge=0)]
    """Where in `q` begins what a label replaces, in characters (code points); without items, its end."""


class SuggestRequested(Contract):
    """To whoever knows names; nobody remembers it."""

    q: Query
    limit: Limit
    language: Language = DEFAULT_LANGUAGE
    exchange: str
    """Comes back with the answer."""
    edge_id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+$")]
    """Who waits for it."""


class Suggested(Contract):
    """To the waiting edge: what was found."""

    exchange: str
    suggestions: Suggestions
