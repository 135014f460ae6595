"""The arguments of the tools. Descriptions and examples are read by planners."""

from typing import Annotated, Any, Self

from contracts.items import Egrid
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)
from swissgeo.lv95 import MAX_EAST, MAX_NORTH, MIN_EAST, MIN_NORTH, is_lv95
from swissgeo.outlines import extent_of, polygons_of

from tools_geo.features.query import Function, Operator


def _as_text(value: Any) -> Any:
    """Parcel numbers come as JSON numbers too."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Query = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
ParcelNumber = Annotated[
    str,
    BeforeValidator(_as_text),
    StringConstraints(strip_whitespace=True, min_length=1, max_length=20),
]
Word = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
LayerId = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
East = Annotated[float, Field(ge=MIN_EAST, le=MAX_EAST)]
North = Annotated[float, Field(ge=MIN_NORTH, le=MAX_NORTH)]


def _as_outline(value: dict[str, Any]) -> dict[str, Any]:
    """Only what can be drawn, in LV95."""
    try:
        west, south, east, north = extent_of(polygons_of(value))
    except (TypeError, ValueError, IndexError, AttributeError, KeyError) as error:
        raise ValueError("must be a GeoJSON Polygon or MultiPolygon") from error
    if not (is_lv95((west, south)) and is_lv95((east, north))):
        raise ValueError("must be in LV95 (EPSG:2056)")
    return value


def _as_extent(value: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    west, south, east, north = value
    if not (is_lv95((west, south)) and is_lv95((east, north)) and west <= east and south <= north):
        raise ValueError("must be west, south, east, north in LV95 (EPSG:2056)")
    return value


def _inside(value: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """A map goes on beyond the border of the country."""
    west, south, east, north = value
    return max(west, MIN_EAST), max(south, MIN_NORTH), min(east, MAX_EAST), min(north, MAX_NORTH)


Extent = Annotated[tuple[float, float, float, float], AfterValidator(_inside), AfterValidator(_as_extent)]
Outline = Annotated[dict[str, Any], AfterValidator(_as_outline)]


class Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class GeocodeArgs(Arguments):
    q: Query = Field(
        description="Street with house number and locality, without any verbs; the postal code is optional."
    )


class MunicipalityArgs(Arguments):
    q: Query = Field(description="Name of a municipality, or its postal code.")


class PlaceArgs(Arguments):
    q: Query = Field(
        description="Name of a locality, a village, a former municipality or a field, or a postal code; "
        "or a coordinate in LV95: east, north in metres."
    )


class LayerArgs(Arguments):
    query: Query = Field(
        description="Topic of the map layer in German, without words such as Karte, Layer or Ebene."
    )
    among: tuple[Query, ...] = Field(
        default=(),
        max_length=5,
        description="Titles of layers, where it is not clear which of them is meant: the user chooses.",
    )


class ParcelByNumberArgs(Arguments):
    number: ParcelNumber = Field(description="Number of the parcel in the land register, without any prefix.")
    municipality: Query = Field(
        description="Municipality, or land register (Grundbuch), that the parcel belongs to."
    )


class ParcelByEgridArgs(Arguments):
    egrid: Egrid = Field(description="Federal parcel identifier: CH followed by 12 digits.")


class PointArgs(Arguments):
    x: East = Field(description="East coordinate in metres, LV95 (EPSG:2056).")
    y: North = Field(description="North coordinate in metres, LV95 (EPSG:2056).")


class PlanArgs(Arguments):
    """One of the two is enough; a parcel brings both."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["egrid"]}, {"required": ["geometry"]}]}
    )

    egrid: Egrid | None = Field(
        None, description="Federal identifier of the parcel: CH followed by 12 digits."
    )
    geometry: Outline | None = Field(
        None,
        description="Outline to draw instead of a parcel: GeoJSON Polygon or MultiPolygon, LV95 (EPSG:2056).",
    )

    @model_validator(mode="after")
    def _needs_one(self) -> Self:
        if self.egrid is None and self.geometry is None:
            raise ValueError("needs an EGRID or a geometry")
        return self


