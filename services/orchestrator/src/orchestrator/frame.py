"""What every transition of a turn is made of: rounds, steps, commands, the journal. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from contracts.chat import MAX_SUGGESTIONS, ChatResponse, Step
from contracts.messages import Command, Usage
from contracts.session import HistoryEntry, Session, StepResult
from contracts.status import Status
from contracts.turns import TurnEvent, TurnEventKind, TurnState

from orchestrator import memory, sizes
from orchestrator.memory import Change
from orchestrator.results import remembered
from orchestrator.state import Exchange, Phase, RoundState, StepState, Turn
from orchestrator.texts import text
from orchestrator.tickets import ticket

MAX_HISTORY = 5
"""So many entries go along when an answer is to be written; the last one is the message."""


@dataclass(frozen=True)
class Limits:
    """How long is waited for what."""

    choice_ttl: timedelta = timedelta(minutes=15)
    check_timeout: timedelta = timedelta(seconds=12)


class Frame:
    """One transition in the making: the parts of a turn that change, and what is said meanwhile."""

    def __init__(self, turn: Turn, now: datetime) -> None:
        self.turn = turn
        self.now = now
        self.planned = turn.planned
        self.tools = {tool.capability: tool for tool in turn.tools}
        self.session = turn.session
        self.history = turn.history
        self.retrieved = dict(turn.retrieved)
        self.results: tuple[StepResult, ...] = ()
        """What came of the turns before, when an answer is to be written from nothing else."""
        self.usage = turn.usage
        self.steps = list(turn.steps)
        self.rounds = {r.n: r for r in turn.rounds}
        self.outstanding: list[Command] = list(turn.outstanding)
        self.journal = list(turn.journal)
        self.changes: list[Change] = []
        self.finished: list[int] = []
        self.cancelled: list[int] = []
        self.ended: list[int] = []
        """Steps that have just ended; others may wait for them."""

    # -- what is said --------------------------------------------------------------------------------

    def envelope(self, n: int) -> dict[str, Any]:
        return {
            "request_id": self.turn.request_id,
            "session_id": self.turn.session_id,
            "language": self.turn.language,
            "retention_s": self.turn.retention_s,
            "deadline": self.rounds[n].deadline,
        }

    def envelope_of(self, index: int, call: int) -> dict[str, Any]:
        """What a command about a step begins with."""
        n = self.steps[index].round
        return self.envelope(n) | {"round": n, "step": index, "call": call}

    def command(self, command: Command) -> None:
        made_out = {"ticket": ticket(self.turn.seed, command.task)}
        self.outstanding.append(command.model_copy(update=made_out))

    def say(
        self,
        kind: TurnEventKind,
        n: int,
        step: int | None = None,
        *,
        detail: dict[str, Any] | None = None,
        answer: Step | None = None,
        response: ChatResponse | None = None,
    ) -> None:
        # Nothing of it comes from outside: to validate it again would be a tenth of a turn's work.
        entry = TurnEvent.model_construct(
            request_id=self.turn.request_id,
            session_id=self.turn.session_id,
            retention_s=self.turn.retention_s,
            n=len(self.journal),
            round=n,
            kind=kind,
            at=self.now,
            step=step,
            detail=detail or {},
            answer=answer,
            response=response,
        )
        self.journal.append(entry)

    def text(self, key: str, **values: object) -> str:
        return text(key, self.turn.language, **values)

    def spend(self, usage: Usage) -> None:
        """Count what a worker has asked of language models."""
        if usage.calls:
            self.usage += usage
            self.changes.append(memory.Spent(usage.input_tokens + usage.output_tokens))

    def recent(self) -> tuple[HistoryEntry, ...]:
        """What was said last; the message itself comes last."""
        said = memory.said_by_user(self.turn.message).entry
        return (*self.history, said)[-MAX_HISTORY:]

    # -- steps ---------------------------------------------------------------------------------------

    def update(self, index: int, **values: Any) -> StepState:
        before = self.steps[index]
        step = self.steps[index] = before.model_copy(update=values)
        if step.phase is Phase.WORKING and before.phase is not Phase.WORKING:
            self.say(TurnEventKind.STEP_STARTED, step.round, index, detail={"intent": step.intent})
        return step

    def settle(self, index: int, status: Status, message: str, tried: Sequence[str] = ()) -> None:
        """End a step with nothing but words, and what could be tried."""
        others = dict.fromkeys(each for each in tried if each != self.turn.message)
        answer = Step(
            intent=self.steps[index].intent,
            status=status,
            message=message,
            suggestions=tuple(others)[:MAX_SUGGESTIONS] or None,
        )
        self.finish_step(index, answer)

    def finish_step(self, index: int, answer: Step, detail: dict[str, Any] | None = None) -> None:
        answer = self.fitted(index, answer)
        step = self.update(index, phase=Phase.DONE, answer=answer, findings=None)
        self.say(TurnEventKind.STEP_FINISHED, step.round, index, answer=answer, detail=detail)
        self.ended.append(index)

    def fitted(self, index: int, answer: Step) -> Step:
        """What there is room for of an answer beside the others of its round."""
        n = self.steps[index].round
        others = (s.answer for other, s in enumerate(self.steps) if other != index and s.round == n)
        room = sizes.room_bytes(tuple(other for other in others if other is not None))
        return sizes.fitted(answer, room, self.turn.language)

    # -- rounds --------------------------------------------------------------------------------------

    def begin(self, exchange: Exchange, deadline: datetime, chosen: str | None, trace: str) -> int:
        """Open a round for a request and tell its number."""
        n = max(self.rounds, default=-1) + 1
        self.rounds[n] = RoundState(
            n=n, deadline=deadline, exchanges=(exchange,), choice_id=chosen, trace=trace
        )
        return n

    def attach(self, n: int, exchange: Exchange) -> None:
        found = self.rounds[n]
        self.rounds[n] = found.model_copy(update={"exchanges": (*found.exchanges, exchange)})

    def forward(self, chosen: str) -> None:
        """The message answers an open choice: the edge goes on with that choice."""
        self.rounds[0] = self.rounds[0].model_copy(
            update={"state": TurnState.FORWARDED, "forwarded_to": chosen}
        )
        self.finished.append(0)
        self.say(TurnEventKind.FINISHED, 0, detail={"forwardedTo": chosen} | self._spent())

    def close(self, n: int, answers: tuple[Step, ...], changes: tuple[Change, ...]) -> None:
        cancelled = n in self.cancelled
        state = TurnState.CANCELLED if cancelled else TurnState.FINISHED
        self.rounds[n] = self.rounds[n].model_copy(update={"state": state})
        self.finished.append(n)
        self.changes += changes
        response = ChatResponse.of(self.turn.request_id, answers)
        detail = self._spent() | ({"cancelled": True} if cancelled else {})
        self.say(TurnEventKind.FINISHED, n, response=response, detail=detail)

    def _spent(self) -> dict[str, Any]:
        return {"usage": self.usage.model_dump()} if self.usage.calls else {}

    def refuse(self, n: int, intent: str, key: str) -> None:
        """End a round at once: the choice cannot be made, and stays open."""
        self.close(n, (Step(intent=intent, status=Status.ERROR, message=self.text(key)),), ())

    def freeze(self) -> Turn:
        """Finish the rounds that have nothing left to do, and make the new state of the turn."""
        for n, found in self.rounds.items():
            if found.state is TurnState.RUNNING and self._is_settled(n):
                self._finish(n)
        kept: dict[str, Any] = {
            "tools": tuple(self.tools.values()),
            "history": self.history,
            "session": self.session,
            "steps": tuple(self.steps),
        }
        if self.planned and all(step.phase is Phase.DONE for step in self.steps):
            nothing: tuple[Any, ...] = ()
            kept = {"tools": nothing, "history": nothing, "session": Session()}
            kept["steps"] = tuple(step.at_rest for step in self.steps)
        return self.turn.model_copy(
            update={
                **kept,
                "planned": self.planned,
                "retrieved": {
                    index: found
                    for index, found in self.retrieved.items()
                    if self.steps[index].findings is not None
                },
                "rounds": tuple(self.rounds.values()),
                "outstanding": tuple(self.outstanding),
                "journal": tuple(self.journal),
                "usage": self.usage,
            }
        )

    def _is_settled(self, n: int) -> bool:
        """Nothing is being worked on; a step that still waits, waits for a choice."""
        return self.planned and all(s.round != n or s.phase is not Phase.WORKING for s in self.steps)

    def _finish(self, n: int) -> None:
        mine = [
            s for s in self.steps if s.round == n and s.answer is not None and s.phase is not Phase.WAITING
        ]
        answers = tuple(s.answer for s in mine if s.answer is not None)
        if any(s.direct for s in mine):
            # Nobody said anything: there is no conversation to remember.
            self.close(n, answers, ())
            return
        selections = [
            s.selection
            for s in mine
            if s.selection is not None
            and s.answer is not None
            and s.answer.status in (Status.OK, Status.NEEDS_USER_CHOICE)
        ]
        self.close(n, answers, memory.learned(answers, selections, remembered(mine)))
