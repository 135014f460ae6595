"""Sessions inside: of what a client calls its session, and of who it is."""

from typing import TypeVar

from contracts import owners
from contracts.base import Contract
from starlette.types import Scope

from edge.auth.derivation import keyed_digest
from edge.principals import principal_of

_Asked = TypeVar("_Asked", bound=Contract)


class Sessions:
    """Names sessions. Two principals that use the same name have two sessions, and nobody can tell from the
    name inside what the client has called it."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def inner(self, scope: Scope, session_id: str) -> str:
        """What the session of a request is called behind the edge."""
        owner = principal_of(scope).owner
        return owners.session_id(owner, keyed_digest(self._key, owner, session_id))

    def own(self, scope: Scope, asked: _Asked) -> _Asked:
        """What was asked, with the session of whoever asks. For models that have a `session_id`."""
        session_id: str = asked.session_id  # type: ignore[attr-defined]
        return asked.model_copy(update={"session_id": self.inner(scope, session_id)})
