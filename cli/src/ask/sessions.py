"""Which conversation the user is in: one id in the user's state folder."""

import os
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4


def state_dir(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder for a user's state by the XDG convention."""
    base = environment.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "ask.sogis"


def current(folder: Path, *, new: bool = False) -> str:
    """The remembered session id; a fresh one when there is none, or when a new conversation is wanted.

    Where nothing can be remembered every call is a conversation of its own.
    """
    file = folder / "session"
    if not new:
        try:
            remembered = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            remembered = ""
        if remembered:
            return remembered
    session_id = f"cli-{uuid4()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(session_id + "\n", encoding="utf-8")
    except OSError:
        pass
    return session_id
