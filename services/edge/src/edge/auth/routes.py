"""The routes about who asks."""

from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.responses import JSONResponse

from edge import errors
from edge.auth.identities import NOBODY, Identities
from edge.auth.sign_in import LOGIN, LOGOUT, sign_in_routes
from edge.principals import principal_of
from edge.problems import documented

_PERSONAL = {"Cache-Control": "no-store"}
_NULLABLE: dict[str, Any] = {"anyOf": [{"type": "string"}, {"type": "null"}]}


def _described(description: str, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def auth_routes(identities: Identities) -> APIRouter:
    """Who asks, a token for API clients, and the sign-in where there is one."""
    router = APIRouter()
    settings = identities.settings

    @router.get(
        "/api/me",
        tags=["auth"],
        summary="Who asks?",
        responses={
            200: _described(
                "Who the credentials of the request stand for; `kind` is null for nobody.",
                auth={"type": "array", "items": {"type": "string"}},
                kind={"enum": ["local", "anonymous", "key", "user", None]},
                name=_NULLABLE,
                signIn=_NULLABLE,
                signOut=_NULLABLE,
            )
        },
    )
    async def get_me(request: Request) -> Response:
        """Never refused: a page asks this first. A browser gets its anonymous cookie with the answer."""
        principal = principal_of(request.scope)
        told = {
            "auth": list(settings.auth),
            "kind": None if principal is NOBODY else principal.kind,
            "name": principal.name,
            "signIn": LOGIN if identities.provider else None,
            "signOut": LOGOUT if principal.kind == "user" else None,
        }
        return JSONResponse(told, headers=_PERSONAL)

    @router.post(
        "/api/session",
        status_code=201,
        tags=["auth"],
        summary="Become somebody without a name",
        responses={
            201: _described(
                "A token for `Authorization: Bearer`.",
                token={"type": "string"},
                expiresAt={"type": "string", "format": "date-time"},
            ),
            **documented(errors.Unauthenticated, errors.NotFound),
        },
    )
    async def post_session() -> Response:
        """For clients without cookies. Each token is somebody else: whoever loses one loses the sessions."""
        if settings.asks_nobody:
            raise errors.NotFound()
        if not identities.knows_anonymous:
            raise errors.Unauthenticated()
        issued = identities.new_anonymous()
        expires_at = datetime.fromtimestamp(issued.expires_at, UTC).isoformat().replace("+00:00", "Z")
        return JSONResponse({"token": issued.token, "expiresAt": expires_at}, 201, _PERSONAL)

    if identities.provider is not None:
        router.include_router(sign_in_routes(identities, identities.provider))
    return router
