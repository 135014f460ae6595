"""The routes of conversations that are kept with an account."""

from typing import Annotated

from contracts.chat import SessionId, SessionRef
from contracts.conversations import Conversation, ConversationList, ConversationPut
from fastapi import APIRouter, Body, Path, Request
from pydantic import ValidationError

from edge import errors, examples, shapes
from edge.admission import Admission
from edge.api import BODY_ERRORS, PLACEHOLDERS
from edge.chat import Chat
from edge.conversations import Conversations
from edge.description import answer
from edge.principals import Principal, principal_of
from edge.problems import TO_CHANGE, TO_READ, documented
from edge.routing import ContractRouter
from edge.sessions import Sessions

PATH = "/api/conversations"
MAX_BODY_BYTES = 1_048_576
"""As many characters as a content may have, most of them written out in two bytes."""

Id = Annotated[str, Path(alias="id")]


def conversation_routes(
    conversations: Conversations, chat: Chat, sessions: Sessions, admission: Admission
) -> APIRouter:
    """An id is what the client calls the session; whose it is says who asks."""
    router = ContractRouter(tags=["conversations"])

    @router.get(
        PATH,
        summary="List the conversations of an account",
        responses={
            200: answer("The latest first.", {"list": {"value": examples.CONVERSATIONS}}),
            **documented(*TO_READ, errors.AccountRequired, errors.StateUnavailable),
        },
    )
    async def list_conversations(request: Request) -> ConversationList:
        """What the page of the account has kept here, on any device."""
        return ConversationList(conversations=await conversations.titles(_account(request).owner))

    @router.get(
        f"{PATH}/{{id}}",
        summary="Read a conversation",
        responses={
            200: answer("As it was kept.", {"conversation": {"value": examples.CONVERSATION}}),
            **documented(
                *TO_READ, errors.AccountRequired, errors.ConversationNotFound, errors.StateUnavailable
            ),
        },
    )
    async def get_conversation(request: Request, conversation_id: Id) -> Conversation:
        """The content is what the page has written, to the letter."""
        _account(request)
        return await conversations.find(sessions.inner(request.scope, _session_id(conversation_id)))

    @router.put(
        f"{PATH}/{{id}}",
        status_code=204,
        summary="Keep a conversation",
        responses=documented(
            *BODY_ERRORS,
            *TO_CHANGE,
            errors.AccountRequired,
            errors.ConversationNotFound,
            errors.StoreFull,
            errors.StateUnavailable,
            **PLACEHOLDERS,
        ),
    )
    async def put_conversation(
        request: Request,
        conversation_id: Id,
        put: Annotated[
            ConversationPut,
            Body(openapi_examples={"conversation": {"value": examples.CONVERSATION_PUT}}),
            shapes.CONVERSATION,
        ],
    ) -> None:
        """In the place of what was kept of it before. When an account keeps too much, its oldest go."""
        _account(request)
        session_id = _session_id(conversation_id)
        admission.check_redis()
        kept = Conversation(id=session_id, **put.model_dump())
        await conversations.keep(sessions.inner(request.scope, session_id), kept)

    @router.delete(
        f"{PATH}/{{id}}",
        status_code=204,
        summary="Delete a conversation",
        responses=documented(
            *TO_CHANGE, errors.AccountRequired, errors.ConversationNotFound, errors.StateUnavailable
        ),
    )
    async def delete_conversation(request: Request, conversation_id: Id) -> None:
        """And its session; 204 also when there is neither."""
        _account(request)
        session = sessions.inner(request.scope, _session_id(conversation_id))
        await conversations.remove(session)
        await chat.forget(session)

    return router


def _session_id(text: str) -> SessionId:
    """Raises `ConversationNotFound` for what no session can be called."""
    try:
        return SessionRef(session_id=text).session_id
    except ValidationError:
        raise errors.ConversationNotFound() from None


def _account(request: Request) -> Principal:
    """Raises `AccountRequired` for all who are nobody in particular."""
    principal = principal_of(request.scope)
    if principal.kind != "user":
        raise errors.AccountRequired()
    return principal
