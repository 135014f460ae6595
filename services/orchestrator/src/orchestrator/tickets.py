"""What only those know who were asked. Pure.

Every turn has a random seed, which stays in its state. A command carries a ticket made of it, and its answer
repeats that: who was not asked cannot answer, and cannot use the id of an answer before the right one comes.
"""

import hmac
from functools import cached_property

from contracts.messages import Command, Event, ToolCalled, ToolResult
from contracts.subjects import TOOL_FAMILIES, tool_service
from contracts.turns import TurnEvent
from pydantic import Field

from orchestrator.state import Turn

_CHARS = 32


def ticket(seed: str, task: str) -> str:
    """The same for the same task of a turn; tells nothing about its seed, and so about other tickets.

    Turns that an earlier version began have no seed; theirs are empty.
    """
    return hmac.digest(seed.encode(), task.encode(), "sha256").hex()[:_CHARS] if seed else ""


class SealedEvent(TurnEvent):
    """An entry on its way into the log. The responder writes there too, and must not use its id first."""

    seal: str = Field("", exclude=True)

    @cached_property
    def _head(self) -> bytes:
        return super().head()

    def head(self) -> bytes:
        """As JSON, without the response: made once, for the log and for what is kept of the turn."""
        return self._head

    @property
    def message_id(self) -> str:
        return f"{super().message_id}/{self.seal}"


def sealed(seed: str, event: TurnEvent) -> SealedEvent:
    """The entry with an id that nobody else can make."""
    return SealedEvent(**vars(event) | {"seal": ticket(seed, f"event/{event.n}")})


def refusal(turn: Turn, event: Event, asked: Command | None = None) -> str | None:
    """Why an event cannot come from somebody whom this turn has asked; None when it can.

    `asked`: the command of its task, if its answer is still waited for.
    """
    if event.request_id != turn.request_id or event.session_id != turn.session_id:
        return "session"
    expected = ticket(turn.seed, event.task) if asked is None else asked.ticket
    if not hmac.compare_digest(event.ticket.encode(), expected.encode()):
        return "ticket"
    return None


def mismatch(turn: Turn, event: Event, asked: Command) -> str | None:
    """Why an event is no answer to the command that it names; None when it is."""
    if not isinstance(event, ToolResult) or not isinstance(asked, ToolCalled):
        return None
    if event.capability != asked.capability:
        return "capability"
    return None if _offers(turn, event.service, asked.capability) else "sender"


def _offers(turn: Turn, service: str, capability: str) -> bool:
    """The table of the bus knows the services of this repository; those of others announce themselves."""
    known = tool_service(capability)
    if known is not None:
        return service == known
    described = next((tool.service for tool in turn.tools if tool.capability == capability), None)
    if described is None:
        # Called by its name, without a plan: at least it is none of those whose tools are known.
        return service not in TOOL_FAMILIES
    return service == described
