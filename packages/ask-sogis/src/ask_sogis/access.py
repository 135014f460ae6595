"""What a client shows to an edge that wants to know who asks."""

import json
from collections.abc import Callable, Generator, MutableMapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Protocol, TypeVar

from contracts.base import Contract
from pydantic import AwareDatetime, ValidationError

_UNAUTHENTICATED, _FORBIDDEN, _BUSY, _FAILED = 401, 403, 429, 500
_MARGIN = timedelta(minutes=5)
"""A token that ends sooner is as good as none: a conversation takes some minutes."""


class Request(Protocol):
    """Of whichever HTTP library."""

    @property
    def headers(self) -> MutableMapping[str, str]: ...


class Issued(Contract):
    """A token that an edge has handed out, as it says it and as it may be kept."""

    token: str
    expires_at: AwareDatetime


class TokenStore(Protocol):
    """Keeps what edges have handed out, so that the next program goes on with the same conversations."""

    def find(self, url: str) -> Issued | None: ...

    def keep(self, url: str, issued: Issued) -> None: ...


Refusal = Literal["missing", "invalid", "forbidden"]

_R = TypeVar("_R", bound=Request)


class Access:
    """A token that was given; or one that an edge with anonymous visitors hands out; or nothing, where
    nobody asks. Without a `store` every program is a visitor of its own.
    """

    def __init__(self, url: str, given: str | None, store: TokenStore | None = None) -> None:
        self._url = url.rstrip("/")
        self._given = given
        self._store = store
        self._issued: Issued | None = None
        self._is_open = False
        self.refusal: Refusal | None = None
        """What is wrong with the token, if it was that."""

    def flow(self, request: _R, new: Callable[[str, str], _R]) -> Generator[_R, Any, None]:
        """Yields the requests to send and takes their responses; all but `request` are read to their end.

        Where it ends with the response to another one, that stands for what `request` would have got.
        """
        self.refusal = None
        token = self._given or self._remembered()
        if token is None and not self._is_open:
            me = yield new("GET", f"{self._url}/api/me")
            if me.status_code == _BUSY or me.status_code >= _FAILED:
                return
            self._is_open = "anonymous" not in _document(me).get("auth", ())
            if not self._is_open and (token := (yield from self._issue(new))) is None:
                return
        response = yield _bearing(request, token)
        if response.status_code == _UNAUTHENTICATED and token is not None and self._given is None:
            token = yield from self._issue(new, instead_of=token)
            if token is not None:
                response = yield _bearing(request, token)
        self.refusal = self._explained(response.status_code)

    def _issue(
        self, new: Callable[[str, str], _R], instead_of: str | None = None
    ) -> Generator[_R, Any, str | None]:
        if self._issued is None or self._issued.token == instead_of:
            response = yield new("POST", f"{self._url}/api/session")
            # Those who ask at the same time are one visitor: the first answer counts for all.
            if self._issued is None or self._issued.token == instead_of:
                self._issued = _issued(_document(response))
                if self._issued is not None and self._store is not None:
                    self._store.keep(self._url, self._issued)
        return self._issued.token if self._issued is not None else None

    def _explained(self, status: int) -> Refusal | None:
        if status == _FORBIDDEN:
            return "forbidden"
        if status == _UNAUTHENTICATED:
            return "missing" if self._given is None else "invalid"
        return None

    def _remembered(self) -> str | None:
        found = self._issued or (self._store.find(self._url) if self._store is not None else None)
        lasts = found is not None and found.expires_at >= datetime.now(UTC) + _MARGIN
        self._issued = found if lasts else None
        return self._issued.token if self._issued is not None else None


def _bearing(request: _R, token: str | None) -> _R:
    if token is not None:
        request.headers["Authorization"] = f"Bearer {token}"
    return request


def _issued(document: dict[str, Any]) -> Issued | None:
    try:
        return Issued.model_validate(document)
    except ValidationError:
        return None


def _document(response: Any) -> dict[str, Any]:
    """Of an answer that was a success; empty otherwise."""
    try:
        document = json.loads(response.content) if response.is_success else {}
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
