"""The route of who is still writing a message."""

from typing import Annotated

from contracts.suggest import Suggestions, SuggestQuery
from fastapi import APIRouter, Query, Response

from edge import errors, examples, languages
from edge.description import answer
from edge.handlers import Suggest
from edge.problems import TO_READ, documented
from edge.routing import ContractRouter


def suggest_routes(suggest: Suggest) -> APIRouter:
    """No turn, no session: nothing of it is remembered, and nothing is stored on the bus."""
    router = ContractRouter()

    @router.get(
        "/api/suggest",
        tags=["tools"],
        summary="Complete a name",
        responses={
            200: answer(
                "Names that begin like the last words of q, else nearly like them; without any, no items.",
                {"address": {"value": examples.SUGGESTIONS}},
            ),
            **documented(*TO_READ, errors.InvalidRequest),
        },
    )
    async def get_suggestions(
        response: Response, query: Annotated[SuggestQuery, Query()], language: languages.Spoken
    ) -> Suggestions:
        """Addresses, places, municipalities, parcels and layers that the tools know. Whoever knows them has
        a moment to answer; after that, nothing is suggested."""
        response.headers["Vary"] = "Accept-Language"
        return await suggest(query, language)

    return router
