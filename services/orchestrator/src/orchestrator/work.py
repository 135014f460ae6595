"""How a turn goes on: what follows from a plan, a result, a choice, or the end of the time.

Pure; used by `turn.advance` only.
"""

from datetime import timedelta
from typing import Any

from contracts.chat import Step, choice_id
from contracts.intents import Intent
from contracts.items import Item
from contracts.messages import (
    ActionPlanReady,
    ActionPlanRequested,
    AnswerReady,
    Command,
    Outcome,
    PlanReady,
    PlanRequested,
    ToolCalled,
    ToolResult,
)
from contracts.plan import Plan, PlanStep, ToolCall
from contracts.research import ErrorType
from contracts.session import OpenChoice, Option, Session
from contracts.status import Status
from contracts.tools import CalledTool
from contracts.turns import TurnEventKind

from orchestrator import memory, research, responding
from orchestrator.binding import bind, complete, could_bind, missing
from orchestrator.frame import MAX_HISTORY, Frame
from orchestrator.guard import guarded, retrieves, searches
from orchestrator.results import chosen, found
from orchestrator.state import Phase, StepState, Turn

MAX_STEPS = 10
MAX_ROUNDS = 50
"""With so many, refused clicks are not stored and nothing is offered once more: no turn grows for ever."""


