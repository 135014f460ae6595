"""What can be set about who may."""

from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode
from servicekit.settings import ServiceSettings

Way = Literal["none", "anonymous", "keys", "oidc"]
Url = Annotated[str, Field(pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$")]


class AuthSettings(BaseSettings):
    """Mixed into the settings of the edge, which alone knows principals."""

    model_config = ServiceSettings.model_config

    auth: Annotated[tuple[Way, ...], NoDecode] = ("none",)
    """Who may ask, comma separated: `anonymous`, `keys`, `oidc`. `none` asks nobody who they are, which goes
    on this machine only."""
    edge_secret: Annotated[SecretStr, Field(min_length=32)] | None = None
    """At least 32 characters, shared by all replicas: cookies, tokens, session ids and what MCP clients carry
    are signed or sealed with keys made of it. Another one ends every session. Not needed with AUTH=none."""
    public_url: Url | None = None
    """Where browsers reach the edge. With https its cookie is sent over TLS only; sign-in returns there."""
    anonymous_ttl_s: Annotated[int, Field(ge=60)] = 172_800
    """A cookie is renewed in use when half of it is over, so it lasts as long as anything of a session is
    kept, which is a day."""
    sign_in_ttl_s: Annotated[int, Field(ge=60)] = 28_800
    """A working day; who is locked out at the provider can go on here no longer than that."""
    api_keys_file: Path | None = None
    """The keys of programs, made by `ask keys`. Read again when it changes."""
    oidc_issuer: Url | None = None
    """The provider, as its tokens name it."""
    oidc_client_id: str | None = None
    """How the provider knows this installation."""
    oidc_client_secret: SecretStr | None = None
    """Public clients have none; the code is bound to the browser by PKCE in any case."""
    oidc_audience: str | None = None
    """For whom tokens must be that programs bring along; OIDC_CLIENT_ID unless given."""
    oidc_scopes: str = "openid profile"
    """`openid` is the sign-in, `profile` has the name that the page shows."""

    @field_validator("auth", mode="before")
    @classmethod
    def _ways(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip()) or ("none",)
        return value

    @field_validator("public_url")
    @classmethod
    def _no_slash_at_the_end(cls, value: str | None) -> str | None:
        return value.rstrip("/") if value else value

    @property
    def asks_nobody(self) -> bool:
        """Whether everybody is the same."""
        return "none" in self.auth


def refusal(settings: AuthSettings, http_host: str) -> str | None:
    """Why an edge must not start with these settings, and what to set instead."""
    if settings.asks_nobody:
        if len(settings.auth) > 1:
            return "AUTH=none goes with nothing else"
        if not is_loopback(http_host):
            return (
                f"HTTP_HOST={http_host} lets others in, and AUTH=none asks nobody who they are: "
                "set AUTH=anonymous (or keys, oidc) and EDGE_SECRET (openssl rand -hex 32)"
            )
        return None
    if settings.edge_secret is None:
        ways = ",".join(settings.auth)
        return f"AUTH={ways} needs EDGE_SECRET (openssl rand -hex 32), the same at all replicas"
    if "keys" in settings.auth and settings.api_keys_file is None:
        return "AUTH=keys needs API_KEYS_FILE"
    if "oidc" in settings.auth:
        wanted = ("oidc_issuer", "oidc_client_id", "public_url")
        missing = [name.upper() for name in wanted if getattr(settings, name) is None]
        if missing:
            return f"AUTH=oidc needs {', '.join(missing)}"
        issuer = urlsplit(settings.oidc_issuer or "")
        if issuer.scheme != "https" and not is_loopback(issuer.hostname or ""):
            return "OIDC_ISSUER must be https"
    return None


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches that address. Other names than localhost may be anywhere."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