class IdentifyArgs(PointArgs):
    layers: tuple[LayerId, ...] = Field(
        (), max_length=50, description="Ids of the layers to ask what they have there: those that are loaded."
    )
    tolerance: float = Field(
        5.0,
        ge=0,
        le=1_000,
        description="How far from the point, in metres, a feature may be.",
        examples=[5],
    )
    place: bool = Field(
        True,
        description="Whether to tell address, parcel and height, too; false: only what the layers have.",
        examples=[True],
    )


class WhereArgs(Arguments):
    attribute: Word = Field(
        description="Name of an attribute as its user has said it, or `area` or `length`."
    )
    operator: Operator = Field(description="How the attribute compares with the value.")
    value: Word | float = Field(
        description="A number, with its unit if one was said (`1000 m²`, `2 ha`), a date, a year or words."
    )


class FeatureQueryArgs(Arguments):
    """Where to look is said in one of several ways; of several the first counts."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["municipality"]},
                {"required": ["extent"]},
                {"required": ["egrid"]},
                {"required": ["x", "y"]},
                {"required": ["everywhere"]},
            ]
        }
    )

    layer: Query = Field(description="What is looked for, or the layer that has it, as its user has said it.")
    where: tuple[WhereArgs, ...] = Field(
        (),
        max_length=8,
        description="Conditions on attributes; all of them have to hold.",
        examples=[[{"attribute": "area", "operator": ">", "value": "1000 m²"}]],
    )
    municipality: Query | None = Field(
        None, description="Name of the municipality to look in, or of the district: `Bezirk Thal`."
    )
    extent: Extent | None = Field(
        None, description="Visible part of the map to look in: west, south, east, north, LV95 (EPSG:2056)."
    )
    egrid: Egrid | None = Field(None, description="Federal identifier of the parcel to look on.")
    x: East | None = Field(None, description="East coordinate to look around, in metres, LV95 (EPSG:2056).")
    y: North | None = Field(None, description="North coordinate to look around, in metres, LV95 (EPSG:2056).")
    radius: float | None = Field(
        None,
        gt=0,
        le=50_000,
        description="How far around the point or the parcel to look, in metres.",
        examples=[500],
    )
    everywhere: bool = Field(
        False,
        description="True to look in the whole canton; x and y are what distances are measured from.",
        examples=[True],
    )
    order: Word | None = Field(
        None,
        description="Attribute to order by, or `area`, `length` or `distance`; with `-` in front the largest "
        "first.",
        examples=["-area"],
    )
    limit: int = Field(
        20, ge=1, le=100, description="How many of the features to tell; all are counted.", examples=[1]
    )
    function: Function | None = Field(None, description="The one number that is asked for.", examples=["sum"])
    attribute: Word | None = Field(
        None,
        description="Attribute that the function is about, or `area` or `length`; not with `count`.",
        examples=["area"],
    )

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        is_point = self.x is not None and self.y is not None
        if not (self.municipality or self.extent or self.egrid or is_point or self.everywhere):
            raise ValueError("needs a municipality, an extent, an EGRID, a point, or everywhere")
        return self


class DistanceArgs(Arguments):
    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["start"]}, {"required": ["x", "y"]}]}
    )

    end: Query = Field(
        description="Where to: an address, a place, a municipality or a coordinate in LV95, as it was said."
    )
    start: Query | None = Field(None, description="Where from, as the end; or else x and y.")
    x: East | None = Field(None, description="East coordinate to start at, in metres, LV95 (EPSG:2056).")
    y: North | None = Field(None, description="North coordinate to start at, in metres, LV95 (EPSG:2056).")

    @model_validator(mode="after")
    def _has_a_start(self) -> Self:
        if self.start is None and (self.x is None or self.y is None):
            raise ValueError("needs a start, or x and y")
        return self
