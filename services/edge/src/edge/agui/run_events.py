"""The events of one run, in an order that every client accepts. Pure.

Clients refuse a run in which something is opened twice, closed without having been opened, or still open at
the end. Whoever adds events need not keep books about that: what is open twice is opened once, what was
not opened is not closed, and the end closes the rest.
"""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from ag_ui.core import (
    PROTOCOL_VERSION,
    BaseEvent,
    CustomEvent,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedEvent,
    RunFinishedOutcome,
    RunStartedEvent,
    StateDeltaEvent,
    StateSnapshotEvent,
    StepFinishedEvent,
    StepStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    TokenUsage,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)
from pydantic_core import to_json

from edge.languages import tag_in

TEXT_WITHDRAWN = "text_withdrawn"
"""Custom event: the message with this id is void. Its text comes again in another one, or not at all."""

Json = dict[str, Any]


class _Message:
    """A text message that is being written."""

    def __init__(self, message_id: str) -> None:
        self.id = message_id
        self.text = ""


class RunEvents:
    """Collects events. While it is `silent` nothing is added: that part the client has heard before."""

    def __init__(self, run: RunAgentInput) -> None:
        self._run = run
        tag = tag_in(run.state)
        # What a client says in its state stays there.
        self._said = {} if tag is None else {"language": tag}
        self._events: list[BaseEvent] = []
        self._heard = frozenset(_ids_of(run))
        self._used = set(self._heard)
        self._steps: list[str] = []
        self._messages: dict[str, _Message] = {}
        self._calls: list[str] = []
        self._over = False
        self.silent = False

    def drain(self) -> list[BaseEvent]:
        """The events since the last time."""
        events, self._events = self._events, []
        return events

    def _add(self, event: BaseEvent) -> None:
        if not self.silent and not self._over:
            self._events.append(event)

    # -- the run ---------------------------------------------------------------------------------------

    def start(self) -> None:
        run = self._run
        self._add(
            RunStartedEvent(
                thread_id=run.thread_id,
                run_id=run.run_id,
                parent_run_id=run.parent_run_id,
                protocol_version=PROTOCOL_VERSION,
            )
        )

    def finish(self, outcome: RunFinishedOutcome, result: Json, usage: list[TokenUsage]) -> None:
        self._close()
        run = self._run
        self._add(
            RunFinishedEvent(
                thread_id=run.thread_id,
                run_id=run.run_id,
                outcome=outcome,
                result=result or None,
                usage=usage or None,
            )
        )
        self._over = True

    def fail(self, message: str, code: str) -> None:
        self._close()
        self._add(RunErrorEvent(message=message, code=code))
        self._over = True

    def _close(self) -> None:
        self.silent = False
        for lane in list(self._messages):
            self.end_text(lane)
        for step in list(self._steps):
            self.end_step(step)

    # -- steps and state -------------------------------------------------------------------------------

    def begin_step(self, name: str) -> None:
        if not self.silent and name not in self._steps:
            self._steps.append(name)
            self._add(StepStartedEvent(step_name=name))

    def end_step(self, name: str) -> None:
        if not self.silent and name in self._steps:
            self._steps.remove(name)
            self._add(StepFinishedEvent(step_name=name))

    def is_open(self, name: str) -> bool:
        """Whether a step has begun and not ended."""
        return name in self._steps

    def snapshot(self, state: Json) -> None:
        """The whole state, as it is at this moment."""
        self._add(StateSnapshotEvent(snapshot=deepcopy(self._said | state)))

    def delta(self, *operations: Json) -> None:
        """Change the state, by operations of a JSON patch (RFC 6902)."""
        if operations:
            self._add(StateDeltaEvent(delta=deepcopy(list(operations))))

    def custom(self, name: str, value: Json) -> None:
        self._add(CustomEvent(name=name, value=value))

    # -- tool calls ------------------------------------------------------------------------------------

    def call(self, key: str, name: str, arguments: Json) -> str:
        """A tool call, complete with its arguments. The id to give its result to."""
        if self.silent:
            return ""
        call_id = self._unused(key)
        self._calls.append(call_id)
        self._add(ToolCallStartEvent(tool_call_id=call_id, tool_call_name=name))
        self._add(ToolCallArgsEvent(tool_call_id=call_id, delta=to_json(arguments).decode()))
        self._add(ToolCallEndEvent(tool_call_id=call_id))
        return call_id

    def result(self, call_id: str, content: Json) -> None:
        """What came of a call. A call without a result would be left to the client to carry out."""
        if call_id in self._calls:
            self._calls.remove(call_id)
            content_text = to_json(content).decode()
            message_id = f"{call_id}/result"
            self._add(ToolCallResultEvent(message_id=message_id, tool_call_id=call_id, content=content_text))

    # -- text ------------------------------------------------------------------------------------------

    def say(self, lane: str, text: str) -> None:
        """Append to the message of a lane; it is begun with the first text."""
        if self.silent or not text:
            return
        message = self._messages.get(lane)
        if message is None:
            message = self._messages[lane] = _Message(self._unused(lane, withdraw=True))
            self._add(TextMessageStartEvent(message_id=message.id, role="assistant"))
        message.text += text
        self._add(TextMessageContentEvent(message_id=message.id, delta=text))

    def settle(self, lane: str, text: str) -> None:
        """End the message of a lane with a text that is final: what was said before may be another one."""
        said = self._messages.get(lane)
        if said is not None and said.text.strip() != text.strip():
            self.withdraw(lane)
            said = None
        if said is None:
            self.say(lane, text)
        self.end_text(lane)

    def withdraw(self, lane: str) -> None:
        """What was said in a lane is void."""
        said = self._messages.get(lane)
        self.end_text(lane)
        if said is not None:
            self.custom(TEXT_WITHDRAWN, {"messageId": said.id})

    def end_text(self, lane: str) -> None:
        if not self.silent and (said := self._messages.pop(lane, None)) is not None:
            self._add(TextMessageEndEvent(message_id=said.id))

    def _unused(self, key: str, *, withdraw: bool = False) -> str:
        """An id that is new to the client: text for a message that it knows it would append to that one."""
        found, n = key, 1
        while found in self._used:
            if withdraw and found in self._heard:
                # Of an earlier attempt at the same run.
                self.custom(TEXT_WITHDRAWN, {"messageId": found})
            n += 1
            found = f"{key}~{n}"
        self._used.add(found)
        return found


def _ids_of(run: RunAgentInput) -> Iterable[str]:
    for message in run.messages:
        yield message.id
        for call in getattr(message, "tool_calls", None) or ():
            yield call.id
