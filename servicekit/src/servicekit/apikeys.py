"""API keys: the file that lists them, and how a key is compared with it.

A key is `ask_<id>_<secret>`. The file has the hash of the secret only: who reads it cannot use a key. One
round of SHA-256 is enough, because nobody guesses 256 random bits; slow hashes are for what people make up.
"""

import hashlib
import hmac
import re
import secrets
from datetime import datetime
from typing import Annotated, Literal, get_args

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Scope = Literal["chat", "tools", "metrics"]
"""What a key lets its holder do: converse, call single tools and MCP, read the metrics."""
SCOPES: tuple[Scope, ...] = get_args(Scope)

_KEY = re.compile(r"ask_([0-9a-f]{12})_([0-9a-f]{64})")


class ApiKey(BaseModel):
    """One entry of the file."""

    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True, frozen=True
    )

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{12}$")]
    name: Annotated[str, Field(min_length=1, max_length=64)]
    """Whose it is: keys of one name are one principal, so a renewed key finds what the old one has begun."""
    hash: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
    scopes: tuple[Scope, ...]
    created_at: AwareDatetime
    expires_at: AwareDatetime | None = None
    """None: until it is revoked."""

    def is_valid(self, now: datetime) -> bool:
        return self.expires_at is None or now < self.expires_at


class ApiKeys(BaseModel):
    """The document in API_KEYS_FILE."""

    model_config = ConfigDict(frozen=True)

    keys: tuple[ApiKey, ...] = ()

    def holder(self, credential: str, now: datetime) -> ApiKey | None:
        """The entry that a key belongs to; None for one that is unknown, wrong or expired."""
        parts = _KEY.fullmatch(credential)
        if parts is None:
            return None
        wanted = hashed(parts[2])
        for key in self.keys:
            if key.id == parts[1] and hmac.compare_digest(key.hash, wanted):
                return key if key.is_valid(now) else None
        return None


def hashed(secret: str) -> str:
    """As the file has it."""
    return f"sha256:{hashlib.sha256(secret.encode()).hexdigest()}"


def looks_like_a_key(credential: str) -> bool:
    """What begins like a key is meant as one, also when it is none."""
    return credential.startswith("ask_")


def made(
    name: str, scopes: tuple[Scope, ...], now: datetime, expires_at: datetime | None
) -> tuple[ApiKey, str]:
    """A new entry, and the key itself, which is nowhere else."""
    identifier, secret = secrets.token_hex(6), secrets.token_hex(32)
    entry = ApiKey(
        id=identifier,
        name=name,
        hash=hashed(secret),
        scopes=scopes,
        created_at=now,
        expires_at=expires_at,
    )
    return entry, f"ask_{identifier}_{secret}"
