"""Whose a session is. Behind the edge nobody knows who asks: the bus and the stores carry an opaque owner.

Inside, a session id is `<owner>.<digest>`, made by the edge of the owner and of what the client calls its
session. So the sessions of two owners never meet, and whose a turn is can be read from its session id.
"""

LOCAL = "local"
"""The owner of everything where nobody has to say who they are."""


def session_id(owner: str, digest: str) -> str:
    """The id of a session inside. Neither part has a dot of its own."""
    return f"{owner}.{digest}"


def owner_of(session_id: str) -> str:
    """Whose the session is."""
    return session_id.partition(".")[0]
