"""The keys of the edge: all from one secret, each for one thing."""

import hmac
from typing import Literal

from edge.auth.settings import AuthSettings

Label = Literal["sessions", "owners", "anonymous", "sign-in", "oidc-state", "mcp-state"]

_NOBODY_ASKED = b"ask.sogis: with AUTH=none there is nobody to keep anything from"
"""The same in all replicas, which may share a Redis."""


class Derivation:
    """Keys of 32 bytes; from one of them nobody learns another one, or the secret."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def key(self, label: Label) -> bytes:
        return hmac.digest(self._secret, b"ask.sogis/1/" + label.encode(), "sha256")


def derivation_of(settings: AuthSettings) -> Derivation:
    secret = settings.edge_secret
    return Derivation(secret.get_secret_value().encode() if secret else _NOBODY_ASKED)


def keyed_digest(key: bytes, *parts: str) -> str:
    """32 hexadecimal digits that only the holder of the key can make of these parts."""
    message = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hmac.digest(key, message, "sha256").hex()[:32]
