"""What a step has come to, as it is told once more: in an answer written later, and in later turns. Pure."""

from collections.abc import Iterable, Sequence
from json import JSONEncoder
from typing import Any

from contracts.intents import Intent
from contracts.items import Item
from contracts.session import Found, StepResult
from contracts.status import Status

from orchestrator.state import StepState

MAX_ITEMS = 5
MAX_FOUND_CHARS = 2_000
"""Of all facts of a result, as JSON."""
MAX_FACT_CHARS = 200
MAX_LISTED = 12
MAX_OFFERED = 8
MAX_REMEMBERED_CHARS = 600
"""Of what was said about a result: its facts are beside it."""
_written = JSONEncoder(ensure_ascii=False).encode
_TALK = frozenset({Intent.ANSWER, Intent.CLARIFY})


def found(before: Found, items: Sequence[Item]) -> Found:
    """The facts of what was found last; what was chosen on the way to it stays."""
    told = _bounded(item.facts() for item in items[:MAX_ITEMS])
    return before.model_copy(update={"items": told, "more": len(items) - len(told)})


def chosen(item: Item, offered: Sequence[str]) -> Found:
    """What was chosen; the offer to try again is no list to choose from."""
    if len(offered) < 2:
        return found(Found(), (item,))
    return found(Found(chosen=item.label, offered=tuple(offered[:MAX_OFFERED])), (item,))


def result_of(step: StepState) -> StepResult:
    """What came of a step that has ended."""
    assert step.answer is not None
    facts = dict(step.found)
    if step.answer.research is not None:
        sources = step.answer.research.sources
        named = (
            {"type": "document", "n": s.n, "label": s.name, "date": s.date, "sample": s.sample}
            for s in sources[:MAX_ITEMS]
        )
        told = _bounded({k: str(v) if k == "date" else v for k, v in s.items() if v} for s in named)
        facts |= {"items": told, "more": len(sources) - len(told)}
    ok = step.answer.status in (Status.OK, Status.NEEDS_USER_CHOICE) and not _is_open(step)
    return StepResult(intent=step.intent, ok=ok, text=step.answer.message, **facts)


def remembered(steps: Iterable[StepState]) -> tuple[StepResult, ...]:
    """What a session keeps of its steps: not what was only said, nor what is still to be chosen."""
    results = (result_of(step) for step in steps if step.intent not in _TALK and not _is_open(step))
    return tuple(r.model_copy(update={"text": _cut(r.text, MAX_REMEMBERED_CHARS)}) for r in results)


def _is_open(step: StepState) -> bool:
    """Whether somebody has to choose first; an offer to try again stands beside what there is."""
    waits = step.answer is None or step.answer.status is Status.NEEDS_USER_CHOICE
    return waits and step.selection is None


def _bounded(items: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """As many items, and as many of their facts, as there is room for."""
    told: list[dict[str, Any]] = []
    room = MAX_FOUND_CHARS
    for item in items:
        facts: dict[str, Any] = {}
        for name, value in item.items():
            short = _short(value)
            room -= len(name) + len(_written(short)) + 4
            if room < 0:
                return (*told, facts) if facts.get("label") else tuple(told)
            facts[name] = short
        told.append(facts)
    return tuple(told)


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [_short(each) for each in value[:MAX_LISTED]]
    return _cut(value, MAX_FACT_CHARS) if isinstance(value, str) else value


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[: chars - 1] + "…"
