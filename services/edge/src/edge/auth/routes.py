"""The routes about who asks."""

from datetime import UTC, datetime

from contracts.principals import IssuedToken, Me
from fastapi import APIRouter, Request

from edge import errors
from edge.auth.identities import NOBODY, Identities
from edge.auth.sign_in import LOGIN, LOGOUT, sign_in_routes
from edge.principals import principal_of
from edge.problems import documented


def auth_routes(identities: Identities) -> APIRouter:
    """Who asks, a token for API clients, and the sign-in where there is one."""
    router = APIRouter()
    settings = identities.settings

    @router.get(
        "/api/me",
        tags=["auth"],
        summary="Who asks?",
        response_description="Who the credentials of the request stand for; `kind` is null for nobody.",
    )
    async def get_me(request: Request) -> Me:
        """Never refused: a page asks this first. A browser gets its anonymous cookie with the answer."""
        principal = principal_of(request.scope)
        return Me(
            auth=settings.auth,
            kind=None if principal is NOBODY else principal.kind,
            name=principal.name,
            sign_in=LOGIN if identities.provider else None,
            sign_out=LOGOUT if principal.kind == "user" else None,
        )

    @router.post(
        "/api/session",
        status_code=201,
        tags=["auth"],
        summary="Become somebody without a name",
        response_description="A token for `Authorization: Bearer`.",
        responses=documented(errors.Unauthenticated, errors.NotFound),
    )
    async def post_session() -> IssuedToken:
        """For clients without cookies. Each token is somebody else: whoever loses one loses the sessions."""
        if settings.asks_nobody:
            raise errors.NotFound()
        if not identities.knows_anonymous:
            raise errors.Unauthenticated()
        issued = identities.new_anonymous()
        expires_at = datetime.fromtimestamp(issued.expires_at, UTC)
        return IssuedToken(token=issued.token, expires_at=expires_at)

    if identities.provider is not None:
        router.include_router(sign_in_routes(identities, identities.provider))
    return router
