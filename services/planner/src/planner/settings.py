"""The planner's settings, read from the environment (names in upper case, e.g. `OPENAI_MODEL`)."""

from typing import Annotated

from pydantic import Field
from servicekit.settings import OpenAiSettings, ServiceSettings


class Settings(ServiceSettings, OpenAiSettings):
    plan_model: str | None = None
    """`OPENAI_MODEL`, which also judges and answers, unless another one is named to plan."""
    openai_temperature: Annotated[float | None, Field(ge=0, le=2)] = None
    """Not sent: reasoning models accept only their own default."""
    openai_history_entries: Annotated[int, Field(ge=0)] = 10
    """Follow-ups refer to the last few turns; more costs tokens and distracts."""
    openai_history_entry_chars: Annotated[int, Field(ge=40)] = 600
    """A sentence or two a side; long answers are cut."""
    openai_further_tools: Annotated[int, Field(ge=0)] = 40
    """Besides all tools that the intents here call: of those of others, the nearest to the message."""
    fallback_to_rules: bool = True
    """While the endpoint is unreachable the rules plan, which is better than an apology."""
