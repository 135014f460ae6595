"""The arguments of the tools. Descriptions and examples are read by planners."""

import re
from typing import Annotated, Any, Self

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


def _as_text(value: Any) -> Any:
    """Parcel numbers come as JSON numbers too."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _as_egrid(value: Any) -> Any:
    """`ch 9745 9088 8353`, as printed on paper, becomes `CH974590888353`."""
    return re.sub(r"\s+", "", value).upper() if isinstance(value, str) else value


Query = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Egrid = Annotated[str, Field(pattern=r"^CH[0-9]{12}$"), BeforeValidator(_as_egrid)]
ParcelNumber = Annotated[
    str,
    BeforeValidator(_as_text),
    StringConstraints(strip_whitespace=True, min_length=1, max_length=20),
]
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


class ParcelByNumberArgs(Arguments):
    number: ParcelNumber = Field(description="Number of the parcel in the land register, without any prefix.")
    municipality: Query = Field(
        description="Municipality, or land register (Grundbuch), that the parcel belongs to."
    )


class ParcelByEgridArgs(Arguments):
    egrid: Egrid = Field(description="Federal parcel identifier: CH followed by 12 digits.")


class ParcelByXyArgs(Arguments):
    x: East = Field(description="East coordinate in metres, LV95 (EPSG:2056).")
    y: North = Field(description="North coordinate in metres, LV95 (EPSG:2056).")


class HeightArgs(Arguments):
    x: East = Field(description="East coordinate in metres, LV95 (EPSG:2056).")
    y: North = Field(description="North coordinate in metres, LV95 (EPSG:2056).")


class GeothermalArgs(Arguments):
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
