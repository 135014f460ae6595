"""How far it is between two places, as the crow flies."""

import asyncio
import math
from collections.abc import Sequence
from datetime import UTC, datetime

from contracts.items import Address, Coord, Distance, ItemBase, Municipality, Place, Provenance
from contracts.markdown import line

from tools_geo.asking import AskBack
from tools_geo.coordinates import coordinate_of, place_at
from tools_geo.gateways import Found, Gateways, Remark
from tools_geo.texts import text

_MAX_CANDIDATES = 5
_MAX_NAME_CHARS = 80

End = Address | Municipality | Place


async def distance(gateways: Gateways, start: str | Coord, end: str) -> Distance:
    """Between two places that are named, or from a point. Raises `AskBack` for a name that is not clear."""
    ends = [_end(gateways, start) if isinstance(start, str) else _at(start), _end(gateways, end)]
    first, last = await asyncio.gather(*ends)
    return _between(first, _point(first), last, _point(last))


async def _at(point: Coord) -> End:
    return place_at(point)


async def _end(gateways: Gateways, name: str) -> End:
    """The one thing of exactly this name: a coordinate, else an address, else a municipality or place."""
    if point := coordinate_of(name):
        return place_at(point)
    addresses = await gateways.addresses.addresses(name)
    if numbered := _sure(addresses):
        return _only(name, numbered)
    municipalities, places = await asyncio.gather(
        gateways.places.municipalities(name), gateways.places.places(name)
    )
    for found in (municipalities, places):
        if sure := _sure(found):
            return _only(name, sure)
    raise AskBack(_unknown(name, (addresses, municipalities, places)))


def _sure(found: Found[Address] | Found[Municipality | Place] | Found[Place]) -> list[End]:
    """What has the very name that was asked for."""
    if found.remark in (Remark.NUMBER_UNKNOWN, Remark.NUMBER_NOT_SHOWN) or found.confirm:
        return []
    exact = (i for i in found.items if i.provenance is not None and i.provenance.match == "exact")
    return list(exact)


def _only(name: str, items: Sequence[End]) -> End:
    if len(items) > 1:
        labels = dict.fromkeys(item.label for item in items)
        raise AskBack(text("place_which", name=_named(name), names="; ".join([*labels][:_MAX_CANDIDATES])))
    return items[0]


def _unknown(name: str, found: Sequence[Found[Address] | Found[Municipality | Place] | Found[Place]]) -> str:
    """With what resembles it, if something does."""
    nearest = [each.items[0].label for each in found if each.items]
    nearest += [each.nearest for each in found if each.nearest]
    unknown = text("place_unknown", name=_named(name))
    return f"{unknown} {text('nearest', name=nearest[0])}" if nearest else unknown


def _point(item: End) -> Coord:
    """Of something without a point the middle of its extent."""
    if item.coord is not None:
        return item.coord
    if item.extent is None:
        raise AskBack(text(Remark.POSITION_UNKNOWN, name=item.label))
    west, south, east, north = item.extent
    return (west + east) / 2, (south + north) / 2


def _between(first: End, start: Coord, last: End, end: Coord) -> Distance:
    easts, norths = sorted((start[0], end[0])), sorted((start[1], end[1]))
    return Distance(
        id="-".join(f"{value:.10g}" for value in (*start, *end)),
        label=f"{first.label} – {last.label}",
        extent=(easts[0], norths[0], easts[1], norths[1]),
        geometry={"type": "LineString", "coordinates": [list(start), list(end)]},
        metres=round(math.dist(start, end), 1),
        start=first.label,
        end=last.label,
        provenance=_provenance(first, last),
    )


def _provenance(first: ItemBase, last: ItemBase) -> Provenance:
    """Arithmetic with what the sources of both ends say."""
    both = [item.provenance for item in (first, last) if item.provenance is not None]
    return Provenance(
        source=" · ".join(dict.fromkeys(each.source for each in both)),
        license=both[0].license if both else text("license_none"),
        retrieved_at=min((each.retrieved_at for each in both), default=datetime.now(UTC)),
        stale=any(each.stale for each in both),
        sample=any(each.sample for each in both),
    )


def _named(name: str) -> str:
    return line(name, _MAX_NAME_CHARS)
