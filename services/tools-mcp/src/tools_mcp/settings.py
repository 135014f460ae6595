"""The settings of this service."""

import re
from typing import Annotated

from pydantic import Field, HttpUrl, TypeAdapter, field_validator
from pydantic_settings import NoDecode
from servicekit.settings import ServiceSettings

_NAME = re.compile(r"[a-z][a-z0-9-]{0,19}")
_URL: TypeAdapter[HttpUrl] = TypeAdapter(HttpUrl)


class Settings(ServiceSettings):
    mcp_servers: Annotated[dict[str, str], NoDecode] = {}
    """`name=url`, comma separated, streamable HTTP. None: whose tools are offered here is for somebody to
    decide. A name has at most 20 small letters, digits and hyphens, and becomes part of the capabilities."""
    mcp_refresh_s: Annotated[float, Field(gt=0)] = 10.0
    """As often as tools are announced: a tool that its server no longer has is gone as soon as any other."""
    mcp_connect_timeout_s: Annotated[float, Field(gt=0)] = 3.0
    """For the connection, the first exchange, and each look at the list."""
    mcp_call_timeout_s: Annotated[float, Field(gt=0)] = 20.0
    """Leaves a turn time to say that it was too slow."""
    mcp_max_tools: Annotated[int, Field(ge=1)] = 50
    """Of each server; every tool makes the prompt of a planner with a model longer."""
    mcp_max_result_chars: Annotated[int, Field(ge=100)] = 20_000
    """Several pages of text; more helps nobody who reads it in a chat."""
    mcp_max_body_bytes: Annotated[int, Field(ge=1)] = 2_000_000
    """Of an answer; pictures that nobody will see may be in it."""

    @field_validator("mcp_servers", mode="before")
    @classmethod
    def _pairs(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        servers: dict[str, str] = {}
        for pair in filter(None, map(str.strip, value.split(","))):
            name, _, url = pair.partition("=")
            if not _NAME.fullmatch(name) or name in servers:
                raise ValueError(f"no name for a server, or twice the same: {name!r}")
            servers[name] = str(_URL.validate_python(url))
        return servers
