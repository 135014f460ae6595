"""The whole map of the bus: subjects, streams, and who may publish and who consumes what."""

from dataclasses import dataclass
from typing import Literal

CHAT_REQUESTED = "chat.requested"
CHAT_CANCELLED = "chat.cancelled"
PLAN_REQUESTED = "plan.requested"
PLAN_READY = "plan.ready"
TOOL_RESULT = "tool.result"
ACTIONPLAN_REQUESTED = "actionplan.requested"
ACTIONPLAN_READY = "actionplan.ready"
ANSWER_REQUESTED = "answer.requested"
ANSWER_READY = "answer.ready"
WORK_CANCELLED = "work.cancelled"
"""Core NATS: whoever works on that round can stop."""

MAX_DELIVERIES_ADVISORY = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>"
TOOLS_BUCKET = "tools"
TOOL_TTL_S = 30.0
"""A descriptor that is not refreshed for this long is gone."""
TOOL_REFRESH_S = 10.0


def tool_call(capability: str) -> str:
    """Subject of the calls of one capability, e.g. `tool.call.geolocation.geocode`."""
    return f"tool.call.{capability}"


def tool_calls(family: str) -> str:
    """Subject of the calls of a whole family of capabilities, e.g. `tool.call.geolocation.>`."""
    return f"tool.call.{family}.>"


def turn_event(request_id: str) -> str:
    """Subject of the event log of one turn."""
    return f"turn.event.{request_id}"


def reply(edge_id: str) -> str:
    """The inbox (core NATS) of one edge replica."""
    return f"edge.reply.{edge_id}"


def dead(service: str) -> str:
    """Subject for messages that a service had to give up."""
    return f"dead.{service}"


class Header:
    """Header names on the bus."""

    MESSAGE_ID = "Nats-Msg-Id"
    REQUEST_ID = "Ask-Request-Id"
    SESSION_ID = "Ask-Session-Id"
    DEADLINE = "Ask-Deadline"
    REASON = "Ask-Reason"
    ORIGIN = "Ask-Origin"


@dataclass(frozen=True)
class Stream:
    """A JetStream stream. `work_queue`: a message is gone when its one consumer has acked it."""

    name: str
    subjects: tuple[str, ...]
    retention: Literal["work_queue", "limits"]
    max_age_s: float
    max_msgs: int = -1
    """-1 is no limit."""


COMMANDS = Stream(
    "COMMANDS",
    (CHAT_REQUESTED, CHAT_CANCELLED, PLAN_REQUESTED, "tool.call.>", ACTIONPLAN_REQUESTED, ANSWER_REQUESTED),
    "work_queue",
    3_600,
    max_msgs=100_000,
)
EVENTS = Stream("EVENTS", (PLAN_READY, TOOL_RESULT, ACTIONPLAN_READY, ANSWER_READY), "limits", 3_600)
TURNS = Stream("TURNS", ("turn.event.*",), "limits", 86_400)
DEAD = Stream("DEAD", ("dead.>", MAX_DELIVERIES_ADVISORY), "limits", 30 * 86_400)

STREAMS = (COMMANDS, EVENTS, TURNS, DEAD)

Role = Literal["edge", "orchestrator", "planner", "actionplanner", "responder", "tools", "ask"]


@dataclass(frozen=True)
class Route:
    """One line of the bus table: who publishes a subject, who consumes it, and what it carries."""

    subject: str
    stream: str
    publishers: tuple[Role, ...]
    consumers: tuple[Role, ...]
    carries: str


ROUTES = (
    Route(CHAT_REQUESTED, "COMMANDS", ("edge",), ("orchestrator",), "ChatRequested"),
    Route(CHAT_CANCELLED, "COMMANDS", ("edge",), ("orchestrator",), "ChatCancelled"),
    Route(PLAN_REQUESTED, "COMMANDS", ("orchestrator",), ("planner",), "PlanRequested"),
    Route(PLAN_READY, "EVENTS", ("planner",), ("orchestrator",), "PlanReady"),
    Route("tool.call.<capability>", "COMMANDS", ("orchestrator",), ("tools",), "ToolCalled"),
    Route(TOOL_RESULT, "EVENTS", ("tools",), ("orchestrator",), "ToolResult"),
    Route(ACTIONPLAN_REQUESTED, "COMMANDS", ("orchestrator",), ("actionplanner",), "ActionPlanRequested"),
    Route(ACTIONPLAN_READY, "EVENTS", ("actionplanner",), ("orchestrator",), "ActionPlanReady"),
    Route(ANSWER_REQUESTED, "COMMANDS", ("orchestrator",), ("responder",), "AnswerRequested"),
    Route(ANSWER_READY, "EVENTS", ("responder",), ("orchestrator",), "AnswerReady"),
    Route("turn.event.<requestId>", "TURNS", ("orchestrator",), ("edge", "ask"), "TurnEvent"),
    Route("turn.event.<requestId>", "TURNS", ("responder",), ("edge", "ask"), "AnswerDelta"),
    Route(WORK_CANCELLED, "(core)", ("orchestrator",), ("planner", "responder", "tools"), "WorkCancelled"),
    Route("edge.reply.<edgeId>", "(core)", ("orchestrator",), ("edge",), "TurnReply"),
    Route(
        "dead.<service>",
        "DEAD",
        ("orchestrator", "planner", "actionplanner", "responder", "tools"),
        ("ask",),
        "any",
    ),
    Route("$KV.tools.<capability>", "KV_tools", ("tools",), ("planner", "edge"), "ToolDescriptor"),
)


TOOL_FAMILIES = {
    "tools-docs": ("documents",),
    "tools-geo": ("cadastral", "geolocation", "geothermal", "layers", "parcels", "terrain"),
    "tools-mcp": ("mcp",),
    "tools-oereb": ("oereb",),
}
"""Who the role `tools` is: the tool services, and the families of capabilities that each of them offers."""


@dataclass(frozen=True)
class Consumer:
    """A durable pull consumer; all processes of the service share it."""

    service: str
    stream: str
    subjects: tuple[str, ...]
    max_ack_pending: int = 1_000
    """-1 is no limit."""


CONSUMERS = (
    # Every turn in work holds its request unacknowledged.
    Consumer("orchestrator", "COMMANDS", (CHAT_REQUESTED, CHAT_CANCELLED), max_ack_pending=-1),
    Consumer("orchestrator", "EVENTS", EVENTS.subjects),
    Consumer("planner", "COMMANDS", (PLAN_REQUESTED,)),
    Consumer("actionplanner", "COMMANDS", (ACTIONPLAN_REQUESTED,)),
    Consumer("responder", "COMMANDS", (ANSWER_REQUESTED,)),
    *(
        Consumer(service, "COMMANDS", tuple(map(tool_calls, families)))
        for service, families in TOOL_FAMILIES.items()
    ),
)


def stream_of(subject: str) -> Stream:
    """The stream that stores a subject. Raises `KeyError` for a subject outside the table."""
    for stream in STREAMS:
        for pattern in stream.subjects:
            prefix = pattern.removesuffix(">").removesuffix("*")
            if subject == pattern or (prefix != pattern and subject.startswith(prefix)):
                return stream
    raise KeyError(subject)
