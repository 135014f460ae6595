"""What the edge tells those who ask about who they are."""

from datetime import datetime
from typing import Literal

from contracts.base import Contract


class Me(Contract):
    """The answer of `GET /api/me`."""

    auth: tuple[str, ...]
    """The kinds of credentials that there are here."""
    kind: Literal["local", "anonymous", "key", "user"] | None
    """What the credentials of the request stand for; None for nobody."""
    name: str | None
    sign_in: str | None
    """Where a browser signs in."""
    sign_out: str | None


class IssuedToken(Contract):
    """The answer of `POST /api/session`."""

    token: str
    """For `Authorization: Bearer`."""
    expires_at: datetime
