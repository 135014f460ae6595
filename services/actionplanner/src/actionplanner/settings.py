"""The settings of the action planner."""

from typing import Annotated

from pydantic import Field
from servicekit.settings import ServiceSettings


class Settings(ServiceSettings):
    """Only what all services have; the templates are pure and need no configuration."""

    max_handling_s: Annotated[float, Field(gt=0)] = 10.0
    """A template takes well under a millisecond and the publishing at most four seconds."""
