"""What is wanted of each thing that a message names: heard by the embedding model, tuned for this.

`make learn` makes `wanted.npz` from conversations: how the layers of the embedding model are changed
(`E5.tuned`), and a network with one hidden layer that looks at what a thing's pieces mean in the message
(`units`, `units_bias`, `labels`, `labels_bias`). A label is an intent.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from contracts.intents import OF_LOADED_LAYERS
from e5.wheel import QUERY
from german.fold import fold, umlauted

from planner.rules.grammar.utterance import Utterance
from planner.rules.learned.sense import embedding_model
from planner.rules.learned.things import Thing, things_in
from planner.rules.references.addresses import Address
from planner.rules.references.places import Place

if TYPE_CHECKING:
    from e5.model import E5

SURE = 0.9
"""So probable has to be what is done although it was not read."""
_MAX_CHARS = 400
_MOST = 8
"""Who names more tells a list, or a story."""
_KEPT = 1_000
_TEXTS = {"names", "learned_from"}
_PLACES = ("Olten", "Wangen", "Balsthal", "Egerkingen", "Dulliken", "Oensingen", "Laupersdorf", "Biberist")
_STREETS = ("Rötistrasse", "Langendorfstrasse", "Bahnhofstrasse", "Hauptstrasse", "Dorfstrasse")
"""What places and streets are called instead, in order: what is learned of one canton holds in another."""


class Wanted(NamedTuple):
    """How probable it is that a thing is wanted, by what is done with it."""

    thing: Thing
    probable: Mapping[str, float]

    def of(self, intent: str) -> float:
        return self.probable.get(intent, 0.0)

    @property
    def most(self) -> float:
        return max(self.probable.values())

    @property
    def most_without_changes(self) -> float:
        """For anything but what is done to layers that are on the map."""
        return max((p for intent, p in self.probable.items() if intent not in OF_LOADED_LAYERS), default=0.0)


def wanted_in(said: Utterance) -> tuple[Wanted, ...]:
    """Each thing of a message that names several; none where words have to do."""
    things = things_in(said.parts) if len(said.text) <= _MAX_CHARS else ()
    if not 1 < len(things) <= _MOST:
        return ()
    probable = _probable(tuple(segments_of(said, things)))
    return tuple(map(Wanted, things, probable))


def segments_of(said: Utterance, things: Sequence[Thing]) -> Iterator[str]:
    """What stands before each thing and the thing itself, in turn; and what stands at the end.

    In one spelling: neither how umlauts are written nor capitals tell what is wanted.
    """
    text, at = said.written, 0
    names: dict[tuple[str, ...], list[str]] = {_PLACES: [], _STREETS: []}
    for thing in things:
        first, last = said.parts[thing.start], said.parts[thing.end - 1]
        start, end = first.start - said.at, last.start + len(last.text) - said.at
        yield umlauted(text[at:start])
        yield umlauted(_called(thing, text[start:end], names))
        at = end
    yield umlauted(text[at:])


def _called(thing: Thing, written: str, names: Mapping[tuple[str, ...], list[str]]) -> str:
    """A place or street that is called by its name gets another; what may be misread stays as written."""
    match thing.what:
        case Address(street=street, house_number=number, place=place):
            called = _instead(fold(street), _STREETS, names[_STREETS])
            return f"{called} {number}" + (" in Solothurn" if place else "")
        case Place(spoken=spoken):
            name, own = fold(written), fold(spoken)
            if own.startswith(name) or name.startswith(own):
                return _instead(name, _PLACES, names[_PLACES])
    return written


def _instead(name: str, others: Sequence[str], names: list[str]) -> str:
    if name not in names:
        names.append(name)
    return others[min(names.index(name), len(others) - 1)]


@lru_cache(_KEPT)
def _probable(segments: tuple[str, ...]) -> tuple[Mapping[str, float], ...]:
    hearing = _hearing()
    return hearing.probable(segments) if hearing else ()


class _Hearing:
    def __init__(self, model: "E5", file: bytes) -> None:
        import numpy as np

        with np.load(BytesIO(file)) as arrays:
            self.learned_from = str(arrays["learned_from"])
            self._names: list[str] = arrays["names"].tolist()
            numbers = {name: arrays[name].astype(np.float32) for name in set(arrays.files) - _TEXTS}
        self._numbers: Mapping[str, Any] = numbers
        self._model = model.tuned(numbers)

    def probable(self, segments: Sequence[str]) -> tuple[Mapping[str, float], ...]:
        import numpy as np

        have = self._numbers
        things = self._model.means([QUERY, *segments])[2::2]
        units = np.maximum(things @ have["units"] + have["units_bias"], 0)
        rows = 1 / (1 + np.exp(-(units @ have["labels"] + have["labels_bias"])))
        return tuple(dict(zip(self._names, row, strict=True)) for row in rows.tolist())


@cache
def _hearing() -> _Hearing | None:
    model = embedding_model()
    if model is None:
        return None
    return _Hearing(model, files("planner.rules").joinpath("data", "wanted.npz").read_bytes())
