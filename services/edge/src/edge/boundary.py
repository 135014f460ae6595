"""The outermost layer: every request gets one answer, one log line and one metric."""

import logging
from dataclasses import dataclass
from functools import cache
from time import perf_counter

from prometheus_client import Counter, Histogram
from servicekit.telemetry import log_line, observe
from servicekit.tracing import NOTHING, OFF, TRACEPARENT, Span, Tracing
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge import errors, languages, problems
from edge.metrics import REQUESTS, SECONDS
from edge.page_headers import OF_ALL

log = logging.getLogger("edge.http")

_FACTS = "ask.facts"
_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""A label for each; a client can make up others."""
_OF_ALL = tuple((name.lower().encode(), value.encode()) for name, value in OF_ALL.items())
_CLIENT_GONE = 499
"""In logs and metrics only, as nginx writes it."""


@dataclass(slots=True)
class Facts:
    """What the layers below learn about a request, for its log line."""

    request_id: str | None = None
    session_id: str | None = None
    map_failures: tuple[str, ...] = ()
    """What the client could not do on its map, e.g. `addLayer: unsafe_url`."""
    set_cookie: str | None = None
    """Goes along with the answer, also when that is a problem."""


def facts_of(scope: Scope) -> Facts:
    """The facts of the request being answered."""
    facts: Facts = scope[_FACTS]
    return facts


class Boundary:
    """Turns whatever is raised below into a problem, without internals for what nobody expected."""

    def __init__(self, app: ASGIApp, tracing: Tracing = OFF, *, trust_traceparent: bool = False) -> None:
        self._app = app
        self._tracing = tracing
        self._trust_traceparent = trust_traceparent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif not self._tracing.enabled or scope["path"] in _PROBES:
            await self._answer(scope, receive, send, NOTHING)
        else:
            method = scope["method"] if scope["method"] in _METHODS else "_OTHER"
            caller = Headers(scope=scope).get(TRACEPARENT)
            with self._tracing.serving(method, caller, trust=self._trust_traceparent) as span:
                await self._answer(scope, receive, send, span)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, span: Span) -> None:
        started = perf_counter()
        facts = scope[_FACTS] = Facts()
        status = 0

        async def observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = list(message["headers"])
                said = {name for name, _ in headers}
                headers += (header for header in _OF_ALL if header[0] not in said)
                if facts.set_cookie is not None:
                    headers.append((b"set-cookie", facts.set_cookie.encode("latin-1")))
                message["headers"] = headers
            await send(message)

        try:
            await self._app(scope, receive, observed)
        except ClientDisconnect:
            status = _CLIENT_GONE
        except errors.EdgeError as error:
            facts.request_id = error.request_id or facts.request_id
            await problems.response_of(error, languages.spoken(scope))(scope, receive, observed)
        except Exception:
            log.exception("request failed", extra=_ids(facts))
            if status:
                # The answer has begun; only breaking the connection tells that it is incomplete.
                raise
            unexpected = errors.InternalError(request_id=facts.request_id)
            await problems.response_of(unexpected, languages.spoken(scope))(scope, receive, observed)
        finally:
            _record(scope, facts, status, perf_counter() - started)
            _tell(span, scope, facts, status)


def _tell(span: Span, scope: Scope, facts: Facts, status: int) -> None:
    """By the semantic conventions for HTTP. Not the path: it may have the id of a print or a share in it."""
    route = getattr(scope.get("route"), "path", None)
    if route is not None:
        span.rename(f"{scope['method']} {route}")
        span.set("http.route", route)
    span.set("http.response.status_code", status)
    if facts.request_id is not None:
        span.set("ask.request_id", facts.request_id)
    if status >= 500:
        span.fail(str(status))


def _record(scope: Scope, facts: Facts, status: int, seconds: float) -> None:
    route = getattr(scope.get("route"), "path", None)
    method = scope["method"] if scope["method"] in _METHODS else "other"
    requests, clock = _of_route(method, route or "other", status)
    requests.inc()
    observe(clock, seconds)
    if scope["path"] not in _PROBES:
        line = {"method": scope["method"], "path": scope["path"], "status": status}
        log_line(log, "request", line | {"ms": round(seconds * 1000, 2)} | _ids(facts))


@cache
def _of_route(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    """Looking them up by label costs more than using them."""
    return REQUESTS.labels(method, route, str(status)), SECONDS.labels(route)


def _ids(facts: Facts) -> dict[str, object]:
    ids: dict[str, object] = {"request_id": facts.request_id, "session_id": facts.session_id}
    return ids | ({"map_failures": facts.map_failures} if facts.map_failures else {})