class Work(Frame):
    """A transition that knows what follows from an event."""

    def freeze(self) -> Turn:
        """Go on with what waited for the steps that have just ended, then make the new state of the turn."""
        while self.ended:
            index = self.ended.pop(0)
            self._resume_dependants(index)
            responding.proceed(self, self.steps[index].round)
        return super().freeze()

    # -- the end of the time -------------------------------------------------------------------------

    def time_out(self, n: int) -> None:
        """The deadline of a round: what is not answered gets an error, late answers are ignored."""
        self._let_go(n)
        if not self.planned:
            self.planned = True
            if self.turn.agent == "riskiagent":
                self.steps.append(StepState(intent=Intent.SEARCH_DOCUMENTS))
                research.fail(self, 0, ErrorType.TIMEOUT)
                return
            message = self.text("planning_timeout")
            self.close(n, (Step(intent=Intent.CLARIFY, status=Status.ERROR, message=message),), ())
            return
        for index, step in enumerate(self.steps):
            if step.round != n or step.phase is not Phase.WORKING:
                continue
            if searches(step):
                research.fail(self, index, ErrorType.TIMEOUT)
            else:
                self.settle(index, Status.ERROR, self.text("step_timeout"))

    def cancel(self, n: int) -> None:
        """Nobody wants the rest of a round: what is done stays, late answers are ignored."""
        self._let_go(n)
        self.cancelled.append(n)
        text = self.text("cancelled")
        if not self.planned:
            self.close(n, (Step(intent=Intent.CLARIFY, status=Status.ERROR, message=text),), ())
            return
        for index, step in enumerate(self.steps):
            if step.round == n and step.phase is Phase.WORKING:
                self.settle(index, Status.ERROR, text)

    def _let_go(self, n: int) -> None:
        self.outstanding = [c for c in self.outstanding if not _belongs(c, n)]

    # -- events --------------------------------------------------------------------------------------

    def plan(self, event: PlanReady, asked: PlanRequested) -> None:
        self.planned = True
        self.spend(event.usage)
        self.tools = {tool.capability: tool for tool in event.tools}
        if event.plan.choice_id is not None:
            self.forward(event.plan.choice_id)
            return
        self.say(
            TurnEventKind.PLAN_READY, 0, detail={"planner": event.planner, "steps": _outline(event.plan)}
        )
        plan = guarded(event.plan, self.turn.agent)
        problem = None
        if not plan.steps:
            problem = self.text("not_understood")
        elif len(plan.steps) > MAX_STEPS:
            problem = self.text("too_many_steps", limit=MAX_STEPS)
        if problem is not None:
            self.steps.append(StepState(intent=Intent.CLARIFY))
            self.settle(0, Status.NEEDS_CLARIFICATION, problem)
            return
        if any(step.respond or searches(step) for step in plan.steps):
            self.history = asked.session.history[1 - MAX_HISTORY :]
        if responding.to_be_written(plan.steps[0]):
            self.results = asked.session.results
        self.steps = [
            StepState(intent=s.intent, calls=s.calls, args=s.args, respond=responding.to_be_written(s))
            for s in plan.steps
        ]
        for index, planned in enumerate(plan.steps):
            self._begin_step(index, planned)
        for index, step in enumerate(self.steps):
            if step.phase is Phase.WAITING and step.needs is None and not step.respond:
                self._proceed(index, 0, self.turn.session.selections)
        responding.proceed(self, 0)
        self.session = Session(layers=self.session.layers, view=self.session.view)

    def _begin_step(self, index: int, planned: PlanStep) -> None:
        """End a step whose end is planned, or cannot be avoided; else find out what it has to wait for."""
        if planned.error_type is not None:
            research.fail(self, index, planned.error_type)
            return
        written = not planned.calls and planned.message is not None and not self.steps[index].respond
        if planned.status is not None or written:
            message = planned.message or self.text("not_understood")
            self.settle(index, planned.status or Status.OK, message, planned.suggestions)
            return
        absent = next((c.capability for c in planned.calls if c.capability not in self.tools), None)
        if absent is None:
            self.update(index, needs=self._provider(index))
        elif retrieves(planned):
            research.fail(self, index, ErrorType.SERVER_ERROR, details={"missing": absent})
        else:
            self.settle(index, Status.ERROR, self.text("tool_missing", capability=absent))

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

    def call(self, wanted: ToolCall) -> None:
        """Call a tool that was asked for by its name: without a planner, and with no other arguments."""
        self.planned = True
        self.steps.append(StepState(intent=wanted.capability, phase=Phase.WORKING, direct=True))
        self.say(TurnEventKind.STARTED, 0, detail={"call": wanted.capability})
        self._send(0, 0, wanted.capability, wanted.args)

    def tool_result(self, event: ToolResult, asked: ToolCalled, check_timeout: timedelta) -> None:
        self.spend(event.usage)
        outcome, index = event.outcome, event.step
        step = self.steps[index]
        if event.call >= len(step.calls) and not step.direct:
            research.checked(self, asked, outcome)
            return
        detail = {
            "capability": event.capability,
            "status": outcome.status,
            "items": len(outcome.items),
            "durationMs": event.duration_ms,
        }
        self.say(TurnEventKind.TOOL_RESULT, event.round, index, detail=detail)
        if step.direct:
            self.rounds[step.round] = self.rounds[step.round].model_copy(update={"outcome": outcome})
            self.settle(index, outcome.status, outcome.message)
            return
        last = event.call + 1 == len(step.calls)
        if last and retrieves(step):
            research.retrieved(self, event, check_timeout)
            return
        if outcome.status is Status.ERROR:
            self.settle(index, Status.ERROR, outcome.message or self.text("tool_error"))
            return
        if outcome.status is Status.NEEDS_CLARIFICATION or not outcome.items:
            message = outcome.message or self.text("nothing_found")
            self.settle(index, Status.NEEDS_CLARIFICATION, message, outcome.suggestions)
            return
        if len(self.rounds) >= MAX_ROUNDS:
            outcome = outcome.model_copy(update={"again": False})
        single = outcome.items[0] if len(outcome.items) == 1 and not outcome.confirm else None
        repeat = outcome.again and last and single is not None
        self.update(
            index,
            selection=single.as_selection() if single else None,
            next_call=event.call if repeat else event.call + 1,
        )
        if single is not None and not last:
            self._proceed(index, event.call + 1, outcome.items)
            return
        several = self.tools[event.capability].selects or not last
        choose = single is None and (several or outcome.confirm)
        self.update(index, found=found(step.found, outcome.items))
        self._render(index, event.call, outcome, choose=choose)

    def answer(self, event: AnswerReady) -> None:
        self.spend(event.usage)
        (responding if self.steps[event.step].respond else research).answered(self, event)

    def action_plan(self, event: ActionPlanReady, choice_ttl: timedelta) -> None:
        index, answer = event.step, self.fitted(event.step, event.answer)
        if answer.status is not Status.NEEDS_USER_CHOICE:
            self.finish_step(index, answer)
            return
        expires_at = self.now + choice_ttl
        step = self.update(
            index, phase=Phase.CHOOSING, options=event.options, answer=answer, expires_at=expires_at
        )
        detail = {"expiresAt": expires_at.isoformat()}
        self.say(TurnEventKind.CHOICE_PENDING, step.round, index, detail=detail, answer=answer)
        self.changes.append(memory.ChoiceOpened(open_choice(self.turn.request_id, index, step)))
        if step.selection is not None:
            # Only whether to try again is open: others can go on where what there is suffices.
            self._resume_dependants(index)
            responding.proceed(self, step.round)

    def choose(self, n: int, index: int, option: int) -> None:
        """Resume a step with the chosen item, and take along the steps that wait for it."""
        before = self.steps[index]
        item = before.options[option - before.first_option]
        offered = open_choice(self.turn.request_id, index, before)
        self.changes.append(memory.ChoiceClosed(offered))
        self.update(
            index,
            round=n,
            selection=item.as_selection(),
            options=(),
            found=chosen(item, [each.label for each in offered.options]),
            first_option=before.first_option + len(before.options),
            expires_at=None,
            answer=None,
        )
        for waiting, step in enumerate(self.steps):
            if step.phase is Phase.WAITING and step.needs is not None and self.steps[step.needs].round == n:
                self.update(waiting, round=n)
        self.changes.append(memory.said_by_user(self.text("chosen", label=item.label)))
        detail = {"choiceId": choice_id(self.turn.request_id, index, option), "label": item.label}
        self.say(TurnEventKind.CHOICE_MADE, n, index, detail=detail)
        if before.next_call >= len(before.calls):
            self._render(index, before.next_call, Outcome(items=(item,)))
        else:
            self._proceed(index, before.next_call, (item,))

    # -- steps ---------------------------------------------------------------------------------------

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
            self.settle(index, Status.NEEDS_CLARIFICATION, self.text("missing_arguments", what=what))
            return
        self.update(index, phase=Phase.WORKING)
        self._send(index, call, wanted.capability, args)

    def _send(self, index: int, call: int, capability: str, args: dict[str, Any]) -> None:
        self.command(ToolCalled(**self.envelope_of(index, call), capability=capability, args=args))
        detail = {"capability": capability, "args": args}
        self.say(TurnEventKind.TOOL_CALLED, self.steps[index].round, index, detail=detail)

    def _in_words(self, tool: CalledTool, args: dict[str, Any]) -> str:
        gap = missing(tool, args)[0]
        if gap & {"x", "y", "geometry"}:
            return self.text("parameter_place")
        named = {"egrid": "parameter_egrid", "municipality": "parameter_municipality"}
        named |= {"q": "parameter_query", "query": "parameter_query"}
        return ", ".join(self.text(named.get(name, "parameter_other"), name=name) for name in sorted(gap))

    def _render(self, index: int, call: int, outcome: Outcome, *, choose: bool = False) -> None:
        step = self.update(index, phase=Phase.WORKING)
        self.command(
            ActionPlanRequested(
                **self.envelope_of(index, call),
                intent=step.intent,
                args={name: value for made in step.calls for name, value in made.args.items()} | step.args,
                outcome=outcome,
                choose=choose,
                first_option=step.first_option,
                layers=self.turn.session.layers,
                view=self.turn.session.view,
            )
        )

    def _resume_dependants(self, index: int) -> None:
        done = self.steps[index]
        found = (done.selection,) if done.selection is not None else ()
        for waiting, step in enumerate(self.steps):
            if step.phase is not Phase.WAITING or step.needs != index:
                continue
            first = step.calls[0]
            if done.phase is Phase.CHOOSING and bind(self.tools[first.capability], first.args, found) is None:
                continue
            if done.answer is None or done.answer.status is Status.OK or done.phase is Phase.CHOOSING:
                self._proceed(waiting, 0, found)
            else:
                self.settle(waiting, done.answer.status, self.text("skipped"))


def open_choice(request_id: str, index: int, step: StepState) -> OpenChoice:
    assert step.answer is not None and step.expires_at is not None
    return OpenChoice(
        request_id=request_id,
        step=index,
        options=tuple(Option(id=c.id, label=c.label) for c in step.answer.choices),
        expires_at=step.expires_at,
    )


def _belongs(command: Command, n: int) -> bool:
    return n == 0 if isinstance(command, PlanRequested) else command.round == n


def _outline(plan: Plan) -> list[dict[str, Any]]:
    return [{"intent": s.intent, "calls": [c.capability for c in s.calls]} for s in plan.steps]
