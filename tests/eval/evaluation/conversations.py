"""The conversations of a half: `<kind>.toml`, each a list of `[[conversation]]`.

With `map` (center, extent, perhaps scale and point, LV95) the client tells where its map is; a turn with
`click` is said after a click there.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from contracts.agents import Agent
from contracts.chat import MAX_MESSAGE_CHARS
from contracts.items import Coord, Extent
from contracts.languages import Language
from contracts.session import MapView
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluation.outcomes import Outcome, parsed

FOLDER = Path(__file__).parents[1]
SEEN = FOLDER / "seen"
HELD = FOLDER / "held"
OTHERS = FOLDER / "others"
"""Written by people who know neither rules nor outcomes, and looked at since."""
LEARNED = FOLDER / "learned"
"""Written by others, too; what intents are learned from, beside those that are seen and of others."""
STRANGERS = FOLDER / "strangers"
"""Written by others, and never looked at: like the held half."""
FRESH = FOLDER / "fresh"
"""Of the kinds of the seen half, by others who saw that half; never looked at."""

NAMED = FOLDER / "named" / "learned"
"""Messages that name several things of a sort and often mean only some: it is learned from them which."""
NAMED_HELD = FOLDER / "named" / "held"
"""Others of these, never looked at."""
ON_MAP = FOLDER / "on_map" / "learned"
"""What is done to layers that are on the map, as people call these then."""
ON_MAP_HELD = FOLDER / "on_map" / "held"
"""Others of these, never looked at."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Map(_Strict):
    center: Coord
    extent: Extent
    scale: float = 10_000
    point: Coord | None = None


class _Turn(_Strict):
    say: Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE_CHARS)]
    accept: Annotated[tuple[str, ...], Field(min_length=1)]
    click: Coord | None = None


class _Conversation(_Strict):
    language: Language = "de"
    agent: Agent = "map"
    map: _Map | None = None
    turns: Annotated[tuple[_Turn, ...], Field(min_length=1)]


class _File(_Strict):
    conversation: tuple[_Conversation, ...]


@dataclass(frozen=True)
class Turn:
    say: str
    accept: tuple[Outcome, ...]
    click: Coord | None = None
    """Where the user has clicked before."""


@dataclass(frozen=True)
class Conversation:
    kind: str
    number: int
    """Within its kind, from 1."""
    language: Language
    agent: Agent
    turns: tuple[Turn, ...]
    view: MapView | None = None
    """What the client's map shows at first; None of a client that does not tell."""

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.number}"

    def request_id(self, turn: int) -> str:
        """Of a turn, from 0."""
        return f"{self.name}-{turn}"


def conversations(half: Path) -> tuple[Conversation, ...]:
    """All of a half. Raises `ValueError` for what is not in the format."""
    return tuple(each for path in sorted(half.glob("*.toml")) for each in _read(path))


def _read(path: Path) -> Iterator[Conversation]:
    try:
        file = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        # Not what is there: nobody reads the held half.
        places = (".".join(map(str, each["loc"])) + f": {each['msg']}" for each in error.errors()[:3])
        raise ValueError(f"{path.name}: {'; '.join(places)}") from None
    for number, each in enumerate(file.conversation, 1):
        try:
            turns = tuple(Turn(t.say, tuple(map(parsed, t.accept)), t.click) for t in each.turns)
        except ValueError as error:
            raise ValueError(f"{path.name}: conversation {number}: {error}") from None
        view = MapView.model_validate(each.map.model_dump()) if each.map else None
        yield Conversation(path.stem, number, each.language, each.agent, turns, view)
