"""The route of who is still writing a message."""

from contracts.suggest import SuggestQuery
from fastapi import APIRouter, Request, Response
from pydantic import ValidationError

from edge import errors, examples, languages, problems
from edge.api import json_response
from edge.description import ACCEPT_LANGUAGE, answer, parameters_of
from edge.handlers import Suggest
from edge.problems import TO_READ, documented


def suggest_routes(suggest: Suggest) -> APIRouter:
    """No turn, no session: nothing of it is remembered, and nothing is stored on the bus."""
    router = APIRouter()

    @router.get(
        "/api/suggest",
        tags=["tools"],
        summary="Complete a name",
        responses={
            200: answer(
                "Names that begin like the last words of q, else nearly like them; without any, no items.",
                "Suggestions",
                {"address": {"value": examples.SUGGESTIONS}},
            ),
            **documented(*TO_READ, errors.InvalidRequest),
        },
        openapi_extra={"parameters": [*parameters_of(SuggestQuery), ACCEPT_LANGUAGE]},
    )
    async def get_suggestions(request: Request) -> Response:
        """Addresses, places, municipalities, parcels and layers that the tools know. Whoever knows them has
        a moment to answer; after that, nothing is suggested."""
        try:
            query = SuggestQuery.model_validate(dict(request.query_params))
        except ValidationError as error:
            raise problems.invalid(error) from None
        found = await suggest(query, languages.spoken(request.scope))
        return json_response(found, headers={"Vary": "Accept-Language"})

    return router
