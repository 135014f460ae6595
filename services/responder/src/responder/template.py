"""An answer without a model about what was done: each result with its data. Pure."""

from collections.abc import Iterator
from typing import Any

from contracts.items import ITEM_TYPES
from contracts.markdown import prose
from contracts.messages import AnswerRequested
from contracts.session import StepResult

from responder.texts import has, text
from responder.writing import Voice, Written

AUTHOR = "template"
_ASIDE = ("fuzzy", "sample", "stale", "source")
"""Said at the end of an item, whatever its type."""
_UNSAID = frozenset({"type", "label", "n", "retrievedAt", *_ASIDE})


def mark(*, ok: bool) -> str:
    return "✓" if ok else "✗"


async def write(request: AnswerRequested, voice: Voice) -> Written:
    """A line for each step, and one for each thing that it has found."""
    language = request.language
    lines = [line for result in request.results for line in _lines(result, language)]
    answer = (
        "\n".join([text("results_intro", language), "", *lines]) if lines else text("no_results", language)
    )
    answer = prose(answer)
    await voice.say(answer)
    return Written(answer, AUTHOR)


def _lines(result: StepResult, language: str) -> Iterator[str]:
    said = " ".join(result.text.split())
    yield text("results_line", language, mark=mark(ok=result.ok), text=said)
    if result.chosen:
        listed = ", ".join(result.offered)
        yield text("result_chosen", language, label=result.chosen, listed=listed)
    if not result.ok:
        return
    for item in result.items:
        facts = [fact for fact in _facts(item, language) if fact not in said]
        label = str(item.get("label") or "")
        if facts or label not in said:
            yield text("result_item", language, label=label, facts=", ".join(facts)).rstrip(": ")
    if result.more > 0:
        yield text("result_more", language, count=result.more)


def _facts(item: dict[str, Any], language: str) -> Iterator[str]:
    """What a reader wants to know of an item; of one that only strangers know, everything."""
    is_foreign = item.get("type") not in ITEM_TYPES
    for name, value in item.items():
        if name in _UNSAID:
            continue
        if has(f"fact_{name}"):
            yield text(f"fact_{name}", language, value=_written(value))
        elif is_foreign:
            yield f"{name}: {_written(value)}"
    for name in _ASIDE:
        if name in item:
            seen = item.get("retrievedAt", "")[:10] if name == "stale" else item[name]
            yield text(f"fact_{name}", language, value=_written(seen))


def _written(value: Any) -> str:
    """Swiss notation: 2'600'513 or 618.5; a point is `east / north`."""
    if isinstance(value, list):
        is_point = all(isinstance(each, float) for each in value)
        return (" / " if is_point else "; ").join(map(_written, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return " ".join(str(value).split())
    written = f"{value:,.1f}".replace(",", "'")
    return written.removesuffix(".0")
