"""The arguments of the tools. Descriptions and examples are read by planners."""

from typing import Annotated

from contracts.items import Egrid
from pydantic import BaseModel, ConfigDict, Field
from swissgeo.lv95 import MAX_EAST, MAX_NORTH, MIN_EAST, MIN_NORTH

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
