"""Logs of turns as the real core of the orchestrator writes them, with the pieces of answers in between."""

from dataclasses import dataclass, field

from contracts.messages import AnswerRequested, ChatCancelled, ChatRequested, Event
from contracts.plan import Plan, PlanStep
from contracts.turns import AnswerDelta, TurnEvent
from world import Tool, World, answer, told, written

from orchestrator.arrivals import ChatArrived
from orchestrator.decision import Decision

Entry = TurnEvent | AnswerDelta
PIECE_CHARS = 20


@dataclass
class Recording(World):
    """A world that keeps the log of its turn in the order in which it was written."""

    entries: list[Entry] = field(default_factory=list)
    torn: bool = False
    """Whether the first attempt at every answer dies in the middle."""

    def take(self, event: ChatArrived | ChatCancelled | Event) -> Decision:
        before = self.log.keys() | set()
        decision = super().take(event)
        entries = (entry for page in decision.progress for entry in told(page))
        self.entries += [entry for entry in entries if entry.message_id not in before]
        return decision

    def work(self) -> None:
        while self.queue:
            command = self.queue.pop(0)
            if isinstance(command, AnswerRequested):
                self.entries += self._pieces(command)
            self.take(answer(command, self.plan, self.tools))

    def say(self, request: ChatRequested) -> list[Entry]:
        """What a request adds to the log."""
        before = len(self.entries)
        self.ask(request)
        return self.entries[before:]

    def _pieces(self, command: AnswerRequested) -> list[Entry]:
        text = str(written(command)["text"])
        cut = [text[n : n + PIECE_CHARS] for n in range(0, len(text), PIECE_CHARS)]
        attempts = [cut[:1], cut] if self.torn else [cut]
        return [
            AnswerDelta(
                request_id=command.request_id,
                session_id=command.session_id,
                round=command.round,
                step=command.step,
                call=command.call,
                attempt=attempt,
                k=k,
                text=piece,
            )
            for attempt, pieces in enumerate(attempts, start=1)
            for k, piece in enumerate(pieces)
        ]


def recording(*steps: PlanStep, torn: bool = False, **tools: Tool) -> Recording:
    """A world with a plan; `tools` by capability, with `_` for the dot."""
    world = Recording(Plan(steps=steps), torn=torn)
    world.tools |= {name.replace("_", ".", 1): tool for name, tool in tools.items()}
    return world
