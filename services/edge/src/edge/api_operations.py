"""The routes for those who run the edge; every service has the same ones on its health port."""

from typing import Literal

from contracts.base import Contract
from fastapi import APIRouter, Request, Response
from servicekit.health import Health
from starlette.responses import PlainTextResponse

from edge import errors
from edge.problems import documented
from edge.routing import ContractRouter


class Alive(Contract):
    """As every service says it."""

    service: Literal["edge"]
    status: Literal["alive"]


class Readiness(Contract):
    """What is missing, by the name of the check."""

    service: Literal["edge"]
    status: Literal["ready", "not ready"]
    failures: dict[str, str]


def operation_routes(health: Health) -> APIRouter:
    """The same answers as on the health port."""
    router = ContractRouter(tags=["operations"])

    async def respond(request: Request) -> Response:
        accept = request.headers.get("accept", "")
        status, media_type, body = await health.respond(request.url.path, accept)
        return Response(body, status, media_type=media_type)

    @router.get(
        "/healthz",
        summary="Is the process alive?",
        response_model=Alive,
        response_description="Yes.",
        responses=documented(),
    )
    async def get_health(request: Request) -> Response:
        """Asks nobody else."""
        return await respond(request)

    @router.get(
        "/readyz",
        summary="Can it work?",
        response_model=Readiness,
        response_description="Yes.",
        responses={503: {"model": Readiness, "description": "No; failures says why."}, **documented()},
    )
    async def get_readiness(request: Request) -> Response:
        """Whether the servers behind it answer."""
        return await respond(request)

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
