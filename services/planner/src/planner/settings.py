"""The planner's settings, read from the environment (names in upper case, e.g. `OPENAI_MODEL`)."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr
from servicekit.settings import ServiceSettings

StructuredOutput = Literal["strict", "json_object", "none"]


class Settings(ServiceSettings):
    openai_api_key: SecretStr | None = None
    """Without a key the rules plan. A local server that wants none takes any word."""
    openai_base_url: str | None = None
    """OpenAI itself, unless another server that speaks its protocol is named."""
    openai_model: str = "gpt-5-mini"
    """Small models plan well enough when the answer's shape is enforced, and they are fast."""
    openai_structured_output: StructuredOutput = "strict"
    """The endpoint enforces the answer's shape; `json_object` or `none` for servers that cannot."""
    openai_token_limit: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    """The name that OpenAI's present models insist on; some older servers only know `max_tokens`."""
    openai_temperature: Annotated[float | None, Field(ge=0, le=2)] = None
    """Not sent: reasoning models accept only their own default."""
    openai_reasoning_effort: Literal["none", "minimal", "low", "medium", "high"] | None = None
    """Not sent: servers without reasoning models may reject it. `minimal` or `low` halves the waiting."""
    openai_max_output_tokens: Annotated[int, Field(ge=256)] = 4_000
    """A plan needs some hundred tokens; the rest is room for reasoning."""
    openai_timeout_s: Annotated[float, Field(gt=0)] = 20.0
    """Longer than a slow plan takes, shorter than a user's patience; the deadline bounds it further."""
    openai_max_retries: Annotated[int, Field(ge=0, le=1)] = 1
    """One retry hides a lost connection; more would multiply with the redelivery of messages."""
    openai_max_retry_pause_s: Annotated[float, Field(ge=0)] = 5.0
    """A user waits: an endpoint that asks for a longer pause counts as unreachable."""
    openai_reserve_s: Annotated[float, Field(ge=0)] = 1.0
    """Left of the message's deadline for the way back."""
    openai_history_entries: Annotated[int, Field(ge=0)] = 10
    """Follow-ups refer to the last few turns; more costs tokens and distracts."""
    openai_history_entry_chars: Annotated[int, Field(ge=40)] = 600
    """A sentence or two a side; long answers are cut."""
    fallback_to_rules: bool = True
    """While the endpoint is unreachable the rules plan, which is better than an apology."""
    log_prompts: bool = False
    """Prompts and answers hold what users write; only switched on to debug with made-up messages."""
