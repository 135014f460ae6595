"""What the three lists of an extract and its restrictions together allow to say about each theme.

Only together they do: a theme in two lists, or a restriction whose theme is in none, is a contradiction, of
which nothing may be told as certain.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from contracts.oereb import ExtractContent, Restriction, Theme

Key = tuple[str, str | None]


class Standing(StrEnum):
    CONCERNED = "concerned"
    """By the restrictions that are listed; each says itself whether it is law already."""
    UNEXPLAINED = "unexplained"
    """The extract says that it is concerned, but not by what."""
    NOT_CONCERNED = "not_concerned"
    WITHOUT_DATA = "without_data"
    CONTRADICTORY = "contradictory"


_WIDE = frozenset({Standing.NOT_CONCERNED, Standing.WITHOUT_DATA})
"""Said of a theme as a whole they hold for its parts too; a theme is concerned if only one part is."""


@dataclass(frozen=True)
class ThemeFacts:
    theme: Theme
    standing: Standing
    restrictions: tuple[Restriction, ...] = ()


def key_of(theme: Theme) -> Key:
    return theme.code or theme.title, theme.sub_code or None


def title_of(theme: Theme) -> str:
    return theme.title or theme.sub_code or theme.code or "?"


def facts_of(content: ExtractContent) -> tuple[ThemeFacts, ...]:
    """Each theme and part of a theme once: concerned ones first, otherwise in the order of the extract."""
    lists = _Lists(content)
    facts = []
    for key, theme in lists.themes.items():
        standing = lists.standing(key)
        if standing is not None:
            facts.append(ThemeFacts(theme, standing, tuple(lists.restrictions.get(key, ()))))
    return tuple(facts)


class _Lists:
    def __init__(self, content: ExtractContent) -> None:
        self.themes: dict[Key, Theme] = {}
        self.said: defaultdict[Key, set[Standing]] = defaultdict(set)
        self.restrictions: dict[Key, list[Restriction]] = {}
        self._add(content.concerned, Standing.CONCERNED)
        for restriction in content.restrictions:
            key = key_of(restriction.theme)
            self.themes.setdefault(key, restriction.theme)
            self.restrictions.setdefault(key, []).append(restriction)
        self._add(content.not_concerned, Standing.NOT_CONCERNED)
        self._add(content.without_data, Standing.WITHOUT_DATA)

    def _add(self, themes: Iterable[Theme], standing: Standing) -> None:
        for theme in themes:
            self.themes.setdefault(key_of(theme), theme)
            self.said[key_of(theme)].add(standing)

    def standing(self, key: Key) -> Standing | None:
        """None for a whole of which the restrictions of its parts tell everything."""
        related = [other for other in self.themes if _is_related(key, other)]
        is_restricted = any(other in self.restrictions for other in related)
        said = set(self.said[key])
        if key[1] is not None:
            said |= self.said[key[0], None] & _WIDE
        elif said & _WIDE:
            said.update(*(self.said[other] for other in related))
            if is_restricted:
                said.add(Standing.CONCERNED)
        if key in self.restrictions:
            is_listed = any(Standing.CONCERNED in self.said[other] for other in related)
            if not is_listed or said & _WIDE:
                return Standing.CONTRADICTORY
            return Standing.CONCERNED
        if len(said) > 1:
            return Standing.CONTRADICTORY
        if said == {Standing.CONCERNED}:
            return None if is_restricted else Standing.UNEXPLAINED
        return said.pop()


def _is_related(key: Key, other: Key) -> bool:
    """Whether they are the same theme, or one is a part of the other."""
    return key[0] == other[0] and (key[1] == other[1] or None in (key[1], other[1]))
