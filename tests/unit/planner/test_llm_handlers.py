"""From `plan.requested` to `plan.ready`."""

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
from contracts import subjects
from contracts.messages import PlanReady, PlanRequested, Usage
from contracts.plan import Plan, PlanStep, ToolCall
from contracts.research import ErrorType
from contracts.status import Status
from contracts.tools import ToolDescriptor
from contracts.vocabulary import Vocabulary
from servicekit.bus import Bus
from solothurn import VOCABULARY

from planner import handlers
from planner.planning import Planned, Planner
from planner.texts import text

from .fake_openai import Fails, FakeOpenAI
from .llm_kit import RETRIEVE, TOOLS, MakePlanner, OtherPlanner, QueryArgs, ending, request, tool

Handler = Callable[[PlanRequested], Awaitable[None]]


class OneHandlerBus:
    """Keeps the one handler and what it publishes."""

    def __init__(self) -> None:
        self.handler: Handler | None = None
        self.subjects: tuple[str, ...] = ()
        self.published: list[PlanReady] = []

    def subscriber(self, *wanted: str, **_: Any) -> Callable[[Handler], Handler]:
        self.subjects = wanted

        def register(handler: Handler) -> Handler:
            self.handler = handler
            return handler

        return register

    async def publish(self, *messages: PlanReady) -> None:
        self.published.extend(messages)


class Alive:
    def __init__(self, tools: tuple[ToolDescriptor, ...] = TOOLS) -> None:
        self._tools = tools

    def tools(self) -> tuple[ToolDescriptor, ...]:
        return self._tools

    def vocabulary(self) -> Vocabulary:
        return VOCABULARY


async def answer_of(
    planner: Planner, asked: PlanRequested, tools: tuple[ToolDescriptor, ...] = TOOLS
) -> PlanReady:
    bus = OneHandlerBus()
    handlers.register(cast("Bus", bus), planner, Alive(tools))
    assert bus.handler is not None
    await bus.handler(asked)
    (ready,) = bus.published
    return ready


class Plans(OtherPlanner):
    PLAN = Plan(
        steps=(
            PlanStep(
                intent="oereb_extract",
                calls=(
                    ToolCall(capability="oereb.egrid_by_xy", args={"x": 1.0, "y": 2.0}),
                    ToolCall(capability="oereb.extract_by_id"),
                ),
            ),
        )
    )


class Raises(OtherPlanner):
    async def plan(self, *_: object) -> Planned:
        raise RuntimeError("a bug")


def test_the_handler_consumes_plan_requests_and_says_how_they_are_acked() -> None:
    bus = OneHandlerBus()
    handlers.register(cast("Bus", bus), OtherPlanner(), Alive())
    assert bus.subjects == (subjects.PLAN_REQUESTED,)


async def test_the_plan_goes_out_with_the_tools_that_it_calls() -> None:
    asked = request(language="en")
    ready = await answer_of(Plans(), asked)

    assert ready.plan == Plans.PLAN
    assert [tool.capability for tool in ready.tools] == ["oereb.egrid_by_xy", "oereb.extract_by_id"]
    assert ready.planner == "rules"
    assert (ready.request_id, ready.session_id) == (asked.request_id, asked.session_id)
    assert ready.subject == "plan.ready.req-1"


class Searches(OtherPlanner):
    PLAN = Plan(
        steps=(
            PlanStep(
                intent="search_documents",
                calls=(ToolCall(capability="documents.retrieve", args={"query": "Radwege"}),),
            ),
        )
    )


class Costs(OtherPlanner):
    async def plan(self, *_: object) -> Planned:
        return Planned(self.PLAN, "my-model", Usage(calls=1, input_tokens=900, output_tokens=70))


PARCELS = tool("parcels.rate", QueryArgs).model_copy(update={"for_each": "parcel"})
DOCUMENTS = tool("documents.check", QueryArgs).model_copy(update={"for_each": "document", "internal": True})


async def test_what_is_called_for_each_item_that_a_plan_finds_goes_with_the_plan() -> None:
    tools = (DOCUMENTS, RETRIEVE.model_copy(update={"result_types": ("document",)}), PARCELS)
    ready = await answer_of(Searches(), request(), tools)
    assert [each.capability for each in ready.tools] == ["documents.check", "documents.retrieve"]
    assert [each.for_each for each in ready.tools] == ["document", None]
    ready = await answer_of(Plans(), request(), (*TOOLS, DOCUMENTS, PARCELS))
    assert [each.capability for each in ready.tools][-1] == "parcels.rate"
    assert "documents.check" not in [each.capability for each in ready.tools]


async def test_no_planner_is_offered_what_is_internal() -> None:
    planner = Searches()
    await answer_of(planner, request(), (DOCUMENTS, RETRIEVE, PARCELS))
    assert planner.offered == (RETRIEVE, PARCELS)


async def test_the_costs_of_a_plan_go_with_it() -> None:
    assert (await answer_of(Plans(), request())).usage == Usage()
    ready = await answer_of(Costs(), request())
    assert (ready.planner, ready.usage.calls, ready.usage.input_tokens) == ("my-model", 1, 900)


async def test_a_bug_leaves_a_question_about_documents_with_an_error() -> None:
    ready = await answer_of(Raises(), request("Was kostet das?", agent="riskiagent"))
    expected = PlanStep(intent="search_documents", error_type=ErrorType.SERVER_ERROR)
    assert ready.plan == Plan(steps=(expected,))


async def test_a_bug_in_a_planner_ends_the_turn(caplog: pytest.LogCaptureFixture) -> None:
    ready = await answer_of(Raises(), request())

    status, message = ending(ready.plan)
    assert (status, message) == (Status.ERROR, text("planner_failed"))
    (record,) = [r for r in caplog.records if r.levelno == logging.ERROR]
    assert record.exc_info is not None


async def test_it_is_visible_that_the_rules_stood_in(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    openai.will(Fails(401))
    ready = await answer_of(make_planner(Plans()), request())

    assert ready.planner == "rules (fallback)"
    assert [tool.capability for tool in ready.tools] == ["oereb.egrid_by_xy", "oereb.extract_by_id"]
    sent = json.loads(ready.to_json())
    assert sent["plan"].keys() == {"steps"}
    assert PlanReady.from_json(ready.to_json()).plan == Plans.PLAN


async def test_the_model_is_named(openai: FakeOpenAI, make_planner: MakePlanner) -> None:
    openai.will(Fails(401))
    ready = await answer_of(make_planner(openai_model="my-model"), request())
    assert ready.planner == "my-model"


async def test_another_model_than_the_one_for_all_may_plan(
    openai: FakeOpenAI, make_planner: MakePlanner
) -> None:
    openai.will(Fails(401))
    ready = await answer_of(make_planner(openai_model="for-all", plan_model="planning"), request())
    assert ready.planner == openai.only_request.body["model"] == "planning"
