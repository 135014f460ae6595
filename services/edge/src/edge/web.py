"""The ASGI application: routes, layers around them, and its OpenAPI description."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from ag_ui.core import RunAgentInput
from contracts.chat import ChatRequest, ChatResponse, SessionRef
from contracts.problems import Problem
from contracts.tools import ToolList
from contracts.turns import TurnProgress
from fastapi import APIRouter, FastAPI
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edge import agui, errors, problems
from edge.auth.identification import Identification
from edge.auth.identities import Identities
from edge.boundary import Boundary
from edge.limits import BodyLimit
from edge.settings import EdgeSettings

_DESCRIPTION = """A chat copilot for maps: a sentence becomes map actions.

An answer has one or more steps. A client applies their `mapActions` in order; at `needs_user_choice` it shows
the `choices` and sends the chosen `id` as `choiceId`.
Errors are problem details (RFC 9457) with a stable `code`; their `detail` is made for the user.
"""


_HEADERS = ("Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID")
_MCP_HEADERS = ("Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version")
"""MCP clients in web pages send them with every request."""


class Application(FastAPI):
    """FastAPI with the schemas of the contracts."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            description = super().openapi()
            _, schemas = models_json_schema(
                [
                    (ChatRequest, "validation"),
                    (SessionRef, "validation"),
                    (RunAgentInput, "validation"),
                    (ChatResponse, "serialization"),
                    (TurnProgress, "serialization"),
                    (ToolList, "serialization"),
                    (Problem, "serialization"),
                ],
                ref_template="#/components/schemas/{model}",
            )
            description.setdefault("components", {}).setdefault("schemas", {}).update(schemas["$defs"])
            self.openapi_schema = description
        return self.openapi_schema


def application(
    doors: Sequence[APIRouter], settings: EdgeSettings, identities: Identities | None = None
) -> Application:
    """From the outside in: CORS (when there are origins), boundary, who asks, body limit, routes."""
    app = Application(
        title="ask.sogis",
        version=version("ask-sogis-edge"),
        description=_DESCRIPTION,
        redoc_url=None,
        redirect_slashes=False,
    )
    for door in doors:
        app.include_router(door)

    async def routing_failed(request: Request, error: Exception) -> Response:
        return problems.response_of(_routing_error(error, doors, request.url.path))

    app.add_exception_handler(HTTPException, routing_failed)
    app.add_middleware(
        BodyLimit,
        max_body_bytes=settings.max_body_bytes,
        elsewhere={agui.PATH: settings.max_run_input_bytes},
    )
    if not settings.asks_nobody:
        assert identities is not None
        app.add_middleware(Identification, identities=identities)
    app.add_middleware(Boundary)
    if settings.allowed_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.allowed_origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=[*_HEADERS, *_MCP_HEADERS],
            expose_headers=[problems.REQUEST_ID_HEADER, "Location", "Retry-After"],
        )
    return app


def _routing_error(error: Exception, doors: Sequence[APIRouter], path: str) -> errors.EdgeError:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404:
        return errors.NotFound()
    if status == 405:
        # The framework names the methods of the first route only.
        routes = (r for door in doors for r in door.routes)
        fitting = (r for r in routes if isinstance(r, Route) and r.path_regex.match(path))
        methods = sorted({method for route in fitting for method in route.methods or ()})
        return errors.MethodNotAllowed(headers={"Allow": ", ".join(methods)})
    return errors.InternalError()
