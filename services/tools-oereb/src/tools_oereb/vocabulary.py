"""What this service can name as an example: a parcel of its own data."""

from contracts.intents import Intent
from contracts.items import Coord
from contracts.languages import DEFAULT_LANGUAGE, LANGUAGES
from contracts.vocabulary import Example, Vocabulary
from swissgeo.outlines import inner_point, polygons_of

from tools_oereb.embedded import Entry
from tools_oereb.texts import text

_BY_NUMBER = "parcels.by_number"


def vocabulary_of(entry: Entry | None) -> Vocabulary:
    """Extracts of a parcel by its number, where somebody knows numbers, and by a point."""
    if entry is None:
        return Vocabulary()
    named = {"number": entry.number, "municipality": entry.municipality}
    parcels = {language: text("example_parcel", language, **named) for language in LANGUAGES}
    by_number = Example(
        intent=Intent.OEREB_EXTRACT,
        subject=parcels[DEFAULT_LANGUAGE],
        subjects=parcels,
        needs=(_BY_NUMBER,),
    )
    east, north = point_in(entry)
    at_point = Example(intent=Intent.OEREB_EXTRACT, subject=f"{east:.0f}, {north:.0f}")
    return Vocabulary(examples=(by_number, at_point))


def point_in(entry: Entry) -> Coord:
    """A point of the parcel, in whole metres."""
    east, north = inner_point(polygons_of(entry.geometry))
    return round(east), round(north)
