"""The routes for those who run the edge; every service has the same ones on its health port."""

from typing import Any

from fastapi import APIRouter, Request, Response
from servicekit.health import Health
from starlette.responses import PlainTextResponse

from edge import errors
from edge.description import JSON
from edge.problems import documented

_SERVICE = {"type": "string", "const": "edge"}


def _says(description: str, status: str, **more: Any) -> dict[str, Any]:
    properties = {"service": _SERVICE, "status": {"type": "string", "const": status}, **more}
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    return {"description": description, "content": {JSON: {"schema": schema}}}


_FAILURES = {"type": "object", "additionalProperties": {"type": "string"}}


def operation_routes(health: Health) -> APIRouter:
    """The same answers as on the health port."""
    router = APIRouter(tags=["operations"])

    async def respond(request: Request) -> Response:
        accept = request.headers.get("accept", "")
        status, media_type, body = await health.respond(request.url.path, accept)
        return Response(body, status, media_type=media_type)

    @router.head("/healthz", include_in_schema=False)
    @router.get(
        "/healthz", summary="Is the process alive?", responses={200: _says("Yes.", "alive"), **documented()}
    )
    async def get_health(request: Request) -> Response:
        """Asks nobody else."""
        return await respond(request)

    @router.head("/readyz", include_in_schema=False)
    @router.get(
        "/readyz",
        summary="Can it work?",
        responses={
            200: _says("Yes.", "ready", failures=_FAILURES),
            503: _says("No; failures says why.", "not ready", failures=_FAILURES),
            **documented(),
        },
    )
    async def get_readiness(request: Request) -> Response:
        """Whether the servers behind it answer."""
        return await respond(request)

    @router.head("/metrics", include_in_schema=False)
    @router.get(
        "/metrics",
        summary="Metrics for Prometheus",
        response_class=PlainTextResponse,
        responses=documented(errors.NotFound),
    )
    async def get_metrics(request: Request) -> Response:
        """In the text format, or in that of OpenMetrics for who accepts it."""
        return await respond(request)

    return router
