"""For whom something is done: set around a tool call, read where something is kept for its owner."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from contracts import owners

_owner: ContextVar[str] = ContextVar("owner", default=owners.LOCAL)


@contextmanager
def working_for(session_id: str) -> Iterator[None]:
    """What runs inside is done for the owner of a session."""
    token = _owner.set(owners.owner_of(session_id))
    try:
        yield
    finally:
        _owner.reset(token)


def owner() -> str:
    """Whose the work is; `local` when nobody has said."""
    return _owner.get()
