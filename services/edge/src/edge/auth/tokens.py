"""Small facts that travel with a client, signed: nobody else can make or change them. They are not secret."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from time import time

MAX_TOKEN_CHARS = 8_192
"""More than any provider puts into a token, and than a server takes as a header."""


class Signer:
    """Signs for one purpose: what it has signed is worth nothing to another one."""

    def __init__(self, key: bytes, clock: Callable[[], float] = time) -> None:
        self._key = key
        self._clock = clock

    def sign(self, facts: Mapping[str, str], ttl_s: float) -> tuple[str, int]:
        """A token, and the Unix time in seconds until which it counts."""
        expires_at = int(self._clock() + ttl_s)
        document = json.dumps({**facts, "exp": expires_at}, separators=(",", ":"))
        payload = _encoded(document.encode())
        return f"{payload}.{self._signature(payload)}", expires_at

    def read(self, token: str) -> tuple[dict[str, str], float] | None:
        """The facts and the seconds that are left; None for what has expired or was not signed here."""
        payload, _, signature = token.partition(".")
        if len(token) > MAX_TOKEN_CHARS or not token.isascii():
            return None
        if not hmac.compare_digest(signature, self._signature(payload)):
            return None
        facts = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        left_s = facts.pop("exp") - self._clock()
        return (facts, left_s) if left_s > 0 else None

    def _signature(self, payload: str) -> str:
        return _encoded(hmac.digest(self._key, payload.encode(), hashlib.sha256))


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
