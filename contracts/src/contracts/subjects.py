"""The whole map of the bus: subjects, streams, and who may publish and who consumes what."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

CHAT_REQUESTED = "chat.requested"
CHAT_CANCELLED = "chat.cancelled"
PLAN_REQUESTED = "plan.requested"
PLAN_READY = "plan.ready.*"
TOOL_RESULT = "tool.result.*.*"
ACTIONPLAN_REQUESTED = "actionplan.requested"
ACTIONPLAN_READY = "actionplan.ready.*"
ANSWER_REQUESTED = "answer.requested"
ANSWER_READY = "answer.ready.*"
WORK_CANCELLED = "work.cancelled"
"""Core NATS: whoever works on that round can stop."""
SESSION_ERASE = "session.erase"
"""Core NATS: what the bus keeps of the turns of a session is to go."""

SUGGEST_REQUESTED = "suggest.requested"
"""Core NATS: somebody writes a message, and wants to know what names its end may become."""

BUS_ACCOUNT = "BUS"
"""The account with the streams; and the prefix under which the others hear what is announced there."""
BUS_API = f"{BUS_ACCOUNT}.API"
"""The prefix under which services in another account than the streams ask JetStream for their consumers."""
MAX_DELIVERIES_ADVISORY = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>"
TOOLS_BUCKET = "tools"
DUPLICATES_KNOWN_S = 120.0
"""A message that is published again within this is stored once. NATS has all these ids in memory."""
TOOL_TTL_S = 30.0
"""A descriptor that is not refreshed for this long is gone."""
TOOL_REFRESH_S = 10.0
MIB = 1_048_576
TOOLS_MAX_BYTES = 16 * MIB
"""Some hundred descriptors of a few KB, and the ones before them."""
_VOCABULARY, _MODEL = "vocabulary.", "model."


_TOKEN = re.compile(r"[A-Za-z0-9_-]+")


def tool_call(capability: str) -> str:
    """Subject of the calls of one capability, e.g. `tool.call.geolocation.geocode`."""
    return f"tool.call.{capability}"


def tool_calls(family: str) -> str:
    """Subject of the calls of a whole family of capabilities, e.g. `tool.call.geolocation.>`."""
    return f"tool.call.{family}.>"


def vocabulary_key(service: str) -> str:
    """Key in the bucket `tools` of what a service knows by name."""
    return f"{_VOCABULARY}{service}"


def model_key(service: str) -> str:
    """Key in the bucket `tools` of which language model a service uses."""
    return f"{_MODEL}{service}"


def is_vocabulary(key: str) -> bool:
    """Whether an entry of the bucket `tools` is a vocabulary. No family of capabilities is called so."""
    return key.startswith(_VOCABULARY)


def is_model(key: str) -> bool:
    """Whether it is the use of a language model. No family is called so, either."""
    return key.startswith(_MODEL)


def plan_ready(request_id: str) -> str:
    """Subject of the plan of one turn."""
    return f"plan.ready.{request_id}"


def tool_result(service: str, request_id: str) -> str:
    """Subject of what the tools of one service have found for one turn."""
    return f"tool.result.{service}.{request_id}"


def actionplan_ready(request_id: str) -> str:
    """Subject of the action plans of one turn."""
    return f"actionplan.ready.{request_id}"


def answer_ready(request_id: str) -> str:
    """Subject of the written answers of one turn."""
    return f"answer.ready.{request_id}"


def turn_event(request_id: str) -> str:
    """Subject of the events in the log of one turn."""
    return f"turn.event.{request_id}"


def turn_delta(request_id: str) -> str:
    """Subject of the pieces of answers in the log of one turn."""
    return f"turn.delta.{request_id}"


def turn_log(request_id: str) -> str:
    """Pattern of the whole log of one turn."""
    return f"turn.*.{request_id}"


def reply(edge_id: str) -> str:
    """The inbox (core NATS) of one edge replica."""
    return f"edge.reply.{edge_id}"


def is_reply(subject: str) -> bool:
    """Whether a subject is the inbox of an edge. Nobody may have the orchestrator say anything elsewhere."""
    return matches(reply("*"), subject) and is_token(subject.rpartition(".")[2])


def erased(edge_id: str) -> str:
    """Where one edge replica hears (core NATS) that a session is erased."""
    return f"edge.erased.{edge_id}"


def suggested(edge_id: str) -> str:
    """Where one edge replica hears (core NATS) what a message may become."""
    return f"edge.suggested.{edge_id}"


def dead(service: str, request_id: str) -> str:
    """Subject for messages of a turn that a service had to give up."""
    return f"dead.{service}.{request_id}"


class Header:
    """Header names on the bus."""

    MESSAGE_ID = "Nats-Msg-Id"
    REQUEST_ID = "Ask-Request-Id"
    SESSION_ID = "Ask-Session-Id"
    DEADLINE = "Ask-Deadline"
    REASON = "Ask-Reason"
    ERROR = "Ask-Error"
    DELIVERIES = "Ask-Deliveries"
    ORIGIN = "Ask-Origin"
    TTL = "Nats-TTL"


class DeadReason(StrEnum):
    """Why a message lies in DEAD."""

    UNREADABLE = "unreadable"
    """No later delivery makes it readable: mostly another version has written it."""
    FAILED = "failed"
    """Its handler raised at every delivery."""
    GIVEN_UP = "given up"
    """The server's own note: at no delivery was there an answer. The message still lies where it was."""


