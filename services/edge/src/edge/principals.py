"""Who asks. The edge alone knows principals; behind it there is an opaque owner."""

from dataclasses import dataclass
from typing import Any, Literal

from contracts import owners
from starlette.types import Scope

SCOPE_KEY = "ask.principal"


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody with sessions of their own."""

    owner: str
    """What the bus and the stores know of them."""
    kind: Literal["local", "anonymous", "key", "user"]
    scopes: frozenset[str] = frozenset()
    name: str | None = None
    """What people call them, where there is a name."""


LOCAL = Principal(owners.LOCAL, "local", frozenset({"chat", "tools", "metrics"}))
"""Everybody, where nobody has to say who they are."""


def principal_of(scope: Scope) -> Principal:
    """Who sent the request being answered."""
    found: Any = scope.get(SCOPE_KEY, LOCAL)
    assert isinstance(found, Principal)
    return found
