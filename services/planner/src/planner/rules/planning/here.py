"""Where `hier` is: where the user has clicked, what is selected, or the middle of the map."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from contracts.items import Coord, Extent
from contracts.session import Session
from swissgeo.lv95 import is_lv95

from planner.rules.grammar.wishes import Wish
from planner.rules.references.coordinates import Coordinate

How = Literal["point", "selection", "center"]


@dataclass(frozen=True)
class Here:
    """What the map shows, as far as it says where something is.

    `is_near`: the clicked point can be seen. `has_selection`: so can what is selected.
    """

    point: Coordinate | None
    center: Coordinate | None
    is_near: bool
    has_selection: bool

    def of(self, wish: Wish, *, known: bool) -> tuple[Wish, How | None]:
        """A wish without a place at the place that it means, and what that is if it is to be told.

        `known`: something else would say where it is, a selection or a place that was named before.
        """
        if wish.pointer == "here" or (wish.pointer == "there" and not known):
            if self.point is not None:
                return replace(wish, target=self.point), "point"
            if self.has_selection:
                return wish, "selection"
            return (replace(wish, target=self.center), "center") if self.center else (wish, None)
        counts = self.point is not None and (not known or (wish.pointer == "" and self.is_near))
        return (replace(wish, target=self.point), "point") if counts else (wish, None)


def here_in(session: Session) -> Here | None:
    """None of a client that does not say what its map shows."""
    view = session.view
    if view is None:
        return None
    bound = [item.bindings() for item in session.selections]
    at = [(each["x"], each["y"]) for each in bound if {"x", "y"} <= each.keys()]
    return Here(
        point=_coordinate(view.point),
        center=_coordinate(view.center),
        is_near=view.point is not None and _is_in(view.point, view.extent),
        has_selection=any(_is_in(point, view.extent) for point in at),
    )


def _coordinate(point: Coord | None) -> Coordinate | None:
    return Coordinate(*point) if point is not None and is_lv95(point) else None


def _is_in(point: Any, extent: Extent) -> bool:
    west, south, east, north = extent
    return bool(west <= point[0] <= east and south <= point[1] <= north)
