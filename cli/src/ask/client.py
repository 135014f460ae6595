"""Talks to the edge over HTTP."""

import json
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import httpx
from contracts.chat import ChatRequest, ChatResponse
from contracts.tools import ToolList
from pydantic import ValidationError

from ask.access import Access, understood
from ask.errors import AskError
from ask.texts import text

_CONNECT_TIMEOUT_S = 3.0
_READ_TIMEOUT_S = 120.0
"""The edge gives up earlier, and says so."""
_POLL_S = 1.0


@dataclass(frozen=True)
class Answer:
    """A response, and the document it came in."""

    response: ChatResponse
    document: str


class _Authentication(httpx.Auth):
    def __init__(self, access: Access) -> None:
        self._access = access

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response]:
        flow = self._access.flow(request, httpx.Request)
        asked = next(flow)
        while True:
            response = yield asked
            if asked is not request:
                response.read()
            try:
                asked = flow.send(response)
            except StopIteration:
                return


class Client:
    """One edge. Every method raises `AskError` when it does not get what it wants."""

    def __init__(
        self,
        url: str,
        access: Access | None = None,
        transport: httpx.BaseTransport | None = None,
        patience_s: float = 60.0,
    ) -> None:
        self.url = url.rstrip("/")
        self._access = access
        self._patience_s = patience_s
        self._http = httpx.Client(
            base_url=self.url,
            headers=understood(),
            auth=_Authentication(access) if access is not None else None,
            transport=transport,
            timeout=httpx.Timeout(_READ_TIMEOUT_S, connect=_CONNECT_TIMEOUT_S),
        )

    def close(self) -> None:
        self._http.close()

    def chat(self, session_id: str, *, message: str | None = None, choice_id: str | None = None) -> Answer:
        """Send a message or a choice and wait for the answer, also after the edge has stopped waiting."""
        try:
            request = ChatRequest(session_id=session_id, user_message=message, choice_id=choice_id)
        except ValidationError as error:
            raise AskError(text("refused", status="-", detail=error.errors()[0]["msg"])) from None
        headers = {"Content-Type": "application/json"}
        response = self._request("POST", "/api/chat", content=request.to_json(), headers=headers)
        if response.status_code == httpx.codes.GATEWAY_TIMEOUT:
            request_id = _problem(response).get("requestId")
            if request_id is not None:
                return self._poll(str(request_id))
        return self._answer(response)

    def tools(self) -> tuple[ToolList, str]:
        """The tools that are alive, and the document that lists them."""
        response = self._request("GET", "/api/tools")
        self._check(response)
        try:
            return ToolList.from_json(response.content), response.text
        except ValueError:
            raise AskError(text("not_understood", url=self.url)) from None

    def _poll(self, request_id: str) -> Answer:
        until = time.monotonic() + self._patience_s
        while time.monotonic() < until:
            response = self._request("GET", f"/api/chat/{request_id}")
            if response.status_code != httpx.codes.ACCEPTED:
                return self._answer(response)
            time.sleep(_POLL_S)
        raise AskError(text("no_answer", seconds=round(self._patience_s), request_id=request_id))

    def _answer(self, response: httpx.Response) -> Answer:
        self._check(response)
        try:
            return Answer(ChatResponse.from_json(response.content), response.text)
        except ValidationError:
            raise AskError(text("not_understood", url=self.url)) from None

    def _check(self, response: httpx.Response) -> None:
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            raise AskError(text("busy", seconds=response.headers.get("Retry-After", "1")))
        if self._access is not None and self._access.refusal is not None:
            raise AskError(self._access.refusal)
        if not response.is_success:
            problem = _problem(response)
            detail = problem.get("detail") or problem.get("title") or response.reason_phrase
            raise AskError(text("refused", status=response.status_code, detail=detail))

    def _request(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        try:
            return self._http.request(method, path, **arguments)
        except httpx.InvalidURL:
            raise AskError(text("unreachable", url=self.url)) from None
        except httpx.HTTPError:
            raise AskError(text("unreachable", url=self.url)) from None


def _problem(response: httpx.Response) -> dict[str, Any]:
    """The problem details of an error; empty when it has none."""
    try:
        document = json.loads(response.content)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
