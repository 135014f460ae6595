"""What the command shows to an edge that wants to know who asks."""

import json
import re
from collections.abc import Callable, Generator, MutableMapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from ask.errors import AskError
from ask.folder import write_private
from ask.texts import language, text

_FILE = "tokens.json"
_UNAUTHENTICATED, _FORBIDDEN = 401, 403
_MARGIN = timedelta(minutes=5)
"""A token that ends sooner is as good as none: a conversation takes some minutes."""
_TOKEN = re.compile(r"[\x21-\x7e]{1,16384}")


class Request(Protocol):
    """Of whichever HTTP library."""

    @property
    def headers(self) -> MutableMapping[str, str]: ...


class Issued(BaseModel):
    """A token that an edge has handed out, as it says it and as it is kept."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)

    token: str
    expires_at: AwareDatetime


_Kept = TypeAdapter(dict[str, Issued])
_R = TypeVar("_R", bound=Request)


def given_token(file: Path | None, variable: str | None) -> str | None:
    """From the file, else the variable. Raises `AskError` for what can be no token."""
    token = variable
    if file is not None:
        try:
            token = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            raise AskError(text("token_unreadable", file=file)) from None
    if token is not None and _TOKEN.fullmatch(token) is None:
        raise AskError(text("token_malformed"))
    return token


def understood() -> dict[str, str]:
    """The header that says what this user reads."""
    wanted = language()
    return {"Accept-Language": wanted} if wanted else {}


class Access:
    """A token that was given; or one that an edge with anonymous visitors hands out, which is kept in `store`
    so that the next command goes on with the same conversation; or nothing, where nobody asks.
    """

    def __init__(self, url: str, given: str | None, store: Path) -> None:
        self._url = url.rstrip("/")
        self._given = given
        self._store = store
        self._issued: Issued | None = None
        self._is_open = False
        self.refusal: str | None = None
        """Why the edge does not want this user, in words."""

    def flow(self, request: _R, new: Callable[[str, str], _R]) -> Generator[_R, Any, None]:
        """Yields the requests to send and takes their responses; all but `request` are read to their end."""
        token = self._given or self._remembered()
        if token is None and not self._is_open:
            me = yield new("GET", f"{self._url}/api/me")
            self._is_open = "anonymous" not in _document(me).get("auth", ())
            if not self._is_open:
                token = yield from self._issue(new)
        response = yield _bearing(request, token)
        if response.status_code == _UNAUTHENTICATED and token is not None and self._given is None:
            token = yield from self._issue(new)
            if token is not None:
                response = yield _bearing(request, token)
        self.refusal = self._explained(response.status_code)

    def _issue(self, new: Callable[[str, str], _R]) -> Generator[_R, Any, str | None]:
        response = yield new("POST", f"{self._url}/api/session")
        try:
            self._issued = Issued.model_validate(_document(response))
        except ValidationError:
            return None
        self._keep(self._issued)
        return self._issued.token

    def _explained(self, status: int) -> str | None:
        if status == _FORBIDDEN:
            return text("token_forbidden")
        if status == _UNAUTHENTICATED:
            return text("token_missing" if self._given is None else "token_invalid")
        return None

    def _remembered(self) -> str | None:
        found = self._issued or self._kept().get(self._url)
        if found is None or found.expires_at < datetime.now(UTC) + _MARGIN:
            return None
        self._issued = found
        return found.token

    def _kept(self) -> dict[str, Issued]:
        try:
            return _Kept.validate_json((self._store / _FILE).read_bytes())
        except (OSError, ValidationError):
            return {}

    def _keep(self, issued: Issued) -> None:
        """Where nothing can be kept every command is a visitor of its own."""
        try:
            self._store.mkdir(parents=True, exist_ok=True)
            kept = _Kept.dump_json(self._kept() | {self._url: issued}, by_alias=True, indent=2)
            write_private(self._store / _FILE, kept.decode() + "\n")
        except OSError:
            pass


def _bearing(request: _R, token: str | None) -> _R:
    if token is not None:
        request.headers["Authorization"] = f"Bearer {token}"
    return request


def _document(response: Any) -> dict[str, Any]:
    """Of an answer that was a success; empty otherwise."""
    try:
        document = json.loads(response.content) if response.is_success else {}
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
