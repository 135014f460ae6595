"""What the recorded services know: the packaged data of the canton, and some of the rest of Switzerland."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from zlib import crc32

from german.fold import fold
from swissgeo.outlines import extent_of, polygons_of

from tools_geo.embedded import datafiles

Box = tuple[float, float, float, float]
"""(min east, min north, max east, max north), LV95."""

DISTRICTS = {
    "Gäu": (2401, 2408),
    "Thal": (2421, 2430),
    "Bucheggberg": (2445, 2465),
    "Dorneck": (2471, 2481),
    "Gösgen": (2491, 2503),
    "Wasseramt": (2511, 2535),
    "Lebern": (2541, 2556),
    "Olten": (2571, 2586),
    "Solothurn": (2601, 2601),
    "Thierstein": (2611, 2622),
}
"""The districts of the canton of Solothurn and the BFS numbers of their municipalities."""
LONG_STREET = "Lange Gasse"


@cache
def canton() -> datafiles.Dataset:
    """Municipalities, localities, addresses, layers and parcels of the canton of Solothurn."""
    return datafiles.read()


def number_id(text: str) -> int:
    """A number that stays the same, for rows whose own id is not known."""
    return int(text) if text.isdecimal() else crc32(text.encode()) % 900_000_000


def box_of(row: datafiles.MunicipalityRow) -> Box | None:
    """Its extent where that is known, else its point, as a box."""
    corners = (row.min_east, row.min_north, row.max_east, row.max_north)
    known = tuple(corner for corner in corners if corner is not None)
    if len(known) == 4:
        return known
    return None if row.east is None or row.north is None else (row.east, row.north, row.east, row.north)


def district_boxes() -> Iterator[tuple[str, Box]]:
    """The districts with the box around the points of their municipalities."""
    for name, (first, last) in DISTRICTS.items():
        points = [
            (row.east, row.north)
            for row in canton().municipalities
            if first <= row.bfs_number <= last and row.east is not None and row.north is not None
        ]
        easts, norths = zip(*points, strict=True)
        yield name, (min(easts), min(norths), max(easts), max(norths))


def addresses() -> Iterator[datafiles.AddressRow]:
    """The packaged ones, and a made-up street that is longer than a search sends."""
    known = canton().addresses
    yield from known
    like = next(row for row in known if row.locality == "Solothurn")
    for number in range(1, 501):
        made_up = {"id": f"{900_000_000 + number}", "street": LONG_STREET, "house_number": str(number)}
        yield like.model_copy(update=made_up)


@dataclass(frozen=True)
class Location:
    """An entry of the federal search, as its documentation shows them."""

    origin: str
    label: str
    detail: str
    box: Box
    feature_id: str = ""
    num: int = 0


ELSEWHERE = (
    Location(
        "address",
        "Seftigenstrasse 264 <b>3084 Wabern</b>",
        "seftigenstrasse 264 3084 wabern 355 koeniz ch be",
        (2600968.668, 1197426.954, 2600968.668, 1197426.954),
        "1272199_0",
        264,
    ),
    Location(
        "address",
        "Bundesplatz 3 <b>3011 Bern</b>",
        "bundesplatz 3 3011 bern 351 bern ch be",
        (2600423.2569999993, 1199521.109000001, 2600423.2569999993, 1199521.109000001),
        "2242547_0",
        3,
    ),
    Location("zipcode", "<b>3084 - Wabern</b>", "3084 wabern", (2599700, 1195900, 2603100, 1198400), "3084"),
    Location("zipcode", "<b>3011 - Bern</b>", "3011 bern", (2599500, 1199000, 2601500, 1200100), "3011"),
    Location("gg25", "<b>Bern (BE)</b>", "bern be", (2589000, 1196300, 2607600, 1204700), "351"),
    Location("gg25", "<b>Köniz (BE)</b>", "koeniz be", (2592000, 1190400, 2603200, 1200600), "355"),
    Location("gg25", "<b>Moudon (VD)</b>", "moudon vd", (2547900, 1166300, 2554000, 1171900), "5678"),
    Location(
        "district", "<b>Bern-Mittelland</b>", "bern mittelland", (2579000, 1175000, 2625000, 1220000), "246"
    ),
    Location("kantone", "<b>Bern</b>", "bern be", (2556000, 1130000, 2677000, 1245000), "2"),
    Location("kantone", "<b>Solothurn</b>", "solothurn so", (2590983, 1212806, 2646267, 1262755), "11"),
    Location(
        "gazetteer",
        "<i>Ort</i> <b>Wabern</b> (BE) - Köniz",
        "wabern koeniz be",
        (2600700, 1197000, 2601500, 1197700),
    ),
    Location(
        "parcel",
        "<b>Moudon</b> 1260 (CH 9745 9088 8353)",
        "1260 moudon 5678 ch974590888353",
        (2551183.522999998, 1167969.4200000018, 2551736.6559999995, 1168560.9329999983),
        num=1260,
    ),
)
"""A few entries outside of the canton."""


def locations() -> Iterator[Location]:
    """The federal search, which knows the canton as well."""
    data = canton()
    municipalities = {row.bfs_number: row for row in data.municipalities}
    for row in data.municipalities:
        if box := box_of(row):
            name = row.name.removesuffix(" (SO)")
            yield Location("gg25", f"<b>{name} (SO)</b>", f"{fold(name)} so", box, str(row.bfs_number))
    for place in data.localities:
        point = (place.east, place.north, place.east, place.north)
        around = municipalities[place.bfs_number].name
        code = place.postal_code
        yield Location("zipcode", f"<b>{code} - {place.name}</b>", f"{code} {fold(place.name)}", point, code)
        label = f"<i>Ort</i> <b>{place.name}</b> (SO) - {around}"
        yield Location("gazetteer", label, f"{fold(place.name)} {fold(around)} so", point)
    for name, box in district_boxes():
        yield Location("district", f"<b>{name}</b>", fold(name), box, str(number_id(name)))
    for address in addresses():
        where = f"{address.postal_code} {address.locality}"
        around = f"{address.bfs_number} {fold(municipalities[address.bfs_number].name)} ch so"
        line = f"{address.street} {address.house_number or ''}".strip()
        digits = "".join(c for c in address.house_number or "" if c.isdecimal())
        yield Location(
            "address",
            f"{line} <b>{where}</b>",
            f"{fold(line)} {fold(where)} {around}",
            (address.east, address.north, address.east, address.north),
            f"{number_id(address.id)}_0",
            int(digits or 0),
        )
    for parcel in data.parcels:
        spaced = " ".join(parcel.egrid[at : at + 4] for at in range(2, 14, 4))
        yield Location(
            "parcel",
            f"<b>{parcel.municipality}</b> {parcel.number} (CH {spaced})",
            f"{parcel.number} {fold(parcel.municipality)} {parcel.bfs_number} {parcel.egrid.lower()}",
            extent_of(polygons_of(parcel.geometry)),
            num=number_id(parcel.number),
        )
    yield from ELSEWHERE
