"""What a client of an agent is told of a log, and whether a client library would accept it."""

from collections.abc import Iterable
from typing import Any

from ag_ui.core import BaseEvent, EventType
from contracts.agents import Agent
from recording import Entry

from edge.agui.inputs import RunInput, asked
from edge.agui.run import Run

REQUEST = "req-0123456789abcdef"
THREAD = "s"
TERMINAL = {EventType.RUN_FINISHED, EventType.RUN_ERROR}


def run_input(message: str | None = "Frage", **values: Any) -> RunInput:
    """What a client sends."""
    messages = [] if message is None else [{"id": "u1", "role": "user", "content": message}]
    document = {"threadId": THREAD, "runId": "r1", "messages": messages} | values
    return RunInput.model_validate(document)


def resume(*entries: tuple[str, str | None], **values: Any) -> RunInput:
    """Answers to interrupts: (interruptId, choiceId), None for one that is given up."""
    answers = [
        {"interruptId": interrupt, "status": "cancelled"}
        if choice is None
        else {"interruptId": interrupt, "status": "resolved", "payload": {"choiceId": choice}}
        for interrupt, choice in entries
    ]
    return run_input(None, resume=answers, **values)


def tell(
    entries: Iterable[Entry],
    agent: Agent = "map",
    *,
    run: RunInput | None = None,
    before: Iterable[Entry] = (),
) -> list[BaseEvent]:
    """A whole run; `before` is what the log held already."""
    run = run or run_input()
    wanted = asked(run, agent)
    making = Run(run, agent, wanted.question, wanted.given_up)
    events = making.begin(REQUEST)
    for entry in before:
        assert making.take(entry, is_new=False) == []
    for entry in entries:
        events += making.take(entry)
    return events + making.end()


def names(events: Iterable[BaseEvent]) -> list[str]:
    """The types; of steps and custom events with the name, pieces of one text as one."""
    found: list[str] = []
    for event in events:
        name = getattr(event, "step_name", None) or getattr(event, "name", None)
        word = f"{event.type.value}({name})" if name else event.type.value
        if word != "TEXT_MESSAGE_CONTENT" or found[-1] != word:
            found.append(word)
    return found


def documents(events: Iterable[BaseEvent]) -> list[dict[str, Any]]:
    """As they go over the wire."""
    return [event.model_dump(mode="json", by_alias=True) for event in events]


def state_after(events: Iterable[BaseEvent], state: Any = None) -> Any:
    """The state of a client that has applied everything; raises when a change does not fit."""
    for event in documents(events):
        if event["type"] == "STATE_SNAPSHOT":
            state = event["snapshot"]
        elif event["type"] == "STATE_DELTA":
            for operation in event["delta"]:
                _patch(state, operation)
    return state


def _patch(state: Any, operation: dict[str, Any]) -> None:
    *parents, last = operation["path"].removeprefix("/").split("/")
    for part in parents:
        state = state[int(part)] if isinstance(state, list) else state[part]
    if isinstance(state, list):
        assert operation["op"] == "replace" or int(last) == len(state)
        state[int(last) : int(last) + 1] = [operation["value"]]
    else:
        assert operation["op"] == "add" or last in state, operation
        state[last] = operation["value"]


def texts(events: Iterable[BaseEvent]) -> dict[str, str]:
    """Messages by id, without those that were withdrawn."""
    found: dict[str, str] = {}
    for event in documents(events):
        if event["type"] == "TEXT_MESSAGE_CONTENT":
            found[event["messageId"]] = found.get(event["messageId"], "") + event["delta"]
        elif event["type"] == "CUSTOM" and event["name"] == "text_withdrawn":
            found.pop(event["value"]["messageId"], None)
    return found


def check(events: list[BaseEvent]) -> None:
    """The rules that clients enforce, and our own: no null, one terminal event, all closed before it."""
    steps: set[str] = set()
    messages: set[str] = set()
    calls: set[str] = set()
    for n, event in enumerate(documents(events)):
        assert (n == 0) == (event["type"] == "RUN_STARTED")
        assert None not in event.values()
        match event["type"]:
            case "STEP_STARTED":
                assert event["stepName"] not in steps
                steps.add(event["stepName"])
            case "STEP_FINISHED":
                steps.remove(event["stepName"])
            case "TEXT_MESSAGE_START":
                assert event["messageId"] not in messages
                messages.add(event["messageId"])
            case "TEXT_MESSAGE_CONTENT":
                assert event["messageId"] in messages and event["delta"]
            case "TEXT_MESSAGE_END":
                messages.remove(event["messageId"])
            case "TOOL_CALL_START":
                calls.add(event["toolCallId"])
            case "TOOL_CALL_END":
                calls.remove(event["toolCallId"])
            case "TOOL_CALL_ARGS":
                assert event["toolCallId"] in calls
    assert not (steps or messages or calls)
    assert [event.type in TERMINAL for event in events].index(True) == len(events) - 1
    state_after(events)
