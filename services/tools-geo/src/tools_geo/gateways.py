"""What the tools need from a source of geodata, whichever it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

from contracts.items import (
    Address,
    CadastralPlan,
    Coord,
    Extent,
    Feature,
    GeothermalAssessment,
    Height,
    ItemBase,
    Layer,
    LayerGroup,
    Municipality,
    Parcel,
    Place,
    Provenance,
)

T = TypeVar("T", covariant=True)
Item = TypeVar("Item", bound=ItemBase)


class Remark(StrEnum):
    """What a user should know about the hits, or about why there are none. Each is a key in `texts`."""

    NUMBER_UNKNOWN = "remark_number_unknown"
    """The street exists, the house number does not: the hits are the other addresses of the street."""
    NUMBER_NOT_SHOWN = "remark_number_not_shown"
    """As before, but the source has not sent all addresses of the street: the number may exist."""
    STREET_MISSING = "remark_street_missing"
    """The query names a locality only."""
    POSITION_APPROXIMATE = "remark_position_approximate"
    POSITION_UNKNOWN = "remark_position_unknown"
    MUNICIPALITY_UNKNOWN = "remark_municipality_unknown"
    HEIGHT_OUTSIDE = "remark_height_outside"
    """The height model ends at the border."""
    BEYOND_SAMPLE = "remark_beyond_sample"
    """The packaged data end before the coordinate."""
    PARCEL_UNKNOWN = "parcel_egrid_none"
    NO_OUTLINE = "remark_no_outline"
    NO_AREA = "remark_no_area"
    """An outline without width or height cannot be drawn."""
    BEYOND_UNAVAILABLE = "remark_beyond_unavailable"
    """The canton has nothing, and the search outside of it is down."""
    SAMPLE_DATA = "remark_sample_data"
    """The source holds a part of reality only."""
    MORE_LAYERS = "remark_more_layers"
    """There are more layers than those that are offered."""
    LAYER_NOT_LOADABLE = "remark_layer_not_loadable"
    """The layer exists, but no map service that we know of has it."""
    KNOWN_ELSEWHERE = "remark_known_elsewhere"
    """Nobody here knows the topic, but somebody else does."""
    NO_FEATURES = "remark_no_features"
    """The layer exists, its `title` is known, but this source has pictures of it only."""
    NO_DISTRICTS = "remark_no_districts"
    """This source does not know which district features are in."""
    SEVERAL_LAYERS = "remark_several_layers"
    """The words mean several layers with features, their `titles`."""


@dataclass(frozen=True)
class Found(Generic[T]):
    """Hits, best first. No hits is a normal answer, not an error."""

    items: tuple[T, ...] = ()
    remark: Remark | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    """What the remark talks about, e.g. `number` and `street`."""
    is_all: bool = True
    """False when there may be more, be it that the source has not sent all or that not all are offered."""
    nearest: str = ""
    """Without hits: what exists and has the most similar name."""
    second_nearest: str = ""
    confirm: bool = False
    """The one hit is only near to what was asked for."""

    def first(self, limit: int) -> "Found[T]":
        """What can be read; the rest is known to be there."""
        return replace(self, items=self.items[:limit], is_all=self.is_all and len(self.items) <= limit)


def either(found: Sequence[Found[Item]]) -> Found[Item]:
    """The hits of questions of which one was meant, each once and as likely as the others.

    What is said of one of them alone is left out.
    """
    items: list[Item] = []
    for each in found:
        items += [item for item in each.items if item not in items]
    return Found(tuple(item.model_copy(update={"confidence": 1 / len(items)}) for item in items))


class AddressGateway(Protocol):
    async def addresses(self, query: str) -> Found[Address]:
        """Addresses that match; all of a street when no house number is given."""

    async def near(self, point: Coord, within_m: float) -> Found[Address]:
        """The address that is nearest to a point, if there is one within so many metres."""


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


class HeightGateway(Protocol):
    async def height(self, east: float, north: float) -> Found[Height]:
        """The height above sea level at a point (LV95, metres); nothing outside of what the source covers."""


class GeothermalGateway(Protocol):
    async def assessment(self, east: float, north: float) -> Found[GeothermalAssessment]:
        """Whether, and how deep, a geothermal probe may be drilled at a point (LV95, metres)."""


@dataclass(frozen=True)
class PlanSubject:
    """What a cadastral plan is of."""

    geometry: dict[str, Any]
    """GeoJSON in LV95; a Polygon or MultiPolygon can be drawn."""
    parcel: Parcel | None = None
    """None for an outline that is no known parcel."""


class PlanGateway(Protocol):
    async def plan(self, subject: PlanSubject) -> Found[CadastralPlan]:
        """The plan as PDF, which is kept for a while."""


@dataclass(frozen=True)
class Area:
    """Where features are looked for. Without `municipality`, `district` and `geometry`: everywhere."""

    label: str = ""
    """As users read it, in the language of the answer: `in Olten`; empty for everywhere."""
    municipality: str = ""
    """By its official name: `Büren (SO)`."""
    district: str = ""
    """By its name alone, folded: `thal`."""
    geometry: dict[str, Any] | None = None
    """GeoJSON in LV95; a point, or something that has an area."""
    radius_m: float = 0.0
    """What is not farther from the geometry belongs to it."""
    extent: Extent | None = None
    """What contains all of it, with the radius; of a municipality as far as it is known."""
    centre: Coord | None = None
    """What distances are measured from."""


@dataclass(frozen=True)
class LayerFeatures:
    """What a layer has in an area."""

    layer: str
    """Its id."""
    label: str
    features: tuple[Feature, ...]
    provenance: Provenance
    is_all: bool = True
    """False when there are more than were sent."""
    things: str = ""
    """What its features are called, several of them, in the language of the answer; empty: as the layer."""
    matched: int | None = None
    """How many there are, where the source has said so although it has not sent all."""


@dataclass(frozen=True)
class FeaturesAt:
    """What some layers have at a point; of the others nothing is there."""

    features: tuple[Feature, ...] = ()
    """Of one layer together, in the order of the layers."""
    silent: tuple[str, ...] = ()
    """Ids of layers of which the source can say nothing."""
    failed: tuple[str, ...] = ()
    """Ids of layers that the source should have answered for and has not."""
    sample: bool = False
    """Whether what it knows is invented, also where it has nothing."""


class FeatureGateway(Protocol):
    async def at(self, point: Coord, layers: Sequence[str], tolerance_m: float) -> FeaturesAt:
        """What the layers with these ids have at a point or so near to it. Never raises a `SourceError`."""

    async def within(self, layer: str, area: Area) -> Found[LayerFeatures]:
        """All features of one layer that touch an area; the layer is named by id, title or other words.

        One item, also when it has no features there. No item where no one layer is meant: the remark is
        `NO_FEATURES` or `SEVERAL_LAYERS`, or none for words that mean nothing here.
        """

    def names(self) -> tuple[str, ...]:
        """Titles of the layers that can be asked for their features, those that people ask for most first."""


@dataclass(frozen=True)
class Gateways:
    """One adapter for each kind of question."""

    addresses: AddressGateway
    places: PlaceGateway
    layers: LayerGateway
    parcels: ParcelGateway
    heights: HeightGateway
    geothermal: GeothermalGateway
    plans: PlanGateway
    features: FeatureGateway
