"""What the tools need from a source of geodata, whichever it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from contracts.items import Address, Layer, LayerGroup, Municipality, Parcel, Place

T = TypeVar("T", covariant=True)


class Remark(StrEnum):
    """What a user should know about the hits, or about why there are none. Each is a key in `texts`."""

    NUMBER_UNKNOWN = "remark_number_unknown"
    """The street exists, the house number does not: the hits are the other addresses of the street."""
    STREET_MISSING = "remark_street_missing"
    """The query names a locality only."""
    POSITION_APPROXIMATE = "remark_position_approximate"
    POSITION_UNKNOWN = "remark_position_unknown"
    MUNICIPALITY_UNKNOWN = "remark_municipality_unknown"
    SAMPLE_DATA = "remark_sample_data"
    """The source holds a part of reality only."""


@dataclass(frozen=True)
class Found(Generic[T]):
    """Hits, best first. No hits is a normal answer, not an error."""

    items: tuple[T, ...] = ()
    remark: Remark | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    """What the remark talks about, e.g. `number` and `street`."""


class AddressGateway(Protocol):
    async def addresses(self, query: str) -> Found[Address]:
        """Addresses that match; all of a street when no house number is given."""


class PlaceGateway(Protocol):
    async def municipalities(self, query: str) -> Found[Municipality | Place]:
        """Municipalities by name; a name that is only a locality's gives the place."""

    async def places(self, query: str) -> Found[Place]:
        """Localities, former municipalities and other named spots."""


class LayerGateway(Protocol):
    async def layers(self, query: str) -> Found[Layer | LayerGroup]:
        """Map layers and groups of layers by topic."""


class ParcelGateway(Protocol):
    async def by_number(self, number: str, municipality: str) -> Found[Parcel]:
        """Parcels by number; one number can exist in several land registers of a municipality."""

    async def by_egrid(self, egrid: str) -> Found[Parcel]:
        """The parcel with this EGRID (`CH` and 12 digits)."""

    async def by_xy(self, east: float, north: float) -> Found[Parcel]:
        """Everything at a point (LV95, metres): the parcel first, then the rights on it."""


@dataclass(frozen=True)
class Gateways:
    """One adapter for each kind of question."""

    addresses: AddressGateway
    places: PlaceGateway
    layers: LayerGateway
    parcels: ParcelGateway
