"""Plans that say why there is none."""

from contracts.agents import only_intent
from contracts.intents import Intent
from contracts.messages import PlanRequested
from contracts.plan import Plan, PlanStep
from contracts.research import ErrorType
from contracts.status import Status

from planner.texts import text

_ERROR_TYPES = {
    "llm_refused": ErrorType.CONTENT_POLICY_VIOLATION,
    "llm_blocked": ErrorType.CONTENT_POLICY_VIOLATION,
    "llm_unusable": ErrorType.NO_TOOL_CALL,
    "llm_truncated": ErrorType.NO_TOOL_CALL,
    "llm_late": ErrorType.TIMEOUT,
    "llm_unreachable": ErrorType.SERVER_ERROR,
    "planner_failed": ErrorType.SERVER_ERROR,
}
_SAID = {"llm_late": "llm_unreachable"}
"""What is told in the same words."""
_FAULTS = frozenset({"llm_late", "llm_unreachable", "planner_failed"})
"""What the user cannot mend with other words."""


def search_failed(error_type: ErrorType) -> Plan:
    """A question about documents for which nothing could be looked up."""
    return Plan(steps=(PlanStep(intent=Intent.SEARCH_DOCUMENTS, error_type=error_type),))


def failed(key: str, request: PlanRequested, *, about_documents: bool = False) -> Plan:
    """One step with the sentence `key`; of a question about documents only the sort of error is told."""
    if about_documents or only_intent(request.agent) == Intent.SEARCH_DOCUMENTS:
        return search_failed(_ERROR_TYPES[key])
    status = Status.ERROR if key in _FAULTS else Status.NEEDS_CLARIFICATION
    message = text(_SAID.get(key, key), request.language)
    return Plan(steps=(PlanStep(intent=Intent.CLARIFY, status=status, message=message),))
