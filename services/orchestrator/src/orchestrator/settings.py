"""The settings of the orchestrator."""

from typing import Annotated

from pydantic import Field
from servicekit.settings import ServiceSettings


class Settings(ServiceSettings):
    choice_ttl_s: Annotated[float, Field(gt=0)] = 900.0
    """A quarter of an hour: long enough for a phone call, short enough that nobody is surprised."""
    # Whenever it runs out, the message of the turn is delivered once more, and there are only `max_deliver`.
    check_timeout_s: Annotated[float, Field(ge=3)] = 12.0
    """A slow judgement fits in, and half of the turn is left for the answer."""
    max_concurrency: Annotated[int, Field(ge=1)] = 256
    """Transitions are short and mostly wait for Redis and JetStream."""
    redis_timeout_s: Annotated[float, Field(gt=0)] = 2.0
    """A lost answer is tried again by redelivery; better soon."""
