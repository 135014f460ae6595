"""Which steps look for documents, and that none of them is answered off-hand."""

import pytest
from contracts.intents import Intent
from contracts.plan import Plan, PlanStep, ToolCall
from contracts.research import ErrorType
from contracts.status import Status
from world import GOTO, LOAD, RESPOND, SEARCH, step

from orchestrator.guard import guarded, retrieves, searches
from orchestrator.state import StepState

ABOUT_ITSELF = PlanStep(intent=Intent.ANSWER, message="Ich kann …", args={"about": "capabilities"})
ASKS_BACK = PlanStep(intent=Intent.CLARIFY, message="Welche?", status=Status.NEEDS_CLARIFICATION)
SAYS_WHY = PlanStep(intent=Intent.SEARCH_DOCUMENTS, error_type=ErrorType.TIMEOUT)
BARE = PlanStep(intent=Intent.SEARCH_DOCUMENTS)
NOT_LOOKED_UP = PlanStep(intent=Intent.SEARCH_DOCUMENTS, error_type=ErrorType.NO_TOOL_CALL)


def test_a_search_is_known_by_its_last_call_or_by_its_intent() -> None:
    by_call = step("answer", "layers.search", ("documents.retrieve", {"query": "Wasser"}))
    first_only = step("answer", ("documents.retrieve", {"query": "Wasser"}), "layers.search")
    assert [retrieves(each) for each in (SEARCH, by_call, first_only, BARE)] == [True, True, False, False]
    assert [searches(each) for each in (SEARCH, by_call, first_only, BARE)] == [True, True, False, True]
    assert retrieves(StepState(intent="answer", calls=(ToolCall(capability="documents.retrieve", args={}),)))


def test_a_search_that_looks_nothing_up_says_so() -> None:
    plan = Plan(steps=(SEARCH, BARE))
    assert guarded(plan, "map") == Plan(steps=(SEARCH, NOT_LOOKED_UP))
    assert guarded(plan, "riskiagent") == Plan(steps=(SEARCH,))


@pytest.mark.parametrize(
    "ended",
    [
        SAYS_WHY,
        BARE.model_copy(update={"status": Status.NEEDS_CLARIFICATION}),
        step("search_documents", "layers.search"),
    ],
)
def test_a_search_that_has_ended_or_calls_something_else_stays(ended: PlanStep) -> None:
    assert guarded(Plan(steps=(ended,)), "map") == Plan(steps=(ended,))


def test_the_copilot_of_the_map_may_say_and_do_anything_else() -> None:
    plan = Plan(steps=(GOTO, LOAD, RESPOND, ABOUT_ITSELF, ASKS_BACK))
    assert guarded(plan, "map") == plan
    assert guarded(Plan(steps=()), "map") == Plan(steps=())


@pytest.mark.parametrize("grounded", [SEARCH, SAYS_WHY, ABOUT_ITSELF, ASKS_BACK])
def test_the_agent_of_documents_says_what_is_grounded(grounded: PlanStep) -> None:
    assert guarded(Plan(steps=(grounded, GOTO)), "riskiagent") == Plan(steps=(grounded,))


@pytest.mark.parametrize(
    "off_hand",
    [
        RESPOND,
        GOTO,
        PlanStep(intent=Intent.ANSWER, message="42."),
        PlanStep(intent=Intent.ANSWER, message="42.", args={"about": "life"}),
        PlanStep(intent=Intent.CLARIFY, args={"about": "capabilities"}),
        PlanStep(intent=Intent.CLARIFY, message="42."),
        PlanStep(intent=Intent.ANSWER, message="42.", status=Status.NEEDS_CLARIFICATION),
        ABOUT_ITSELF.model_copy(update={"calls": GOTO.calls}),
        ASKS_BACK.model_copy(update={"calls": GOTO.calls}),
    ],
)
def test_of_what_it_would_say_off_hand_remains_that_nothing_was_looked_up(off_hand: PlanStep) -> None:
    assert guarded(Plan(steps=(off_hand,)), "riskiagent") == Plan(steps=(NOT_LOOKED_UP,))
