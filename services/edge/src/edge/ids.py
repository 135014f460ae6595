"""Ids of turns and of exchanges."""

import re
import secrets

from contracts import chat

_REQUEST_ID = re.compile(r"req-[0-9a-f]{16}")


def new_request_id(cell: int | None = None) -> str:
    """Unguessable: whoever knows it may read the turn. It begins with the cell that has the turn."""
    return f"req-{secrets.token_hex(8)}" if cell is None else f"req-{cell:02x}{secrets.token_hex(7)}"


def new_session_id() -> str:
    """Of a caller that names none."""
    return f"mcp-{secrets.token_hex(8)}"


def is_request_id(text: str) -> bool:
    """Whether an edge can have made this id. Nothing else becomes part of a subject or a key."""
    return _REQUEST_ID.fullmatch(text) is not None


def turn_of(choice_id: str) -> str | None:
    """The request id of the turn that offered a choice, or None when the choice cannot be one of ours."""
    request_id = chat.turn_of(choice_id)
    return request_id if request_id and is_request_id(request_id) else None


def new_exchange() -> str:
    """One HTTP request that waits."""
    return secrets.token_hex(8)


def new_share_id() -> str:
    """Unguessable, and short enough for a message: whoever knows it may see the map."""
    return secrets.token_urlsafe(12)


def new_edge_id() -> str:
    """One process, for as long as it lives."""
    return secrets.token_hex(8)
