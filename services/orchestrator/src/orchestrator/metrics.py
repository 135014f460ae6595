"""What can be counted of the orchestrator alone."""

from collections.abc import Iterable, Sequence

from contracts.intents import Intent
from contracts.turns import TurnEvent, TurnEventKind
from prometheus_client import Counter, Histogram
from servicekit.telemetry import TURN_BUCKETS, observe

REFUSED = Counter(
    "ask_events_refused_total", "Events that do not come from whom the turn has asked.", ["reason"]
)
STEPS = Counter("ask_steps_total", "Steps of answers.", ["intent", "status"])
STEP_SECONDS = Histogram(
    "ask_step_seconds",
    "Time from a message or choice to the answer that has the step.",
    ["intent"],
    buckets=TURN_BUCKETS,
)
_INTENTS = frozenset(map(str, Intent))


def answered(journal: Sequence[TurnEvent], told: Iterable[TurnEvent]) -> None:
    """Count the answers among the messages that are told of a turn."""
    for event in (entry for page in told for entry in journal[page.n - len(page.earlier) : page.n + 1]):
        if event.kind is not TurnEventKind.FINISHED or event.response is None:
            continue
        began = next((entry.at for entry in journal if entry.round == event.round), event.at)
        for step in event.response.steps:
            intent = _known(step.intent)
            STEPS.labels(intent, step.status).inc()
            observe(STEP_SECONDS.labels(intent), (event.at - began).total_seconds())


def _known(intent: str) -> str:
    """No more labels than there are intents: a tool that is called by its name has its own as one."""
    if intent in _INTENTS:
        return intent
    return "call" if "." in intent else "other"
