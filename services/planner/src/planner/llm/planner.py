"""Plans with a language model: one question, at most one repair, and always an answer."""

import asyncio
import logging
import traceback
from dataclasses import dataclass, field, replace
from time import perf_counter

from contracts.messages import PlanRequested, Usage
from contracts.plan import Plan
from contracts.session import OpenChoice
from contracts.tools import ToolDescriptor
from servicekit import clock
from servicekit.completions import LanguageModel, Message, Reply
from servicekit.fence import repeats
from servicekit.llm import LlmUnavailable

from planner.failing import failed
from planner.llm.answer import Unusable, read_answer
from planner.llm.answer_schema import answer_schema
from planner.llm.offer import Offer, Offers
from planner.llm.prompt import repair_prompt, system_prompt, user_prompt
from planner.llm.strict import Schema
from planner.planning import Planned, Planner
from planner.rules import asks_documents
from planner.rules import plan as plan_by_rules
from planner.rules.planning.researching import is_talk
from planner.settings import Settings

log = logging.getLogger("ask.planner.llm")

_MAX_ROUNDS = 2
"""The question and one repair."""
_SAID_BEFORE = 2
"""Messages before that tell what a short one is about."""
_MAX_OPTIONS = 100
"""Endpoints limit the total length of an enumeration; ids of options are long."""
_ENDINGS = {"refusal": "llm_refused", "length": "llm_truncated", "content_filter": "llm_blocked"}