@dataclass(frozen=True)
class Stream:
    """A JetStream stream. `work_queue`: a message is gone when its one consumer has acked it."""

    name: str
    subjects: tuple[str, ...]
    retention: Literal["work_queue", "limits"]
    max_age_s: float
    max_bytes: int
    """Of the disk, which the server keeps free for it. A full one refuses what is new (work queue), or
    forgets its oldest messages."""
    max_msgs: int = -1
    """-1 is no limit."""


COMMANDS = Stream(
    "COMMANDS",
    (CHAT_REQUESTED, CHAT_CANCELLED, PLAN_REQUESTED, "tool.call.>", ACTIONPLAN_REQUESTED, ANSWER_REQUESTED),
    "work_queue",
    3_600,
    256 * MIB,
    max_msgs=100_000,
)
EVENTS = Stream(
    "EVENTS", (PLAN_READY, TOOL_RESULT, ACTIONPLAN_READY, ANSWER_READY), "limits", 3_600, 256 * MIB
)
TURNS = Stream("TURNS", ("turn.event.*", "turn.delta.*"), "limits", 86_400, 1_024 * MIB)
DEAD = Stream("DEAD", ("dead.>", MAX_DELIVERIES_ADVISORY), "limits", 30 * 86_400, 64 * MIB)

STREAMS = (COMMANDS, EVENTS, TURNS, DEAD)

Role = Literal[
    "edge", "orchestrator", "planner", "actionplanner", "responder", "tools", "tools-docs", "tools-geo", "ask"
]
"""`tools` are all tool services; what one of them alone may do has its name."""


@dataclass(frozen=True)
class Route:
    """One line of the bus table: who publishes a subject, who consumes it, and what it carries."""

    subject: str
    stream: str
    publishers: tuple[Role, ...]
    consumers: tuple[Role, ...]
    carries: str

    @property
    def pattern(self) -> str:
        """The subject with a `*` for each part that is not fixed."""
        return re.sub("<[^>]+>", "*", self.subject)

    def address(self, service: str) -> str:
        """The subject as AsyncAPI writes it, e.g. `tool.result.tools-geo.{requestId}`."""
        return self.subject.replace("<service>", service).replace("<", "{").replace(">", "}")


