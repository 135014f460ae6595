"""What can be set about who may have how much."""

from ipaddress import ip_network
from typing import Annotated

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode
from servicekit.settings import ServiceSettings

from edge.askers import Network

Count = Annotated[int, Field(ge=1)]


class LimitSettings(BaseSettings):
    """Nobody who is local (no accounts, this machine) has limits of their own; all share the process."""

    model_config = ServiceSettings.model_config

    turn_target_s: Annotated[float, Field(gt=0)] = 10.0
    """Turns that take longer mean that too many are at work. Set it above what your model needs alone."""
    turns_at_first: Count = 32
    """So many turns may be at work before it is known how long they take. Even if each of them searches
    documents, two cores end so many in time; with more workers, more."""
    max_streams: Count = 1_000
    """Open streams and listeners of this process. Each costs some 50 KB and a file descriptor."""
    trusted_proxies: Annotated[tuple[Network, ...], NoDecode] = ()
    """Whose X-Forwarded-For counts, comma separated networks; without any, the peer is who asks."""

    session_turns_at_once: Count = 4
    """A person waits for one answer; a few more are tabs and retries."""
    anonymous_turns_at_once: Count = 4
    """One browser."""
    anonymous_turns_per_minute: Count = 20
    """Faster than anybody reads answers."""
    anonymous_streams: Count = 8
    """Some tabs, each with a stream and a listener."""
    anonymous_bytes_per_minute: Count = 4_000_000
    """Twenty turns with long conversations of AG-UI clients."""
    anonymous_tokens_per_day: Count | None = None
    """Tokens of language models. Whoever pays for them decides."""
    anonymous_retention_s: Annotated[int, Field(ge=60)] = 3_600
    """Turns and sessions of people without an account: an afternoon of reading is over sooner."""
    address_turns_at_once: Count = 32
    """People without an account at one address: an office or a school behind one router."""
    address_turns_per_minute: Count = 120
    """The same people: each of thirty asks four times a minute."""
    address_streams: Count = 64
    """The same people with two tabs each."""
    address_bytes_per_minute: Count = 16_000_000
    """The same people; a line of some megabits."""
    account_turns_at_once: Count = 16
    """Programs with a key work in parallel."""
    account_turns_per_minute: Count = 120
    """Two a second, all day."""
    account_streams: Count = 64
    """A program that serves a few dozen people."""
    account_bytes_per_minute: Count = 32_000_000
    """A hundred turns with long conversations."""
    account_tokens_per_day: Count | None = None
    """Tokens of language models for each account. Whoever pays for them decides."""
    shares_per_day: Count = 100
    """Maps that are put behind short links, of each account, each browser and each address."""
    budget_tokens_per_day: Count | None = None
    """Tokens of language models for everybody together; ends at midnight in Zurich."""
    turn_reserve_tokens: Annotated[int, Field(ge=0)] = 8_000
    """So much may a turn that is at work still need: what is spent meanwhile exceeds no quota by more than
    a turn needs beyond this."""

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _networks(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(ip_network(part.strip()) for part in value.split(",") if part.strip())
        return value
