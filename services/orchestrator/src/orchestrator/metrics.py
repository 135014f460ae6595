"""What can be counted of the orchestrator alone."""

from prometheus_client import Counter

REFUSED = Counter(
    "ask_events_refused_total", "Events that do not come from whom the turn has asked.", ["reason"]
)
