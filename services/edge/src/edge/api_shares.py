"""The routes of maps behind short links."""

from datetime import timedelta
from typing import Annotated

from contracts.shares import Share, SharedMap, url_of
from fastapi import APIRouter, Body, Path, Request, Response

from edge import errors, examples, shapes
from edge.admission import Admission
from edge.api import BODY_ERRORS, PLACEHOLDERS
from edge.description import answer
from edge.problems import TO_CHANGE, TO_READ, documented
from edge.routing import ContractRouter
from edge.shares import Shares


def share_routes(shares: Shares, admission: Admission, ttl: timedelta) -> APIRouter:
    """Whoever knows the id of a share may see it. Without a `ttl` none are made."""
    router = ContractRouter(tags=["shares"])

    @router.post(
        "/api/shares",
        status_code=201,
        summary="Put a map behind a short link",
        responses={
            201: answer(
                "Where it is, and until when.",
                {"share": {"value": examples.SHARE}},
                Location="Where the map can be read.",
            ),
            **documented(
                *BODY_ERRORS,
                *TO_CHANGE,
                errors.SharesOff,
                errors.RateLimited,
                errors.StoreFull,
                errors.StateUnavailable,
                **PLACEHOLDERS,
            ),
        },
    )
    async def post_share(
        request: Request,
        response: Response,
        shared: Annotated[
            SharedMap, Body(openapi_examples={"map": {"value": examples.SHARED_MAP}}), shapes.MAP
        ],
    ) -> Share:
        """What is on a map: view, background, layers, markers and tables; no messages, no session."""
        if not ttl:
            raise errors.SharesOff()
        await admission.share(admission.askers.of(request.scope))
        share_id, expires_at = await shares.keep(shared)
        response.headers["Location"] = f"/api/shares/{share_id}"
        return Share(id=share_id, url=url_of(share_id), expires_at=expires_at)

    @router.get(
        "/api/shares/{id}",
        summary="Read the map behind a short link",
        responses={
            200: answer("The map as it was shared.", {"map": {"value": examples.SHARED_MAP}}),
            **documented(*TO_READ, errors.ShareNotFound, errors.StateUnavailable),
        },
    )
    async def get_share(share_id: Annotated[str, Path(alias="id")]) -> SharedMap:
        """The same for everybody, until it expires."""
        return await shares.find(share_id)

    return router
