"""The `map` agent: a step for each step of the plan, its message as text, map actions as custom events. Pure.

State: `steps` (intent, state, and from the answer status, message, research, items, suggestions and extract),
`choices` (what is open: interruptId, step, message, options), and what the map shows. That travels with the
state of the client from run to run.
"""

from typing import Any

from contracts.actions import ShowOerebExtract
from contracts.chat import Step
from contracts.turns import AnswerDelta, TurnEvent, TurnEventKind

from edge.agui.choices import interrupt_id
from edge.agui.map_state import MapState
from edge.agui.projection import Projection
from edge.agui.run_events import Json, RunEvents
from edge.extracts import readable

K = TurnEventKind
_KEPT = ("intent", "status", "message", "research", "items", "suggestions")
"""Of an answer, in the state."""


class MapProjection(Projection):
    def __init__(self, events: RunEvents, state: Any) -> None:
        super().__init__(events)
        self._map = MapState(state)
        self._steps: list[Json] = []
        self._choices: dict[int, Json] = {}

    def begin(self, request_id: str) -> None:
        super().begin(request_id)
        self._steps, self._choices = [], {}

    def snapshot(self) -> Json:
        steps: Json = {"steps": self._steps, "choices": self._open_choices()}
        return self._map.told() | steps | self._map.shown()

    def event(self, event: TurnEvent) -> None:
        if event.kind is K.PLAN_READY:
            planned = event.detail.get("steps", ())
            self._steps = [{"intent": str(each.get("intent", "")), "state": "waiting"} for each in planned]
            self.events.delta(_replace("/steps", self._steps))
        elif event.step is not None:
            self._step(event, event.step)

    def delta(self, delta: AnswerDelta, *, restarts: bool) -> None:
        self.events.begin_step(_name(delta.step))
        self.speak(delta, restarts=restarts)

    def apply(self, step: int, answer: Step) -> None:
        super().apply(step, answer)
        if self.events.silent:
            return
        before = self._map.shown()
        for action in answer.map_actions:
            self._map.apply(action)
        after = self._map.shown()
        self.events.delta(*(_replace(f"/{key}", after[key]) for key in after if after[key] != before[key]))

    def _step(self, event: TurnEvent, n: int) -> None:
        self.events.begin_step(_name(n))
        match event.kind:
            case K.STEP_STARTED:
                self._become(n, state="working", intent=str(event.detail.get("intent", "")))
            case K.TOOL_CALLED:
                self.called(event, str(event.detail.get("capability", "")))
            case K.TOOL_RESULT:
                self.returned(event)
            case K.DOCUMENTS_FOUND:
                self._become(n, research=_found(event.detail))
            case K.DOCUMENT_CHECKED:
                self._checked(n, event.detail)
            case K.CHOICE_MADE:
                self._close_choice(n)
            case K.CHOICE_PENDING | K.STEP_FINISHED if event.answer is not None:
                self._settled(event, n, event.answer)

    def _settled(self, event: TurnEvent, n: int, answer: Step) -> None:
        self.given_up(n)
        self.events.settle(self.lane(event), answer.message)
        whole = answer.as_json()
        choosing = event.kind is K.CHOICE_PENDING
        kept: Json = {key: whole[key] for key in _KEPT if key in whole}
        for action in answer.map_actions:
            if isinstance(action, ShowOerebExtract):
                kept["extract"] = readable(action.payload.as_json())
        self._become(n, state="choosing" if choosing else "done", **kept)
        if choosing:
            options = [{"id": choice.id, "label": choice.label} for choice in answer.choices]
            asked = {"interruptId": interrupt_id(self.request_id, n), "step": n}
            self._choices[n] = {**asked, "message": answer.message, "options": options}
            self.events.delta(_replace("/choices", self._open_choices()))
        else:
            self._close_choice(n)
        self.events.end_step(_name(n))

    def _become(self, n: int, **values: Any) -> None:
        """Change what is known of a step, which the plan may not have named."""
        before = len(self._steps)
        self._steps += [{"intent": "", "state": "waiting"} for _ in range(before, n + 1)]
        self._steps[n] = self._steps[n] | values
        operations = [_add(f"/steps/{new}", self._steps[new]) for new in range(before, n + 1)]
        self.events.delta(*(operations or [_replace(f"/steps/{n}", self._steps[n])]))

    def _checked(self, n: int, detail: Json) -> None:
        documents = (
            self._steps[n].get("research", {}).get("trackedDocuments", []) if n < len(self._steps) else []
        )
        for index, document in enumerate(documents):
            if document.get("id") == detail.get("id"):
                verdict = {
                    "isChecked": True,
                    "isRelevant": bool(detail.get("isRelevant")),
                    "relevanceReason": str(detail.get("reason", "")),
                }
                documents[index] = document | verdict
                path = f"/steps/{n}/research/trackedDocuments/{index}"
                self.events.delta(*(_add(f"{path}/{key}", value) for key, value in verdict.items()))

    def _close_choice(self, n: int) -> None:
        if self._choices.pop(n, None) is not None:
            self.events.delta(_replace("/choices", self._open_choices()))

    def _open_choices(self) -> list[Json]:
        return [choice for _, choice in sorted(self._choices.items())]


def _name(step: int) -> str:
    return f"step:{step}"


def _found(detail: Json) -> Json:
    """The state of a question about documents, as its answer will have it in the end."""
    return {
        "userQuery": str(detail.get("userQuery", "")),
        "initialQuestion": str(detail.get("initialQuestion", "")),
        "trackedDocuments": list(detail.get("documents", ())),
        "trackedProposals": list(detail.get("proposals", ())),
    }


def _replace(path: str, value: Any) -> Json:
    return {"op": "replace", "path": path, "value": value}


def _add(path: str, value: Any) -> Json:
    return {"op": "add", "path": path, "value": value}
