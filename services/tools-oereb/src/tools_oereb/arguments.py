"""The arguments of the tools. Descriptions and examples are read by planners."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from swissgeo.lv95 import MAX_EAST, MAX_NORTH, MIN_EAST, MIN_NORTH


def _as_egrid(value: Any) -> Any:
    """`ch 9745 9088 8353`, as printed on paper, becomes `CH974590888353`."""
    return re.sub(r"\s+", "", value).upper() if isinstance(value, str) else value


Egrid = Annotated[str, Field(pattern=r"^CH[0-9]{12}$"), BeforeValidator(_as_egrid)]
East = Annotated[float, Field(ge=MIN_EAST, le=MAX_EAST)]
North = Annotated[float, Field(ge=MIN_NORTH, le=MAX_NORTH)]


class Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class EgridByXyArgs(Arguments):
    x: East = Field(description="East coordinate in metres, LV95 (EPSG:2056).")
    y: North = Field(description="North coordinate in metres, LV95 (EPSG:2056).")


class ExtractByIdArgs(Arguments):
    egrid: Egrid = Field(description="Federal parcel identifier: CH followed by 12 digits.")
    question: str | None = Field(
        None,
        description=(
            "What the user asks about the parcel, in the user's own words, e.g. which zone it is in, whether "
            "it is burdened, which laws apply, what is planned. Leave it out if only the extract is wanted."
        ),
        examples=["In welcher Zone liegt das Grundstück?"],
    )
