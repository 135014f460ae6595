"""What this service can name as an example: a parcel of its own data."""

from contracts.intents import Intent
from contracts.items import Coord
from contracts.vocabulary import Example, Vocabulary
from swissgeo.outlines import inner_point, polygons_of

from tools_oereb.embedded import Entry
from tools_oereb.texts import text

_BY_NUMBER = "parcels.by_number"


def vocabulary_of(entry: Entry | None) -> Vocabulary:
    """Extracts of a parcel by its number, where somebody knows numbers, and by a point."""
    if entry is None:
        return Vocabulary()
    parcel = text("example_parcel", number=entry.number, municipality=entry.municipality)
    east, north = point_in(entry)
    return Vocabulary(
        examples=(
            _example("example_extract", parcel, needs=(_BY_NUMBER,)),
            _example("example_extract_at_point", f"{east:.0f}, {north:.0f}"),
        )
    )


def point_in(entry: Entry) -> Coord:
    """A point of the parcel, in whole metres."""
    east, north = inner_point(polygons_of(entry.geometry))
    return round(east), round(north)


def _example(key: str, subject: str, needs: tuple[str, ...] = ()) -> Example:
    said = text(key, subject=subject)
    return Example(intent=Intent.OEREB_EXTRACT, text=said, subject=subject, needs=needs)
