"""What the command shows to an edge that wants to know who asks."""

import re
from pathlib import Path

from ask_sogis import Issued
from ask_sogis.access import Refusal
from pydantic import TypeAdapter, ValidationError

from ask.errors import AskError, Exit
from ask.folder import write_private
from ask.texts import language, text

_FILE = "tokens.json"
_TOKEN = re.compile(r"[\x21-\x7e]{1,16384}")
_Kept = TypeAdapter(dict[str, Issued])


def given_token(file: Path | None, variable: str | None) -> str | None:
    """From the file, else the variable. Raises `AskError` for what can be no token."""
    token = variable
    if file is not None:
        try:
            token = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            raise AskError(text("token_unreadable", file=file), Exit.MISUSED) from None
    if token is not None and _TOKEN.fullmatch(token) is None:
        raise AskError(text("token_malformed"), Exit.MISUSED)
    return token


def understood() -> dict[str, str]:
    """The header that says what this user reads."""
    wanted = language()
    return {"Accept-Language": wanted} if wanted else {}


def refusal_text(refusal: Refusal) -> str:
    """What to do about a token that is not wanted."""
    return text(f"token_{refusal}")


class KeptTokens:
    """What edges have handed out, in a folder, so that the next command goes on with the same conversation.

    Where nothing can be kept every command is a visitor of its own.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, url: str) -> Issued | None:
        return self._all().get(url)

    def keep(self, url: str, issued: Issued) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            kept = _Kept.dump_json(self._all() | {url: issued}, by_alias=True, indent=2)
            write_private(self._folder / _FILE, kept.decode() + "\n")
        except OSError:
            pass

    def _all(self) -> dict[str, Issued]:
        try:
            return _Kept.validate_json((self._folder / _FILE).read_bytes())
        except (OSError, ValidationError):
            return {}
