"""Calls of tools: a capability by its name, or a whole turn."""

from typing import Annotated

from contracts.base import Contract
from contracts.chat import MAX_MESSAGE_CHARS, ChatRequest, ChatResponse, LanguageTag, MapContext, SessionId
from contracts.languages import Language
from contracts.plan import ToolCall
from contracts.tools import ToolDescriptor
from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult
from pydantic import ConfigDict, StringConstraints, ValidationError
from starlette.types import Scope

from edge import ids, languages
from edge.askers import Asker, Askers
from edge.boundary import Facts, facts_of
from edge.chat import Chat
from edge.mcp import answers, choices
from edge.mcp.choices import State
from edge.principals import principal_of
from edge.problems import findings_of, invalid
from edge.sessions import Sessions
from edge.texts import text
from edge.turns import Turns

Result = CallToolResult | InputRequiredResult


class Asked(Contract):
    """The arguments of `ask`."""

    model_config = ConfigDict(extra="forbid")

    message: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_MESSAGE_CHARS)
    ]
    session_id: SessionId | None = None
    language: LanguageTag | None = None
    map: MapContext | None = None


class Calls:
    """Answers calls. Every method raises an `EdgeError` when it cannot."""

    def __init__(self, chat: Chat, turns: Turns, sessions: Sessions, askers: Askers) -> None:
        self._askers = askers
        self._chat = chat
        self._turns = turns
        self._sessions = sessions

    async def tool(
        self, tool: ToolDescriptor, params: CallToolRequestParams, ctx: ServerRequestContext
    ) -> Result:
        """Call a capability; when several items fit, ask which one is meant."""
        state = choices.state_of(params)
        if state is not None:
            outcome = await self._turns.found(state.request_id, _owner(ctx))
            if outcome is not None:
                picked = choices.answer_of(params)
                left = answers.chosen(outcome, picked)
                return answers.of_outcome(tool, left, state.request_id, _language(ctx))
        call = ToolCall(capability=tool.capability, args=params.arguments or {})
        session_id = self._inner(ctx, ids.new_session_id())
        request_id, outcome = await self._chat.call(call, session_id, self._asker(ctx))
        _facts(ctx).request_id = request_id
        options = [(str(n), item.label) for n, item in enumerate(outcome.items)]
        if answers.needs_choice(tool, outcome) and _may_ask(ctx, len(options)):
            message = outcome.message or text("mcp_choose", _language(ctx))
            return choices.question(message, options, State(request_id=request_id))
        return answers.of_outcome(tool, outcome, request_id, _language(ctx))

    async def ask(self, params: CallToolRequestParams, ctx: ServerRequestContext) -> Result:
        """Run a whole turn; when its user has to choose, ask."""
        languages.say(_scope(ctx), languages.tag_in(params.arguments))
        state = choices.state_of(params)
        if state is None:
            request = request_of(params)
            response = await self._chat.answer(self._own(ctx, request), self._asker(ctx))
            return await self._told(ctx, request.session_id, response)
        picked = choices.answer_of(params)
        whole = await self._whole(ctx, state)
        if picked is None or picked not in {choice.id for choice in choices.open_choices(whole)}:
            return answers.of_response(state.session_id, whole, _language(ctx))
        request = self._own(ctx, ChatRequest(session_id=state.session_id, choice_id=picked))
        await self._chat.answer(request, self._asker(ctx))
        whole = await self._whole(ctx, state)
        return await self._told(ctx, state.session_id, whole, state)

    async def _whole(self, ctx: ServerRequestContext, state: State) -> ChatResponse:
        view = await self._turns.view(state.request_id, _owner(ctx))
        return choices.completed(view, state.first_round)

    async def _told(
        self,
        ctx: ServerRequestContext,
        session_id: str,
        response: ChatResponse,
        state: State | None = None,
    ) -> Result:
        facts = _facts(ctx)
        facts.request_id, facts.session_id = response.request_id, self._inner(ctx, session_id)
        options = [(choice.id, choice.label) for choice in choices.open_choices(response)]
        if not options or not _may_ask(ctx, len(options)):
            return answers.of_response(session_id, response, _language(ctx))
        if state is None:
            view = await self._turns.view(response.request_id, _owner(ctx))
            state = State(request_id=view.request_id, session_id=session_id, first_round=len(view.rounds) - 1)
        message = next(s.message for s in response.steps if s.choices and s.choices[0].id == options[0][0])
        return choices.question(message, options, state)

    def _own(self, ctx: ServerRequestContext, request: ChatRequest) -> ChatRequest:
        return self._sessions.own(_scope(ctx), request)

    def _inner(self, ctx: ServerRequestContext, session_id: str) -> str:
        return self._sessions.inner(_scope(ctx), session_id)

    def _asker(self, ctx: ServerRequestContext) -> Asker:
        return self._askers.of(_scope(ctx))


def _scope(ctx: ServerRequestContext) -> Scope:
    assert ctx.request is not None
    scope: Scope = ctx.request.scope
    return scope


def _owner(ctx: ServerRequestContext) -> str:
    return principal_of(_scope(ctx)).owner


def _language(ctx: ServerRequestContext) -> Language:
    return languages.spoken(_scope(ctx))


def _facts(ctx: ServerRequestContext) -> Facts:
    """For the line in the log."""
    return facts_of(_scope(ctx))


def _may_ask(ctx: ServerRequestContext, options: int) -> bool:
    return options <= choices.MAX_OPTIONS and choices.can_ask(ctx)


def request_of(params: CallToolRequestParams) -> ChatRequest:
    """What `ask` is asked. Raises `InvalidRequest`."""
    given = params.arguments or {}
    try:
        asked = Asked.model_validate(given)
    except ValidationError as error:
        raise invalid(findings_of(error), given) from None
    session_id = asked.session_id or ids.new_session_id()
    return ChatRequest(session_id=session_id, user_message=asked.message, map=asked.map)
