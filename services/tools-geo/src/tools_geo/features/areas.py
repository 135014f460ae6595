"""Where somebody wants features looked for, as an area that a source understands."""

from contracts.items import Coord, Extent, Municipality, Place
from contracts.markdown import line
from german.words import words
from servicekit.errors import SourceError
from swissgeo.outlines import inner_point, polygons_of

from tools_geo.arguments import FeatureQueryArgs
from tools_geo.asking import AskBack
from tools_geo.coordinates import place_at
from tools_geo.features.geojson import extent_of, polygon_of
from tools_geo.gateways import Area, Gateways, Remark
from tools_geo.labels import KINDS_OF_PLACES
from tools_geo.spelling import compact
from tools_geo.texts import text

_MAX_NAME_CHARS = 80
_DISTRICT = "bezirk"
_AROUND_POINT_M = 500.0
_AROUND_PLACE_M = 1_000.0
"""A village is larger than a point."""
_SAME_SPOT_M = 3.0
"""So near to an address, a point is this address."""


async def area_of(args: FeatureQueryArgs, gateways: Gateways) -> Area:
    """Raises `AskBack` for a municipality or parcel that nobody knows."""
    point = (args.x, args.y) if args.x is not None and args.y is not None else None
    if args.municipality is not None:
        return await _municipality(args.municipality, point, args.radius, gateways)
    if args.extent is not None:
        west, south, east, north = args.extent
        middle = (west + east) / 2, (south + north) / 2
        return _around(text("area_extent"), polygon_of(args.extent), 0, point or middle)
    if args.egrid is not None:
        return await _parcel(args.egrid, args.radius or 0, gateways)
    if args.everywhere or point is None:
        return Area(centre=point)
    return await _circle(point, args.radius or _AROUND_POINT_M, gateways)


async def _municipality(name: str, point: Coord | None, radius_m: float | None, gateways: Gateways) -> Area:
    if district := await _district(name, point, gateways):
        return district
    found = await gateways.places.municipalities(name)
    sure = [item for item in found.items if item.provenance is None or item.provenance.match == "exact"]
    items = sure or list(found.items)
    if not items:
        unknown = text(Remark.MUNICIPALITY_UNKNOWN, municipality=line(name, _MAX_NAME_CHARS))
        near = text("nearest", name=found.nearest) if found.nearest else ""
        raise AskBack(f"{unknown} {near}".strip())
    if len(items) > 1:
        raise AskBack(
            text(
                "place_which", name=line(name, _MAX_NAME_CHARS), names="; ".join(item.label for item in items)
            )
        )
    (item,) = items
    if isinstance(item, Municipality):
        label = text("area_in", name=item.name)
        return Area(label, municipality=item.name, extent=item.extent, centre=point or item.coord)
    return _around_place(item, radius_m or _AROUND_PLACE_M)


async def _district(name: str, point: Coord | None, gateways: Gateways) -> Area | None:
    """`Bezirk Thal`; None of what is not said to be a district, or is none."""
    parts = words(name)
    if _DISTRICT not in parts:
        return None
    found = await gateways.places.places(name)
    place = next((each for each in found.items if each.kind == KINDS_OF_PLACES["district"]), None)
    if place is None:
        return None
    key = compact([word for word in words(place.label) if word != _DISTRICT])
    return Area(text("area_in_district", name=place.label), district=key, centre=point)


def _around_place(place: Place, radius_m: float) -> Area:
    if place.coord is None:
        raise AskBack(text(Remark.POSITION_UNKNOWN, name=place.label))
    label = text("area_around", radius=metres(radius_m), name=place.label)
    return _around(label, {"type": "Point", "coordinates": place.coord}, radius_m, place.coord)


async def _parcel(egrid: str, radius_m: float, gateways: Gateways) -> Area:
    found = await gateways.parcels.by_egrid(egrid)
    if not found.items:
        raise AskBack(text("parcel_egrid_none", egrid=egrid))
    parcel = found.items[0]
    if parcel.geometry is None:
        raise AskBack(text(Remark.NO_OUTLINE))
    known = {"number": parcel.number, "municipality": parcel.municipality}
    centre = parcel.coord or inner_point(polygons_of(parcel.geometry))
    if not radius_m:
        return _around(text("area_parcel", **known), parcel.geometry, 0, centre)
    label = text("area_around", radius=metres(radius_m), name=text("example_parcel", **known))
    return _around(label, parcel.geometry, radius_m, centre)


async def _circle(point: Coord, radius_m: float, gateways: Gateways) -> Area:
    try:
        near = (await gateways.addresses.near(point, _SAME_SPOT_M)).items
    except SourceError:
        near = ()
    name = near[0].label if near else place_at(point).label
    label = text("area_around", radius=metres(radius_m), name=name)
    return _around(label, {"type": "Point", "coordinates": point}, radius_m, point)


def _around(label: str, geometry: dict[str, object], radius_m: float, centre: Coord) -> Area:
    return Area(
        label, geometry=geometry, radius_m=radius_m, extent=_widened(geometry, radius_m), centre=centre
    )


def _widened(geometry: dict[str, object], radius_m: float) -> Extent | None:
    inner = extent_of([geometry])
    if inner is None:
        return None
    west, south, east, north = inner
    return west - radius_m, south - radius_m, east + radius_m, north + radius_m


def metres(length_m: float) -> str:
    """`350 m`, `1.4 km`."""
    if length_m < 1_000:
        return f"{length_m:.0f} m"
    return f"{length_m / 1_000:.1f}".removesuffix(".0") + " km"
