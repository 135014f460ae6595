"""Files made for users, such as plans: one service makes them, the edge hands them out."""

import re

MEDIA_TYPE = "application/pdf"
_ID = re.compile(r"[0-9a-f]{32}")


def path_of(print_id: str) -> str:
    """Where the edge serves a print, e.g. `/api/prints/0f…`; the client knows the host."""
    return f"/api/prints/{print_id}"


def name_of(owner: str, print_id: str) -> str:
    """What a print is called in the object store: it is found by whose it is and by its id."""
    return f"{owner}.{print_id}.pdf"


def is_id(text: str) -> bool:
    """Whether a text can be the id of a print: 32 hexadecimal digits, not to be guessed."""
    return _ID.fullmatch(text) is not None


def is_path(url: str) -> bool:
    """Whether a URL is the path of a print."""
    head, _, print_id = url.rpartition("/")
    return head == "/api/prints" and is_id(print_id)
