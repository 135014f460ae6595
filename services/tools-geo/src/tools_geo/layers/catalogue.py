"""A layer as the search sees it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from contracts.items import Extent
from german.words import words

from tools_geo.spelling import compact


class Service(StrEnum):
    """Who serves a layer to clients."""

    WMS = "wms"
    WMTS = "wmts"
    """The canton's tiles: its background maps."""
    FEDERAL_WMS = "federal_wms"
    FEDERAL_WMTS = "federal_wmts"
    NONE = "none"
    """Nobody that we know of: the canton's own client gets it in a way of its own."""


@dataclass(frozen=True)
class LayerEntry:
    """A layer or a group with the words that lead to it. `position` decides between equally good ones."""

    id: str
    title: str
    position: int = 0
    is_group: bool = False
    parent: str | None = None
    keywords: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    other_names: tuple[str, ...] = ()
    """In other languages."""
    external: bool = False
    service: Service = Service.WMS
    attribution: str | None = None
    extent: Extent | None = None
    opacity: float = 1.0
    is_visible: bool = True
    """When its group is loaded."""

    @property
    def short_title(self) -> str:
        """Without what is in brackets: `Lärm` for `Lärm (Nutzungsplanung)`."""
        return self.title.partition("(")[0].strip() or self.title

    @property
    def title_words(self) -> tuple[str, ...]:
        """Folded. `(Quelle Bund)` says where a layer is from; who looks for springs does not want it."""
        return words(self.title.partition("(Quelle")[0])

    @property
    def names(self) -> Mapping[tuple[str, ...], bool]:
        """What names exactly this layer, in folded words; whether it is its title."""
        titles = (words(self.title), self.title_words)
        others = (words(self.id), words(self.short_title), *map(words, self.keywords))
        return {name: False for name in others if name} | {name: True for name in titles if name}

    def called(self, key: str) -> str:
        """Its name that has this key."""
        names = (self.short_title, *self.keywords)
        return next((name for name in names if compact(words(name)) == key), self.short_title)


def members_of(group: LayerEntry, entries: Sequence[LayerEntry]) -> tuple[LayerEntry, ...]:
    """The layers of a group in their order; none for a layer."""
    return tuple(entry for entry in entries if entry.parent == group.id)