class _Useless(Exception):
    """The model has answered, but not with a plan; `key` names the sentence for the user."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


@dataclass
class _Costs:
    """What one plan has taken."""

    started: float = field(default_factory=perf_counter)
    usage: Usage = field(default_factory=Usage)


class LlmPlanner:
    """Asks `model`. While that is unreachable, `stand_in` plans if there is one."""

    def __init__(self, model: LanguageModel, settings: Settings, stand_in: Planner | None = None) -> None:
        self.name = model.name
        self._model = model
        self._settings = settings
        self._stand_in = stand_in
        self._offers = Offers((), settings.openai_further_tools)

    async def plan(self, request: PlanRequested, tools: tuple[ToolDescriptor, ...]) -> Planned:
        """Never raises. What the model cannot do ends in a `clarify` step; an unreachable endpoint does too,
        with status error, unless the stand-in plans. A question about documents gets an `error_type`."""
        costs = _Costs()
        outcome = "cancelled"
        try:
            plan = await self._ask(request, tools, costs)
            outcome = "ok"
            return Planned(plan, self.name, costs.usage)
        except _Useless as useless:
            outcome = useless.key
            about_documents = asks_documents(request, tools)
            return Planned(
                failed(useless.key, request, about_documents=about_documents), self.name, costs.usage
            )
        except LlmUnavailable as unavailable:
            outcome = unavailable.outcome
            return replace(await self._without_model(request, tools, unavailable), usage=costs.usage)
        except Exception as error:
            outcome = "bug"
            _log_bug(error, request)
            return Planned(failed("planner_failed", request), self.name, costs.usage)
        finally:
            facts = {
                "request_id": request.request_id,
                "model": self.name,
                "outcome": outcome,
                "rounds": costs.usage.calls,
                "prompt_tokens": costs.usage.input_tokens,
                "completion_tokens": costs.usage.output_tokens,
                "ms": round((perf_counter() - costs.started) * 1_000, 1),
            }
            log.log(logging.INFO if outcome == "ok" else logging.WARNING, "planned", extra=facts)

    async def _ask(self, request: PlanRequested, tools: tuple[ToolDescriptor, ...], costs: _Costs) -> Plan:
        offered = self._offer(request, tools)
        if not offered.may_speak and (not offered.tools or is_talk(request.user_message)):
            # Nothing can or need be looked up: there is nothing to plan, and the rules know what to say.
            return plan_by_rules(
                request.user_message, request.session, tools, request.language, request.agent
            )
        budget_s = (request.deadline - clock.now()).total_seconds() - self._settings.openai_reserve_s
        if budget_s <= 0:
            raise LlmUnavailable("timeout")
        try:
            async with asyncio.timeout(budget_s):
                return await self._converse(request, offered, costs)
        except TimeoutError:
            raise LlmUnavailable("timeout") from None

    async def _converse(self, request: PlanRequested, offered: Offer, costs: _Costs) -> Plan:
        settings = self._settings
        choices = _recent(request.session.choices) if request.agent == "map" else ()
        choice_ids = [option.id for choice in choices for option in choice.options]
        schema = answer_schema(offered, choice_ids)
        enforced = settings.openai_structured_output == "strict"
        question = user_prompt(
            request,
            offered,
            choices,
            history_entries=settings.openai_history_entries,
            entry_chars=settings.openai_history_entry_chars,
        )
        rules = system_prompt(offered, None if enforced else schema)
        conversation = [{"role": "system", "content": rules}, {"role": "user", "content": question}]
        for _ in range(_MAX_ROUNDS):
            costs.usage += Usage(calls=1)
            reply = await self._reply(conversation, schema)
            costs.usage += reply.usage
            if reply.ending in _ENDINGS:
                raise _Useless(_ENDINGS[reply.ending])
            try:
                plan = read_answer(reply.text, offered, choice_ids, request.language)
                if any(repeats(step.message or "", rules) for step in plan.steps):
                    # What the model was told is for nobody else.
                    raise _Useless("llm_blocked")
                return plan
            except Unusable as unusable:
                conversation += [
                    # Some endpoints reject an empty turn.
                    {"role": "assistant", "content": reply.text or "{}"},
                    {"role": "user", "content": repair_prompt(unusable.problems)},
                ]
        raise _Useless("llm_unusable")

    async def _reply(self, conversation: list[Message], schema: Schema) -> Reply:
        temperature = self._settings.openai_temperature
        try:
            return await self._model.reply(conversation, "plan", schema, temperature=temperature)
        except LlmUnavailable as unavailable:
            if unavailable.reason == "content_filter":
                raise _Useless(_ENDINGS["content_filter"]) from None
            raise

    def _offer(self, request: PlanRequested, tools: tuple[ToolDescriptor, ...]) -> Offer:
        """The list of tools changes rarely: what was made of it is kept until it does."""
        if self._offers.tools != tools:
            self._offers = Offers(tools, self._settings.openai_further_tools)
        said = [entry.text for entry in reversed(request.session.history) if entry.role == "user"]
        return self._offers.about([request.user_message, *said[:_SAID_BEFORE]], request.agent)

    async def _without_model(
        self, request: PlanRequested, tools: tuple[ToolDescriptor, ...], unavailable: LlmUnavailable
    ) -> Planned:
        if self._stand_in is None:
            key = "llm_late" if unavailable.reason == "timeout" else "llm_unreachable"
            return Planned(failed(key, request, about_documents=asks_documents(request, tools)), self.name)
        try:
            planned = await self._stand_in.plan(request, tools)
        except Exception as error:
            _log_bug(error, request)
            return Planned(failed("planner_failed", request), self.name)
        return replace(planned, planner=f"{self._stand_in.name} (fallback)")


def _recent(choices: tuple[OpenChoice, ...]) -> tuple[OpenChoice, ...]:
    """The newest choices, the first in any case, and as many as have room in an enumeration."""
    room = _MAX_OPTIONS
    recent: list[OpenChoice] = []
    for choice in choices:
        fitting = choice.options[:room] if not recent else choice.options
        if len(fitting) > room:
            break
        room -= len(fitting)
        recent.append(choice.model_copy(update={"options": fitting}))
    return tuple(recent)


def _log_bug(error: Exception, request: PlanRequested) -> None:
    """With the stack and without the message, which may quote what users write."""
    stack = "".join(traceback.format_tb(error.__traceback__))
    log.error(
        "planner failed",
        extra={"request_id": request.request_id, "reason": type(error).__name__, "stack": stack},
    )
