"""Open choices as interrupts: what a run can end with, and the next one answers. Pure."""

from collections.abc import Collection
from datetime import datetime

from ag_ui.core import Interrupt
from contracts.turns import TurnEvent, TurnEventKind
from pydantic import AwareDatetime, TypeAdapter, ValidationError

from edge import ids

REASON = "needs_user_choice"
_MOMENT: TypeAdapter[datetime] = TypeAdapter(AwareDatetime)


def interrupt_id(request_id: str, step: int) -> str:
    """Which step of which turn waits; the ids of its options begin with it."""
    return f"{request_id}.{step}"


def offers(interrupt: str, choice_id: str) -> bool:
    """Whether a choice can be one of those that an interrupt has offered."""
    return ids.turn_of(choice_id) is not None and choice_id.rpartition(".")[0] == interrupt


class OpenChoices:
    """The choices of one turn that wait for their user."""

    def __init__(self) -> None:
        self._pending: dict[int, TurnEvent] = {}
        self._at: datetime | None = None

    def take(self, event: TurnEvent) -> None:
        self._at = event.at
        if event.step is None:
            return
        if event.kind is TurnEventKind.CHOICE_PENDING and event.answer is not None and event.answer.choices:
            self._pending[event.step] = event
        elif event.kind in (TurnEventKind.CHOICE_MADE, TurnEventKind.STEP_FINISHED):
            self._pending.pop(event.step, None)

    def interrupts(self, given_up: Collection[str]) -> list[Interrupt]:
        """One for each, in the order of the plan, but for those that have expired or were given up."""
        asked = []
        for step, event in sorted(self._pending.items()):
            expires_at = expiry_of(event)
            late = expires_at is not None and self._at is not None and expires_at <= self._at
            if not late and interrupt_id(event.request_id, step) not in given_up:
                asked.append(_interrupt(event, step, expires_at))
        return asked


def expiry_of(event: TurnEvent) -> datetime | None:
    """Until when a choice can be made."""
    try:
        return _MOMENT.validate_python(event.detail.get("expiresAt"))
    except ValidationError:
        return None


def _interrupt(event: TurnEvent, step: int, expires_at: datetime | None) -> Interrupt:
    assert event.answer is not None
    answer = event.answer
    return Interrupt(
        id=interrupt_id(event.request_id, step),
        reason=REASON,
        message=answer.message,
        response_schema={
            "type": "object",
            "properties": {
                "choiceId": {
                    "type": "string",
                    "enum": [choice.id for choice in answer.choices],
                    "oneOf": [{"const": choice.id, "title": choice.label} for choice in answer.choices],
                }
            },
            "required": ["choiceId"],
            "additionalProperties": False,
        },
        expires_at=None if expires_at is None else expires_at.isoformat(),
        metadata={"step": step, "intent": answer.intent, "choices": [c.as_json() for c in answer.choices]},
    )
