"""What is known of a point: its address, parcel and height, and what layers have there."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from contracts.items import Address, Coord, Height, Parcel
from servicekit.errors import SourceError

from tools_geo.gateways import FeaturesAt, Found, Gateways

_NEAR_M = 50.0
"""An address farther away is not that of the point."""

T = TypeVar("T")


@dataclass(frozen=True)
class Identified:
    addresses: tuple[Address, ...] = ()
    parcels: tuple[Parcel, ...] = ()
    heights: tuple[Height, ...] = ()
    at: FeaturesAt = field(default_factory=FeaturesAt)
    failures: tuple[SourceError, ...] = ()
    """Of the sources of the place."""


async def identify(
    gateways: Gateways, point: Coord, layers: Sequence[str], tolerance_m: float, *, place: bool
) -> Identified:
    """All sources at once; one that fails is named and takes no other with it."""
    at = gateways.features.at(point, layers, tolerance_m) if layers else _nothing()
    if not place:
        return Identified(at=await at)
    addresses, parcels, heights, there = await asyncio.gather(
        _tried(gateways.addresses.near(point, _NEAR_M)),
        _tried(gateways.parcels.by_xy(*point)),
        _tried(gateways.heights.height(*point)),
        at,
    )
    failures = tuple(each for each in (addresses, parcels, heights) if isinstance(each, SourceError))
    return Identified(_items(addresses)[:1], _items(parcels), _items(heights), there, failures)


async def _nothing() -> FeaturesAt:
    return FeaturesAt()


async def _tried(asked: Awaitable[Found[T]]) -> Found[T] | SourceError:
    try:
        return await asked
    except SourceError as error:
        return error


def _items(found: Found[T] | SourceError) -> tuple[T, ...]:
    return () if isinstance(found, SourceError) else found.items
