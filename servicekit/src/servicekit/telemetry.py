"""JSON logs and Prometheus metrics; with the ids of the trace where one is kept."""

import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from time import time
from typing import TextIO

from contracts.subjects import Header
from prometheus_client import Counter, Gauge, Histogram
from pydantic_core import to_json
from servicekit import tracing

_WORK_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
"""Seconds of what one service does."""
TURN_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 7.5, 10, 15, 20, 30)
"""Seconds of a whole turn, which has an end after 30."""
HANDLED = Counter("ask_messages_handled_total", "Messages handled.", ["kind", "outcome"])
SECONDS = Histogram(
    "ask_message_seconds",
    "Time from delivery to acknowledgement.",
    ["kind"],
    buckets=_WORK_BUCKETS,
)
IN_FLIGHT = Gauge("ask_messages_in_flight", "Messages being handled.", ["consumer"])
PUBLISHED = Counter("ask_messages_published_total", "Messages published.", ["kind"])
WITHDRAWN = Counter("ask_answers_withdrawn_total", "Answers of a model that others replace.", ["reason"])
SOURCE_CALLS = Counter("ask_source_calls_total", "Calls of sources over HTTP.", ["origin", "result"])
SOURCE_SECONDS = Histogram(
    "ask_source_call_seconds",
    "Time of a call of a source, with its retries.",
    ["origin"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
TOOL_CALLS = Counter("ask_tool_calls_total", "Calls of tools.", ["capability", "status"])
TOOL_SECONDS = Histogram(
    "ask_tool_seconds",
    "Time of a call of a tool, from the message to what it has found.",
    ["capability"],
    buckets=_WORK_BUCKETS,
)
MODEL_CALLS = Counter("ask_model_calls_total", "Calls of language models.", ["model", "operation", "result"])
MODEL_SECONDS = Histogram(
    "ask_model_call_seconds",
    "Time of a call of a language model, to the end of its answer.",
    ["model", "operation"],
    buckets=(0.1, 0.25, 0.5, 1, 2, 3, 5, 7.5, 10, 15, 20, 30),
)
MODEL_TOKENS = Counter("ask_model_tokens_total", "Tokens of language models.", ["model", "direction"])
SOURCE_RETRIES = Counter(
    "ask_source_retries_total", "Requests to sources that were sent once more.", ["origin"]
)

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}


@cache
def handled(kind: str, outcome: str) -> tuple[Counter, Histogram]:
    """Counter and clock of one kind of message; looking them up by label costs more than using them."""
    return HANDLED.labels(kind, outcome), SECONDS.labels(kind)


def request_id_of(headers: dict[str, str]) -> str:
    """The turn that a message belongs to, whoever can read the message itself: its id begins so."""
    return headers.get(Header.REQUEST_ID) or headers.get(Header.MESSAGE_ID, "").partition("/")[0]


def observe(clock: Histogram, seconds: float) -> None:
    """With the current trace as an example, if it is kept."""
    kept = tracing.kept()
    if kept is None:
        clock.observe(seconds)
    else:
        clock.observe(seconds, {"trace_id": kept.trace_id, "span_id": kept.span_id})


@cache
def published(kind: str) -> Counter:
    """The counter of one kind of published message."""
    return PUBLISHED.labels(kind)


def source_called(origin: str, result: str, seconds: float) -> None:
    """Count a call of a source; `result` is `ok` or the kind of error."""
    SOURCE_CALLS.labels(origin, result).inc()
    observe(SOURCE_SECONDS.labels(origin), seconds)


def source_retried(origin: str) -> None:
    """Count a request that is sent once more."""
    SOURCE_RETRIES.labels(origin).inc()


@cache
def _of_tool(capability: str, status: str) -> tuple[Counter, Histogram]:
    return TOOL_CALLS.labels(capability, status), TOOL_SECONDS.labels(capability)


def tool_called(capability: str, status: str, seconds: float) -> None:
    """Count a call of a tool. `capability`: one that the service offers, so that there are not too many."""
    counter, clock = _of_tool(capability, status)
    counter.inc()
    observe(clock, seconds)


_CHATTY = ("httpx", "httpx2", "httpcore", "httpcore2", "openai", "uvicorn.error", "faststream", "nats")


class _JsonHandler(logging.StreamHandler[TextIO]):
    """One JSON object a line."""

    def __init__(self, service: str) -> None:
        super().__init__(sys.stderr)
        self.service = service

    def format(self, record: logging.LogRecord) -> str:
        facts = {key: value for key, value in vars(record).items() if key not in _STANDARD}
        if record.exc_info:
            facts["error"] = logging.Formatter().formatException(record.exc_info)
        return self.line(record.created, record.levelname.lower(), record.getMessage(), facts)

    def line(self, at: float, level: str, event: str, facts: Mapping[str, object]) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds"),
            "level": level,
            "service": self.service,
            "event": event,
        }
        line.update((key, value) for key, value in facts.items() if value is not None)
        if (kept := tracing.kept()) is not None:
            line["trace_id"], line["span_id"] = kept.trace_id, kept.span_id
        return to_json(line, fallback=str).decode()


def configure_logging(service: str, level: str) -> None:
    """One JSON object a line on standard error; `extra=` becomes keys."""
    root = logging.getLogger()
    root.handlers[:] = [_JsonHandler(service)]
    root.setLevel(level.upper())
    for chatty in _CHATTY:
        logging.getLogger(chatty).setLevel(logging.WARNING)


def log_line(log: logging.Logger, event: str, facts: Mapping[str, object]) -> None:
    """`log.info(event, extra=facts)` for the one line that every message gets.

    Past the log record, which costs several times as much as the line. The result is the same.
    """
    if not log.isEnabledFor(logging.INFO):
        return
    handlers = logging.getLogger().handlers
    if len(handlers) == 1 and isinstance(handlers[0], _JsonHandler):
        handler = handlers[0]
        handler.stream.write(handler.line(time(), "info", event, facts) + handler.terminator)
    else:
        log.info(event, extra=dict(facts))
