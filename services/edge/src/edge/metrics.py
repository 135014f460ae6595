"""What Prometheus learns from the edge."""

from prometheus_client import Counter, Gauge, Histogram
from servicekit.telemetry import TURN_BUCKETS

REQUESTS = Counter("ask_http_requests_total", "HTTP requests answered.", ["method", "route", "status"])
SECONDS = Histogram(
    "ask_http_request_seconds",
    "Time from the first byte of a request to the end of its answer.",
    ["route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)
WAITING = Gauge("ask_turns_waiting", "HTTP exchanges that wait for their turn.")
LOOKED_UP = Counter("ask_replies_looked_up_total", "Answers found in the state because no reply had come.")
AT_WORK = Gauge("ask_turns_at_work", "Turns that were let in and have not ended.")
AT_WORK_LIMIT = Gauge("ask_turns_at_work_limit", "How many turns may be at work, as learned from their time.")
TURNS = Counter(
    "ask_turns_total", "Messages, choices and calls that were handed in.", ["interface", "status"]
)
TURN_SECONDS = Histogram(
    "ask_turn_seconds",
    "Time from a message, choice or call to its answer.",
    ["interface"],
    buckets=TURN_BUCKETS,
)
OLDEST_SECONDS = Gauge("ask_turn_oldest_seconds", "Age of the oldest that has no answer yet.")
REFUSED = Counter("ask_refused_total", "Turns and streams that were refused.", ["reason"])
FEEDBACK = Counter("ask_feedback_total", "What users think of answers.", ["verdict"])
STORE_FULLNESS = Gauge("ask_store_fullness", "How full a store is; 1 is full.", ["store"])
