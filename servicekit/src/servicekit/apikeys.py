"""API keys of programs: how they look, and the file that knows them.

A key is `ask_<id>_<secret>`. The file has only a hash of the secret. That is a plain SHA-256: the secret is
256 random bits, so nobody can guess one to try, and a slow hash would only slow down every request.
"""

import hashlib
import hmac
import re
import secrets
from datetime import datetime
from typing import Annotated, Literal

from contracts.base import Contract
from pydantic import AwareDatetime, Field

Scope = Literal["chat", "tools", "metrics"]
_KEY = re.compile(r"ask_([0-9a-f]{8})_([A-Za-z0-9_-]{43})")


class ApiKey(Contract):
    """One key, without its secret. Keys of the same name are the same principal: so a key can be replaced by
    another one without losing sessions."""

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{8}$")]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    hash: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
    scopes: tuple[Scope, ...]
    created_at: AwareDatetime
    expires_at: AwareDatetime | None = None


class ApiKeys(Contract):
    """The file."""

    keys: tuple[ApiKey, ...] = ()


def new_key(
    name: str, scopes: tuple[Scope, ...], created_at: datetime, expires_at: datetime | None
) -> tuple[ApiKey, str]:
    """What goes into the file, and the key itself, which nobody can see again."""
    key_id, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
    key = ApiKey(
        id=key_id,
        name=name,
        hash=hash_of(secret),
        scopes=scopes,
        created_at=created_at,
        expires_at=expires_at,
    )
    return key, f"ask_{key_id}_{secret}"


def hash_of(secret: str) -> str:
    return f"sha256:{hashlib.sha256(secret.encode()).hexdigest()}"


def is_key(text: str) -> bool:
    """Whether a text looks like a key, whoever has made it."""
    return text.startswith("ask_")


def find(keys: ApiKeys, text: str, now: datetime) -> ApiKey | None:
    """The key that a text is, if it is one that is known and has not expired."""
    parts = _KEY.fullmatch(text)
    if parts is None:
        return None
    for key in keys.keys:
        if key.id == parts[1] and hmac.compare_digest(key.hash, hash_of(parts[2])):
            return key if key.expires_at is None or now < key.expires_at else None
    return None
