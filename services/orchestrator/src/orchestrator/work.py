"""One transition of a turn in the making. Pure; used by `turn.advance` only."""

from datetime import datetime, timedelta
from typing import Any

from contracts.chat import ChatResponse, Step, choice_id
from contracts.intents import Intent
from contracts.items import Item
from contracts.messages import (
    ActionPlanReady,
    ActionPlanRequested,
    Command,
    Outcome,
    PlanReady,
    PlanRequested,
    ToolCalled,
    ToolResult,
)
from contracts.plan import Plan
from contracts.session import OpenChoice, Option
from contracts.status import Status
from contracts.tools import ToolDescriptor
from contracts.turns import TurnEvent, TurnEventKind, TurnState

from orchestrator import memory
from orchestrator.binding import bind, complete, could_bind, missing
from orchestrator.memory import Change
from orchestrator.state import Exchange, Phase, RoundState, StepState, Turn
from orchestrator.texts import text

MAX_STEPS = 10


class Work:
    """One transition in the making: the parts of a turn that change, and what is said meanwhile."""

    def __init__(self, turn: Turn, now: datetime, choice_ttl: timedelta) -> None:
        self.turn = turn
        self.now = now
        self.choice_ttl = choice_ttl
        self.planned = turn.planned
        self.tools = {tool.capability: tool for tool in turn.tools}
        self.steps = list(turn.steps)
        self.rounds = {r.n: r for r in turn.rounds}
        self.outstanding: list[Command] = list(turn.outstanding)
        self.journal = list(turn.journal)
        self.changes: list[Change] = []
        self.finished: list[int] = []

    # -- the frame: rounds, commands, journal --------------------------------------------------------

    def begin(self, exchange: Exchange, deadline: datetime, chosen: str | None) -> int:
        """Open a round for a request and tell its number."""
        n = max(self.rounds, default=-1) + 1
        self.rounds[n] = RoundState(n=n, deadline=deadline, exchanges=(exchange,), choice_id=chosen)
        return n

    def attach(self, n: int, exchange: Exchange) -> None:
        found = self.rounds[n]
        self.rounds[n] = found.model_copy(update={"exchanges": (*found.exchanges, exchange)})

    def envelope(self, n: int) -> dict[str, Any]:
        return {
            "request_id": self.turn.request_id,
            "session_id": self.turn.session_id,
            "language": self.turn.language,
            "deadline": self.rounds[n].deadline,
        }

    def command(self, command: Command) -> None:
        self.outstanding.append(command)

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
        self.journal.append(
            TurnEvent(
                request_id=self.turn.request_id,
                session_id=self.turn.session_id,
                n=len(self.journal),
                round=n,
                kind=kind,
                at=self.now,
                step=step,
                detail=detail or {},
                answer=answer,
                response=response,
            )
        )

    def text(self, key: str, **values: object) -> str:
        return text(key, self.turn.language, **values)

    def freeze(self) -> Turn:
        """Finish the rounds that have nothing left to do, and make the new state of the turn."""
        for n, found in self.rounds.items():
            if found.state is TurnState.RUNNING and self._is_settled(n):
                self._finish(n)
        return self.turn.model_copy(
            update={
                "planned": self.planned,
                "tools": tuple(self.tools.values()),
                "steps": tuple(self.steps),
                "rounds": tuple(self.rounds.values()),
                "outstanding": tuple(self.outstanding),
                "journal": tuple(self.journal),
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
        selections = [
            s.selection
            for s in mine
            if s.selection is not None and s.answer is not None and s.answer.status is Status.OK
        ]
        self._close(n, answers, memory.learned(answers, selections))

    def _close(self, n: int, answers: tuple[Step, ...], changes: tuple[Change, ...]) -> None:
        self.rounds[n] = self.rounds[n].model_copy(update={"state": TurnState.FINISHED})
        self.finished.append(n)
        self.changes += changes
        response = ChatResponse.of(self.turn.request_id, answers)
        self.say(TurnEventKind.FINISHED, n, response=response)

    def refuse(self, n: int, intent: str, key: str) -> None:
        """End a round at once: the choice cannot be made, and stays open."""
        self._close(n, (Step(intent=intent, status=Status.ERROR, message=self.text(key)),), ())

    def time_out(self, n: int) -> None:
        """The deadline of a round: what is not answered gets an error, late answers are ignored."""
        self.outstanding = [c for c in self.outstanding if not self._belongs(c, n)]
        if not self.planned:
            self.planned = True
            error = Step(intent=Intent.CLARIFY, status=Status.ERROR, message=self.text("planning_timeout"))
            self._close(n, (error,), ())
            return
        for index, step in enumerate(self.steps):
            if step.round == n and step.phase is Phase.WORKING:
                self._answer(index, Status.ERROR, "step_timeout")

    def _belongs(self, command: Command, n: int) -> bool:
        return n == 0 if isinstance(command, PlanRequested) else command.round == n

    # -- events --------------------------------------------------------------------------------------

    def plan(self, event: PlanReady) -> None:
        self.planned = True
        self.tools = {tool.capability: tool for tool in event.tools}
        plan = event.plan
        if plan.choice_id is not None:
            self._forward(plan.choice_id)
            return
        self.say(TurnEventKind.PLAN_READY, 0, detail={"planner": event.planner, "steps": _outline(plan)})
        problem = None
        if not plan.steps:
            problem = self.text("not_understood")
        elif len(plan.steps) > MAX_STEPS:
            problem = self.text("too_many_steps", limit=MAX_STEPS)
        if problem is not None:
            self.steps.append(StepState(intent=Intent.CLARIFY))
            self._settle(0, Status.NEEDS_CLARIFICATION, problem)
            return
        self.steps += [StepState(intent=s.intent, calls=s.calls, args=s.args) for s in plan.steps]
        for index, planned in enumerate(plan.steps):
            if planned.status is not None or (planned.message is not None and not planned.calls):
                self._settle(
                    index, planned.status or Status.OK, planned.message or self.text("not_understood")
                )
                continue
            absent = next((c.capability for c in planned.calls if c.capability not in self.tools), None)
            if absent is not None:
                self._settle(index, Status.ERROR, self.text("tool_missing", capability=absent))
                continue
            self._update(index, needs=self._provider(index))
        for index, step in enumerate(self.steps):
            if step.phase is not Phase.WAITING:
                continue
            if step.needs is None:
                self._proceed(index, 0, self.turn.session.selections)
            elif self.steps[step.needs].phase is Phase.DONE:
                self._resume_dependants(step.needs)

    def _forward(self, chosen: str) -> None:
        """The message answers an open choice: the edge goes on with that choice."""
        self.rounds[0] = self.rounds[0].model_copy(
            update={"state": TurnState.FORWARDED, "forwarded_to": chosen}
        )
        self.finished.append(0)
        self.say(TurnEventKind.FINISHED, 0, detail={"forwardedTo": chosen})

    def _provider(self, index: int) -> int | None:
        """The nearest earlier step that can give what the first call of a step lacks."""
        calls = self.steps[index].calls
        if not calls or complete(self.tools[calls[0].capability], calls[0].args):
            return None
        gaps = missing(self.tools[calls[0].capability], calls[0].args)
        for earlier in range(index - 1, -1, -1):
            last = self.steps[earlier].calls[-1:]
            tool = self.tools.get(last[0].capability) if last else None
            if tool is not None and could_bind(tool.result_types, gaps):
                return earlier
        return None

    def tool_result(self, event: ToolResult) -> None:
        outcome, index = event.outcome, event.step
        self.say(
            TurnEventKind.TOOL_RESULT,
            event.round,
            index,
            detail={
                "capability": event.capability,
                "status": outcome.status,
                "items": len(outcome.items),
                "durationMs": event.duration_ms,
            },
        )
        step = self.steps[index]
        last = event.call + 1 == len(step.calls)
        if outcome.status is Status.ERROR:
            self._settle(index, Status.ERROR, outcome.message or self.text("tool_error"))
            return
        if outcome.status is Status.NEEDS_CLARIFICATION or not outcome.items:
            self._settle(index, Status.NEEDS_CLARIFICATION, outcome.message or self.text("nothing_found"))
            return
        single = outcome.items[0] if len(outcome.items) == 1 else None
        self._update(index, selection=single, next_call=event.call + 1)
        if single is not None and not last:
            self._proceed(index, event.call + 1, outcome.items)
            return
        choose = single is None and (self.tools[event.capability].selects or not last)
        self._render(index, event.call, outcome, choose=choose)

    def action_plan(self, event: ActionPlanReady) -> None:
        index, answer = event.step, event.answer
        if answer.status is not Status.NEEDS_USER_CHOICE:
            self._finish_step(index, answer)
            return
        step = self._update(
            index,
            phase=Phase.CHOOSING,
            options=event.options,
            answer=answer,
            expires_at=self.now + self.choice_ttl,
        )
        self.say(TurnEventKind.CHOICE_PENDING, step.round, index, answer=answer)
        self.changes.append(memory.ChoiceOpened(open_choice(self.turn.request_id, index, step)))

    def choose(self, n: int, index: int, option: int) -> None:
        """Resume a step with the chosen item, and take along the steps that wait for it."""
        before = self.steps[index]
        item = before.options[option]
        self.changes.append(memory.ChoiceClosed(open_choice(self.turn.request_id, index, before)))
        self._update(
            index, round=n, phase=Phase.WAITING, selection=item, options=(), expires_at=None, answer=None
        )
        for waiting in range(index + 1, len(self.steps)):
            step = self.steps[waiting]
            if step.phase is Phase.WAITING and step.needs is not None and self.steps[step.needs].round == n:
                self._update(waiting, round=n)
        self.changes.append(memory.said_by_user(self.text("chosen", label=item.label)))
        detail = {"choiceId": choice_id(self.turn.request_id, index, option), "label": item.label}
        self.say(TurnEventKind.CHOICE_MADE, n, index, detail=detail)
        if before.next_call >= len(before.calls):
            self._render(index, before.next_call, Outcome(items=(item,)))
        else:
            self._proceed(index, before.next_call, (item,))

    # -- steps ---------------------------------------------------------------------------------------

    def _update(self, index: int, **values: Any) -> StepState:
        self.steps[index] = self.steps[index].model_copy(update=values)
        return self.steps[index]

    def _proceed(self, index: int, call: int, sources: tuple[Item, ...]) -> None:
        """Make a call of a step, or render the step when it has none."""
        step = self.steps[index]
        if call >= len(step.calls):
            self._render(index, call, Outcome(items=()))
            return
        wanted = step.calls[call]
        tool = self.tools[wanted.capability]
        args = bind(tool, wanted.args, sources)
        if args is None:
            what = self._in_words(tool, wanted.args)
            self._settle(index, Status.NEEDS_CLARIFICATION, self.text("missing_arguments", what=what))
            return
        self._update(index, phase=Phase.WORKING)
        self.command(
            ToolCalled(
                **self.envelope(step.round),
                round=step.round,
                step=index,
                call=call,
                capability=wanted.capability,
                args=args,
            )
        )
        detail = {"capability": wanted.capability, "args": args}
        self.say(TurnEventKind.TOOL_CALLED, step.round, index, detail=detail)

    def _in_words(self, tool: ToolDescriptor, args: dict[str, Any]) -> str:
        gap = missing(tool, args)[0]
        if gap & {"x", "y", "geometry"}:
            return self.text("parameter_place")
        named = {"egrid": "parameter_egrid", "municipality": "parameter_municipality"}
        named |= {"q": "parameter_query", "query": "parameter_query"}
        return ", ".join(self.text(named.get(name, "parameter_other"), name=name) for name in sorted(gap))

    def _render(self, index: int, call: int, outcome: Outcome, *, choose: bool = False) -> None:
        step = self._update(index, phase=Phase.WORKING)
        self.command(
            ActionPlanRequested(
                **self.envelope(step.round),
                round=step.round,
                step=index,
                call=call,
                intent=step.intent,
                args=step.args,
                outcome=outcome,
                choose=choose,
                layers=self.turn.session.layers,
            )
        )

    def _answer(self, index: int, status: Status, key: str) -> None:
        self._settle(index, status, self.text(key))

    def _settle(self, index: int, status: Status, message: str) -> None:
        """End a step without map actions."""
        self._finish_step(index, Step(intent=self.steps[index].intent, status=status, message=message))

    def _finish_step(self, index: int, answer: Step) -> None:
        step = self._update(index, phase=Phase.DONE, answer=answer, options=())
        self.say(TurnEventKind.STEP_FINISHED, step.round, index, answer=answer)
        self._resume_dependants(index)

    def _resume_dependants(self, index: int) -> None:
        done = self.steps[index]
        for waiting in range(index + 1, len(self.steps)):
            step = self.steps[waiting]
            if step.phase is not Phase.WAITING or step.needs != index:
                continue
            if done.answer is None or done.answer.status is Status.OK:
                self._proceed(waiting, 0, (done.selection,) if done.selection is not None else ())
            else:
                self._answer(waiting, done.answer.status, "skipped")


def open_choice(request_id: str, index: int, step: StepState) -> OpenChoice:
    assert step.answer is not None and step.expires_at is not None
    return OpenChoice(
        request_id=request_id,
        step=index,
        options=tuple(Option(id=c.id, label=c.label) for c in step.answer.choices),
        expires_at=step.expires_at,
    )


def _outline(plan: Plan) -> list[dict[str, Any]]:
    return [{"intent": s.intent, "calls": [c.capability for c in s.calls]} for s in plan.steps]
