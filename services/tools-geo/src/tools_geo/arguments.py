"""The arguments of the tools. Descriptions and examples are read by planners."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints


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
East = Annotated[float, Field(ge=2_480_000, le=2_840_000)]
North = Annotated[float, Field(ge=1_070_000, le=1_300_000)]


class Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class GeocodeArgs(Arguments):
    q: Query = Field(
        description="Street with house number and locality, without any verbs; the postal code is optional.",
        examples=["Langendorfstrasse 19b, Solothurn"],
    )


class MunicipalityArgs(Arguments):
    q: Query = Field(
        description="Name of a municipality of the canton of Solothurn, or its postal code.",
        examples=["Grenchen"],
    )


class PlaceArgs(Arguments):
    q: Query = Field(
        description="Name of a locality, a village, a former municipality or a field, or a postal code; "
        "or a coordinate in LV95: east, north in metres.",
        examples=["Balm bei Messen", "2607096.6, 1228655.6"],
    )


class LayerArgs(Arguments):
    query: Query = Field(
        description="Topic of the map layer in German, without words such as Karte, Layer or Ebene.",
        examples=["Gewässerschutz"],
    )


class ParcelByNumberArgs(Arguments):
    number: ParcelNumber = Field(
        description="Number of the parcel in the land register, without any prefix.", examples=["168"]
    )
    municipality: Query = Field(
        description="Municipality, or land register (Grundbuch), that the parcel belongs to.",
        examples=["Messen"],
    )


class ParcelByEgridArgs(Arguments):
    egrid: Egrid = Field(
        description="Federal parcel identifier: CH followed by 12 digits.", examples=["CH807306583219"]
    )


class ParcelByXyArgs(Arguments):
    x: East = Field(description="East coordinate in metres, LV95 (EPSG:2056).", examples=[2600513])
    y: North = Field(description="North coordinate in metres, LV95 (EPSG:2056).", examples=[1215519])
