"""Which steps of a plan are questions about documents, and that none of them is answered off-hand. Pure."""

from contracts.chat import Agent
from contracts.intents import Intent
from contracts.plan import Plan, PlanStep
from contracts.research import ErrorType

from orchestrator.state import StepState

RETRIEVE = "documents.retrieve"
CAPABILITIES = "capabilities"
"""The argument `about` of an `answer` step that says what can be asked: it needs no documents."""


def retrieves(step: StepState | PlanStep) -> bool:
    """Whether the last call of a step, or its only one, looks for documents."""
    return bool(step.calls) and step.calls[-1].capability == RETRIEVE


def searches(step: StepState | PlanStep) -> bool:
    """Whether a step is a question about documents, whatever has become of it."""
    return step.intent == Intent.SEARCH_DOCUMENTS or retrieves(step)


def guarded(plan: Plan, agent: Agent) -> Plan:
    """The plan, in which no question about documents is answered without looking anything up."""
    if agent == "riskiagent" and not any(_is_grounded(step) for step in plan.steps):
        return Plan(steps=(PlanStep(intent=Intent.SEARCH_DOCUMENTS, error_type=ErrorType.NO_TOOL_CALL),))
    return Plan(steps=tuple(_guarded(step) for step in plan.steps))


def _is_grounded(step: PlanStep) -> bool:
    about_itself = step.intent == Intent.ANSWER and step.args.get("about") == CAPABILITIES
    return retrieves(step) or step.error_type is not None or about_itself


def _guarded(step: PlanStep) -> PlanStep:
    ended = step.status is not None or step.error_type is not None
    if step.intent == Intent.SEARCH_DOCUMENTS and not step.calls and not ended:
        return step.model_copy(update={"error_type": ErrorType.NO_TOOL_CALL})
    return step
