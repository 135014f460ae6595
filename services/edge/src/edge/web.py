"""The ASGI application: routes, and the layers around them."""

from collections.abc import Sequence
from functools import partial
from importlib.metadata import version

from fastapi import APIRouter
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from servicekit.tracing import OFF, Tracing
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edge import agui, api_conversations, errors, languages, problems
from edge.api_description import description_routes
from edge.askers import Askers
from edge.auth.described import declare
from edge.auth.identification import Identification
from edge.auth.identities import Identities
from edge.boundary import Boundary
from edge.description import Application
from edge.hosts import HostCheck, Hosts
from edge.limits import BodyLimit, Room
from edge.settings import EdgeSettings

_DESCRIPTION = """A chat copilot for maps: a sentence becomes map actions.

An answer has one or more steps. A client applies their `mapActions` in order; at `needs_user_choice` it shows
the `choices` and sends the chosen `id` as `choiceId`.
Errors are problem details (RFC 9457) with a stable `code`; their `detail` is made for the user.
"""


_HEADERS = ("Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID")
_MCP_HEADERS = ("Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version")
"""MCP clients in web pages send them with every request."""


def application(
    routers: Sequence[APIRouter],
    settings: EdgeSettings,
    identities: Identities | None = None,
    tracing: Tracing = OFF,
) -> Application:
    """From the outside in: CORS (when there are origins), boundary, host, who asks, body limit, routes."""
    app = Application(
        title="ask.sogis",
        version=version("ask-sogis-edge"),
        description=_DESCRIPTION,
        # We have our own, without a script of others.
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    routers = (description_routes(app.openapi), *routers)
    for route in (route for router in routers for route in router.routes):
        if isinstance(route, APIRoute):
            # Links between operations name them.
            route.operation_id = route.name
        # Without `include_router`, which looks for the route of a request twice.
        app.router.routes.append(route)

    async def routing_failed(request: Request, error: Exception) -> Response:
        found = _routing_error(error, routers, request.url.path)
        return problems.response_of(found, languages.spoken(request.scope))

    app.add_exception_handler(HTTPException, routing_failed)
    app.add_exception_handler(RequestValidationError, validation_failed)
    app.add_middleware(
        BodyLimit,
        max_body_bytes=settings.max_body_bytes,
        room=Room(settings.max_bodies_bytes),
        elsewhere={
            agui.PATH: settings.max_run_input_bytes,
            api_conversations.PATH: api_conversations.MAX_BODY_BYTES,
        },
        address=Askers(settings.trusted_proxies, settings.max_body_bytes).address,
    )
    if not settings.asks_nobody:
        assert identities is not None
        app.add_middleware(Identification, identities=identities)
        app.declare_credentials = partial(declare, identities=identities)
    app.add_middleware(HostCheck, hosts=Hosts(settings.allowed_hosts))
    app.add_middleware(Boundary, tracing=tracing, trust_traceparent=settings.trust_traceparent)
    if settings.allowed_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.allowed_origins),
            allow_methods=["GET", "POST", "PUT", "DELETE"],
            allow_headers=[*_HEADERS, *_MCP_HEADERS],
            expose_headers=[problems.REQUEST_ID_HEADER, "Location", "Retry-After"],
        )
    return app


async def validation_failed(request: Request, error: Exception) -> Response:
    """What FastAPI or a body found wrong with a request."""
    assert isinstance(error, RequestValidationError)
    found = problems.invalid(error.errors(), error.body)
    return problems.response_of(found, languages.spoken(request.scope))


def _routing_error(error: Exception, routers: Sequence[APIRouter], path: str) -> errors.EdgeError:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404:
        return errors.NotFound()
    if status == 405:
        # The framework names the methods of the first route only.
        routes = (r for router in routers for r in router.routes)
        fitting = (r for r in routes if isinstance(r, Route) and r.path_regex.match(path))
        methods = sorted({method for route in fitting for method in route.methods or ()})
        return errors.MethodNotAllowed(headers={"Allow": ", ".join(methods)})
    return errors.InternalError()
