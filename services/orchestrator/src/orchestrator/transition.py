"""One step forward of a turn. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from contracts.chat import MAX_SUGGESTIONS, ChatResponse, Step
from contracts.messages import ActionPlanRequested, Command, Outcome, Usage
from contracts.session import HistoryEntry, Session, StepResult
from contracts.status import Status
from contracts.tools import CalledTool
from contracts.turns import TurnEvent, TurnEventKind, TurnState

from orchestrator import memory, sizes
from orchestrator.memory import Change
from orchestrator.results import remembered
from orchestrator.state import Exchange, Phase, RoundState, StepState, Turn
from orchestrator.texts import text
from orchestrator.tickets import ticket

MAX_HISTORY = 5
"""So many entries go along when an answer is to be written; the last one is the message."""


class Limits(NamedTuple):
    """How long is waited for what."""

    choice_ttl: timedelta = timedelta(minutes=15)
    item_timeout: timedelta = timedelta(seconds=12)
    """For the tools that look at the items of a result one by one."""


class Transition(NamedTuple):
    """What a turn is becoming, and what is said meanwhile: a value. Every method gives the next one."""

    turn: Turn
    """As it was before."""
    now: datetime
    limits: Limits
    planned: bool
    tools: tuple[CalledTool, ...]
    session: Session
    history: tuple[HistoryEntry, ...]
    retrieved: Mapping[int, Outcome]
    usage: Usage
    steps: tuple[StepState, ...]
    rounds: tuple[RoundState, ...]
    """By their numbers."""
    outstanding: tuple[Command, ...]
    journal: tuple[TurnEvent, ...]
    results: tuple[StepResult, ...] = ()
    """What came of the turns before, when an answer is to be written from nothing else."""
    changes: tuple[Change, ...] = ()
    """What the session learns."""
    ended: tuple[int, ...] = ()
    """Steps that have just ended; others may wait for them."""
    finished: tuple[int, ...] = ()
    """Rounds that have just finished."""
    cancelled: tuple[int, ...] = ()

    @classmethod
    def of(cls, turn: Turn, now: datetime, limits: Limits) -> "Transition":
        """Nothing has happened yet."""
        return cls(
            turn=turn,
            now=now,
            limits=limits,
            planned=turn.planned,
            tools=turn.tools,
            session=turn.session,
            history=turn.history,
            retrieved=turn.retrieved,
            usage=turn.usage,
            steps=turn.steps,
            rounds=turn.rounds,
            outstanding=turn.outstanding,
            journal=turn.journal,
        )

    # -- what is said --------------------------------------------------------------------------------

    def envelope(self, n: int) -> dict[str, Any]:
        """What a command of a round begins with."""
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

    def over(self, n: int) -> str | None:
        """Why nothing can be begun in a round any more, as the key of a text."""
        if n in self.cancelled:
            return "cancelled"
        return "step_timeout" if self.now >= self.rounds[n].deadline else None

    def with_command(self, command: Command) -> "Transition":
        made_out = command.model_copy(update={"ticket": ticket(self.turn.seed, command.task)})
        return self._replace(outstanding=(*self.outstanding, made_out))

    def without_commands(self, *commands: Command) -> "Transition":
        kept = (c for c in self.outstanding if all(c is not each for each in commands))
        return self._replace(outstanding=tuple(kept))

    def with_entry(
        self,
        kind: TurnEventKind,
        n: int,
        step: int | None = None,
        *,
        detail: dict[str, Any] | None = None,
        answer: Step | None = None,
        response: ChatResponse | None = None,
    ) -> "Transition":
        """With one more entry of the log."""
        entry = TurnEvent(
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
        return self._replace(journal=(*self.journal, entry))

    def answering_in(self, language: str | None) -> "Transition":
        """With everything from here on in another language, if one is named."""
        turn = self.turn.model_copy(update={"language": language}) if language else self.turn
        return self._replace(turn=turn)

    def text(self, key: str, **values: object) -> str:
        return text(key, self.turn.language, **values)

    def with_usage(self, usage: Usage) -> "Transition":
        """Count what a worker has asked of language models."""
        if not usage.calls:
            return self
        return self._replace(usage=self.usage + usage).with_changes(
            memory.Spent(usage.input_tokens + usage.output_tokens)
        )

    def with_changes(self, *changes: Change) -> "Transition":
        return self._replace(changes=(*self.changes, *changes))

    def recent(self) -> tuple[HistoryEntry, ...]:
        """What was said last; the message itself comes last."""
        said = memory.said_by_user(self.turn.message).entry
        return (*self.history, said)[-MAX_HISTORY:]

    # -- steps ---------------------------------------------------------------------------------------

    def tool(self, capability: str) -> CalledTool | None:
        """The tool that the plan calls, as it was announced; None if it was not."""
        return next((tool for tool in self.tools if tool.capability == capability), None)

    def with_step(self, index: int, **values: Any) -> "Transition":
        """With other values of a step."""
        before = self.steps[index]
        step = before.model_copy(update=values)
        after = self._replace(steps=(*self.steps[:index], step, *self.steps[index + 1 :]))
        if step.phase is not Phase.WORKING or before.phase is Phase.WORKING:
            return after
        return after.with_entry(TurnEventKind.STEP_STARTED, step.round, index, detail={"intent": step.intent})

    def settle(self, index: int, status: Status, message: str, tried: Sequence[str] = ()) -> "Transition":
        """End a step with nothing but words, and what could be tried."""
        others = dict.fromkeys(each for each in tried if each != self.turn.message)
        answer = Step(
            intent=self.steps[index].intent,
            status=status,
            message=message,
            suggestions=tuple(others)[:MAX_SUGGESTIONS] or None,
        )
        return self.end_step(index, answer)

    def end_step(self, index: int, answer: Step, detail: dict[str, Any] | None = None) -> "Transition":
        """End a step with its answer."""
        answer = self.fitted(index, answer)
        after = self.with_step(index, phase=Phase.DONE, answer=answer, findings=None)
        after = after._replace(ended=(*after.ended, index))
        n = self.steps[index].round
        return after.with_entry(TurnEventKind.STEP_FINISHED, n, index, answer=answer, detail=detail)

    def fitted(self, index: int, answer: Step) -> Step:
        """What there is room for of an answer beside the others of its round."""
        n = self.steps[index].round
        others = (s.answer for other, s in enumerate(self.steps) if other != index and s.round == n)
        room = sizes.room_bytes(tuple(other for other in others if other is not None))
        return sizes.fitted(answer, room, self.turn.language)

    # -- rounds --------------------------------------------------------------------------------------

    def begin_round(self, exchange: Exchange, deadline: datetime, chosen: str, trace: str) -> "Transition":
        """Open a round for a choice: the last of `rounds`."""
        begun = RoundState(
            n=len(self.rounds), deadline=deadline, exchanges=(exchange,), choice_id=chosen, trace=trace
        )
        return self._replace(rounds=(*self.rounds, begun))

    def with_round(self, n: int, **values: Any) -> "Transition":
        """With other values of a round."""
        changed = self.rounds[n].model_copy(update=values)
        return self._replace(rounds=(*self.rounds[:n], changed, *self.rounds[n + 1 :]))

    def forward(self, chosen: str) -> "Transition":
        """The message answers an open choice: the edge goes on with that choice."""
        after = self.with_round(0, state=TurnState.FORWARDED, forwarded_to=chosen)
        after = after._replace(finished=(*self.finished, 0))
        return after.with_entry(TurnEventKind.FINISHED, 0, detail={"forwardedTo": chosen} | self._spent())

    def close_round(self, n: int, *answers: Step) -> "Transition":
        """Finish a round with these answers."""
        cancelled = n in self.cancelled
        after = self.with_round(n, state=TurnState.CANCELLED if cancelled else TurnState.FINISHED)
        after = after._replace(finished=(*self.finished, n))
        response = ChatResponse.of(self.turn.request_id, answers)
        detail = self._spent() | ({"cancelled": True} if cancelled else {})
        return after.with_entry(TurnEventKind.FINISHED, n, response=response, detail=detail)

    def refuse_round(self, n: int, intent: str, key: str) -> "Transition":
        """Finish a round in which nothing was done: the only answer is the sentence `key`."""
        return self.close_round(n, Step(intent=intent, status=Status.ERROR, message=self.text(key)))

    def _spent(self) -> dict[str, Any]:
        return {"usage": self.usage.model_dump()} if self.usage.calls else {}

    def conclude(self) -> "Transition":
        """Finish the rounds that have nothing left to do: a step that still waits, waits for a choice."""
        after = self
        for found in self.rounds if self.planned else ():
            mine = [step for step in self.steps if step.round == found.n]
            if found.state is TurnState.RUNNING and all(step.phase is not Phase.WORKING for step in mine):
                after = after._finish(found.n, [step for step in mine if step.phase is not Phase.WAITING])
        return after

    def _finish(self, n: int, steps: Sequence[StepState]) -> "Transition":
        answered = [(step, step.answer) for step in steps if step.answer is not None]
        answers = [answer for _, answer in answered]
        after = self.close_round(n, *answers)
        if any(step.direct for step, _ in answered):
            # Nobody said anything: there is no conversation to remember.
            return after
        worked = (Status.OK, Status.NEEDS_USER_CHOICE)
        selections = [s.selection for s, a in answered if s.selection is not None and a.status in worked]
        results = remembered(step for step, _ in answered)
        wanted = [memory.wanted_of(step) for step, _ in answered]
        return after.with_changes(*memory.learned(answers, selections, results, wanted))

    @property
    def only_asks_what_to_say(self) -> bool:
        """Whether it has led to nothing but the question what to say of a result."""
        match self.outstanding:
            case (ActionPlanRequested(),):
                return not self.changes and not self.ended and not self.finished
        return False

    def turn_after(self) -> Turn:
        """The new state of the turn."""
        kept = {"tools": self.tools, "history": self.history, "session": self.session, "steps": self.steps}
        if self.planned and all(step.phase is Phase.DONE for step in self.steps):
            kept = {"tools": (), "history": (), "session": Session()}
            kept["steps"] = tuple(step.at_rest for step in self.steps)
        retrieved = {i: found for i, found in self.retrieved.items() if self.steps[i].findings is not None}
        return self.turn.model_copy(
            update={
                **kept,
                "planned": self.planned,
                "retrieved": retrieved,
                "rounds": self.rounds,
                "outstanding": self.outstanding,
                "journal": self.journal,
                "usage": self.usage,
            }
        )
