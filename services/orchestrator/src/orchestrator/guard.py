"""Which steps of a plan are questions about documents, and that none of them is answered off-hand. Pure."""

from contracts.agents import Agent, only_intent
from contracts.intents import Intent
from contracts.intents.search_documents import SPEC
from contracts.plan import Plan, PlanStep
from contracts.research import ErrorType
from contracts.status import Status

from orchestrator.state import StepState

CAPABILITIES = "capabilities"
"""The argument `about` of an `answer` step that says what can be asked: it needs no documents."""


def retrieves(step: StepState | PlanStep) -> bool:
    """Whether the last call of a step, or its only one, looks for documents."""
    return bool(step.calls) and step.calls[-1].capability == SPEC.goal


def searches(step: StepState | PlanStep) -> bool:
    """Whether a step is a question about documents, whatever has become of it."""
    return step.intent == SPEC.intent or retrieves(step)


def guarded(plan: Plan, agent: Agent) -> Plan:
    """The plan, in which no question about documents is answered without looking anything up."""
    steps = plan.steps
    if only_intent(agent) == SPEC.intent:
        steps = tuple(filter(_is_grounded, steps)) or (PlanStep(intent=SPEC.intent),)
    return Plan(steps=tuple(map(_guarded, steps)))


def _is_grounded(step: PlanStep) -> bool:
    about_itself = step.intent == Intent.ANSWER and step.args.get("about") == CAPABILITIES
    asks_back = step.intent == Intent.CLARIFY and step.status is Status.NEEDS_CLARIFICATION
    says_why = step.error_type is not None
    return retrieves(step) or says_why or (not step.calls and (about_itself or asks_back))


def _guarded(step: PlanStep) -> PlanStep:
    ended = step.status is not None or step.error_type is not None
    if step.intent == SPEC.intent and not step.calls and not ended:
        return step.model_copy(update={"error_type": ErrorType.NO_TOOL_CALL})
    return step