ROUTES = (
    Route(CHAT_REQUESTED, "COMMANDS", ("edge",), ("orchestrator",), "ChatRequested"),
    Route(CHAT_CANCELLED, "COMMANDS", ("edge",), ("orchestrator",), "ChatCancelled"),
    Route(PLAN_REQUESTED, "COMMANDS", ("orchestrator",), ("planner",), "PlanRequested"),
    Route("plan.ready.<requestId>", "EVENTS", ("planner",), ("orchestrator",), "PlanReady"),
    Route("tool.call.<capability>", "COMMANDS", ("orchestrator",), ("tools",), "ToolCalled"),
    Route("tool.result.<service>.<requestId>", "EVENTS", ("tools",), ("orchestrator",), "ToolResult"),
    Route(ACTIONPLAN_REQUESTED, "COMMANDS", ("orchestrator",), ("actionplanner",), "ActionPlanRequested"),
    Route("actionplan.ready.<requestId>", "EVENTS", ("actionplanner",), ("orchestrator",), "ActionPlanReady"),
    Route(ANSWER_REQUESTED, "COMMANDS", ("orchestrator",), ("responder",), "AnswerRequested"),
    Route("answer.ready.<requestId>", "EVENTS", ("responder",), ("orchestrator",), "AnswerReady"),
    Route("turn.event.<requestId>", "TURNS", ("orchestrator",), ("edge", "ask"), "TurnEvent"),
    Route("turn.delta.<requestId>", "TURNS", ("responder",), ("edge", "ask"), "AnswerDelta"),
    Route(WORK_CANCELLED, "(core)", ("orchestrator",), ("planner", "responder", "tools"), "WorkCancelled"),
    Route("edge.reply.<edgeId>", "(core)", ("orchestrator",), ("edge",), "TurnReply"),
    Route(SESSION_ERASE, "(core)", ("edge",), ("orchestrator",), "EraseSession"),
    Route("edge.erased.<edgeId>", "(core)", ("orchestrator",), ("edge",), "SessionErased"),
    Route(SUGGEST_REQUESTED, "(core)", ("edge",), ("tools-geo",), "SuggestRequested"),
    Route("edge.suggested.<edgeId>", "(core)", ("tools-geo",), ("edge",), "Suggested"),
    Route(
        "dead.<service>.<requestId>",
        "DEAD",
        ("orchestrator", "planner", "actionplanner", "responder", "tools"),
        ("ask",),
        "any",
    ),
    Route("$KV.tools.<capability>", "KV_tools", ("tools",), ("planner", "edge"), "ToolDescriptor"),
    Route("$KV.tools.vocabulary.<service>", "KV_tools", ("tools",), ("planner", "edge"), "Vocabulary"),
    Route(
        "$KV.tools.model.<service>", "KV_tools", ("planner", "responder", "tools-docs"), ("edge",), "ModelUse"
    ),
)


TOOL_FAMILIES = {
    "tools-docs": ("documents",),
    "tools-geo": ("cadastral", "features", "geolocation", "geothermal", "layers", "parcels", "terrain"),
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


def roles_of(service: str) -> set[str]:
    """Its own, and that of all tool services; a service outside of the table is such."""
    named = {role for route in ROUTES for role in (*route.publishers, *route.consumers)}
    return {service, "tools"} if service in TOOL_FAMILIES or service not in named else {service}


def takes(service: str, subject: str) -> bool:
    """Whether messages on a subject come to a service; to one outside of the table, calls of tools do."""
    mine = [pattern for each in CONSUMERS if each.service == service for pattern in each.subjects]
    return any(matches(pattern, subject) for pattern in mine or [tool_call(">")])


def said_by(service: str) -> tuple[Route, ...]:
    """The lines of the table that a service publishes."""
    return tuple(route for route in ROUTES if roles_of(service) & {*route.publishers})


def stream_of(subject: str) -> Stream:
    """The stream that stores a subject. Raises `KeyError` for a subject outside the table."""
    for stream in STREAMS:
        if any(matches(pattern, subject) for pattern in stream.subjects):
            return stream
    raise KeyError(subject)


def pattern_of(subject: str) -> str:
    """A subject as its stream names it, e.g. `plan.ready.*`. Raises `KeyError` as `stream_of`."""
    return next(pattern for pattern in stream_of(subject).subjects if matches(pattern, subject))


def matches(pattern: str, subject: str) -> bool:
    """Whether a subject, or a narrower pattern, falls under a pattern; as nats-server compares them."""
    wanted, said = pattern.split("."), subject.split(".")
    for n, token in enumerate(wanted):
        if token == ">":
            return len(said) > n
        if n >= len(said) or token not in ("*", said[n]):
            return False
    return len(wanted) == len(said)


def is_token(text: str) -> bool:
    """Whether a text can be one part of a subject, and of no more than one subject."""
    return _TOKEN.fullmatch(text) is not None


def of_turn(request_id: str) -> tuple[tuple[str, str], ...]:
    """All that the streams keep of one turn, but its commands: by name of the stream, what to look for."""
    return (
        (TURNS.name, turn_log(request_id)),
        (EVENTS.name, plan_ready(request_id)),
        (EVENTS.name, tool_result("*", request_id)),
        (EVENTS.name, actionplan_ready(request_id)),
        (EVENTS.name, answer_ready(request_id)),
        (DEAD.name, dead("*", request_id)),
    )


def tool_service(capability: str) -> str | None:
    """The tool service of the table that offers a capability; None for those of services outside of it."""
    family = capability.partition(".")[0]
    return next((service for service, families in TOOL_FAMILIES.items() if family in families), None)
