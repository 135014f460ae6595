"""Calls of tools: a capability by its name, or a whole turn."""

from typing import Annotated

from contracts.base import Contract
from contracts.chat import MAX_MESSAGE_CHARS, ChatRequest, ChatResponse, SessionId
from contracts.plan import ToolCall
from contracts.tools import ToolDescriptor
from contracts.turns import TurnView
from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult
from pydantic import ConfigDict, StringConstraints, ValidationError

from edge import errors, ids
from edge.askers import Asker, Askers
from edge.boundary import Facts, facts_of
from edge.chat import Chat
from edge.mcp import answers, choices
from edge.mcp.choices import State
from edge.problems import invalid
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


class Calls:
    """Answers calls. Every method raises an `EdgeError` when it cannot."""

    def __init__(self, chat: Chat, turns: Turns, askers: Askers) -> None:
        self._askers = askers
        self._chat = chat
        self._turns = turns

    async def tool(
        self, tool: ToolDescriptor, params: CallToolRequestParams, ctx: ServerRequestContext
    ) -> Result:
        """Call a capability; when several items fit, ask which one is meant."""
        state = choices.state_of(params)
        if state is not None:
            outcome = await self._turns.found(state.request_id)
            if outcome is not None:
                picked = choices.answer_of(params)
                return answers.of_outcome(tool, answers.chosen(outcome, picked), state.request_id)
        call = ToolCall(capability=tool.capability, args=params.arguments or {})
        request_id, outcome = await self._chat.call(call, self._asker(ctx))
        _facts(ctx).request_id = request_id
        options = [(str(n), item.label) for n, item in enumerate(outcome.items)]
        if answers.needs_choice(tool, outcome) and _may_ask(ctx, len(options)):
            message = outcome.message or text("mcp_choose")
            return choices.question(message, options, State(request_id=request_id))
        return answers.of_outcome(tool, outcome, request_id)

    async def ask(self, params: CallToolRequestParams, ctx: ServerRequestContext) -> Result:
        """Run a whole turn; when its user has to choose, ask."""
        state = choices.state_of(params)
        if state is None:
            request = _request(params)
            response = await self._chat.answer(request, self._asker(ctx))
            return await self._told(ctx, request.session_id, response)
        picked = choices.answer_of(params)
        is_option = picked is not None and ids.turn_of(picked) == state.request_id
        if is_option:
            request = ChatRequest(session_id=state.session_id, choice_id=picked)
            await self._chat.answer(request, self._asker(ctx))
        whole = choices.completed(await self._view(state.request_id), state.first_round)
        if not is_option:
            return answers.of_response(state.session_id, whole)
        return await self._told(ctx, state.session_id, whole, state)

    async def _told(
        self,
        ctx: ServerRequestContext,
        session_id: str,
        response: ChatResponse,
        state: State | None = None,
    ) -> Result:
        facts = _facts(ctx)
        facts.request_id, facts.session_id = response.request_id, session_id
        options = [(choice.id, choice.label) for choice in choices.open_choices(response)]
        if not options or not _may_ask(ctx, len(options)):
            return answers.of_response(session_id, response)
        if state is None:
            view = await self._view(response.request_id)
            state = State(request_id=view.request_id, session_id=session_id, first_round=len(view.rounds) - 1)
        message = next(s.message for s in response.steps if s.choices and s.choices[0].id == options[0][0])
        return choices.question(message, options, state)

    def _asker(self, ctx: ServerRequestContext) -> Asker:
        assert ctx.request is not None
        return self._askers.of(ctx.request.scope)

    async def _view(self, request_id: str) -> TurnView:
        view = (await self._turns.views([request_id])).get(request_id)
        if view is None:
            raise errors.TurnNotFound(request_id=request_id)
        return view


def _facts(ctx: ServerRequestContext) -> Facts:
    """For the line in the log."""
    assert ctx.request is not None
    return facts_of(ctx.request.scope)


def _may_ask(ctx: ServerRequestContext, options: int) -> bool:
    return options <= choices.MAX_OPTIONS and choices.can_ask(ctx)


def _request(params: CallToolRequestParams) -> ChatRequest:
    """Raises `InvalidRequest`."""
    try:
        asked = Asked.model_validate(params.arguments or {})
    except ValidationError as error:
        raise invalid(error) from None
    return ChatRequest(session_id=asked.session_id or ids.new_session_id(), user_message=asked.message)
