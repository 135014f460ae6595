"""An answer without a model about what was done: each result with its data. Pure."""

import re
from collections.abc import Iterator
from typing import Any

from contracts.items import ITEM_TYPES
from contracts.markdown import prose
from contracts.messages import AnswerRequested
from contracts.session import StepResult
from servicekit.wording import Say

from responder.texts import text
from responder.writing import AnswerSink, Written

AUTHOR = "template"
_ASIDE = ("fuzzy", "sample", "stale", "source")
"""Said at the end of an item, whatever its type."""
_UNSAID = frozenset({"type", "label", "coord", "n", "retrievedAt", *_ASIDE})
_UNTOLD = {"feature": {"layer"}}
"""By type, where all other attributes are told under their own names."""
_WORD = re.compile(r"[^\W_]+(?:['.][^\W_]+)*")


def mark(*, ok: bool) -> str:
    return "✓" if ok else "✗"


async def write(request: AnswerRequested, sink: AnswerSink) -> Written:
    """A line for each step, and one for each thing that it has found."""
    say = text.speaking(request.language)
    lines = [line for result in request.results for line in _lines(result, say)]
    answer = prose("\n".join([say("results_intro"), "", *lines]) if lines else say("no_results"))
    await sink.append(answer)
    return Written(answer, AUTHOR)


def _lines(result: StepResult, say: Say) -> Iterator[str]:
    said = _words(result.text)
    told = [line.strip() for line in result.text.splitlines() if line.strip()]
    first = next((n for n, line in enumerate(told) if line.startswith("- ")), len(told))
    yield f"- {mark(ok=result.ok)} {' '.join(told[:first])}"
    yield from (f"  - {line.removeprefix('- ')}" for line in told[first:])
    if result.chosen:
        listed = ", ".join(result.offered)
        yield say("result_chosen", label=result.chosen, listed=listed)
    if not result.ok:
        return
    for item in result.items:
        facts = ", ".join(_facts(item, said, say))
        label = _written(item.get("label") or "")
        cited = item.get("n")
        label = f"[{cited}] {label}" if cited else label
        if facts:
            yield say("result_item", label=label, facts=facts)
        elif cited or not _words(label) <= said:
            yield say("result_name", label=label)
    if result.more > 0:
        yield say("result_more", count=result.more)


def _facts(item: dict[str, Any], said: frozenset[str], say: Say) -> Iterator[str]:
    """What is not said yet of an item, in these words; of one that only strangers know, everything."""
    kind = item.get("type")
    is_open = kind not in ITEM_TYPES or kind in _UNTOLD
    unsaid = _UNSAID | _UNTOLD.get(str(kind), set())
    named = (name for name in item if name not in unsaid)
    own = [n for n in named if is_open or text.knows(f"fact_{n}") or isinstance(item[n], dict)]
    aside = [name for name in _ASIDE if name in item]
    for name in (*(own or ["coord"] if "coord" in item else own), *aside):
        value = item.get("retrievedAt", "")[:10] if name == "stale" else item[name]
        if isinstance(value, dict):
            yield from (fact for fact in _number(value, say) if not _words(fact) <= said)
            continue
        if isinstance(value, list) and name != "coord":
            value = [each for each in value if not _words(_named(name, each)) <= said]
        key, written = f"fact_{name}", _written(value)
        fact = say(key, value=written) if text.knows(key) else f"{_written(name)}: {written}"
        if not (_words(written) <= said or _words(fact) <= said):
            yield fact


def _number(aggregate: dict[str, Any], say: Say) -> Iterator[str]:
    """The one that was asked for about all of a set."""
    key = f"fact_{aggregate.get('function')}"
    if text.knows(key) and aggregate.get("attribute"):
        value = " ".join(filter(None, [_written(aggregate.get("value")), aggregate.get("unit")]))
        yield say(key, attribute=_written(aggregate["attribute"]), value=value)


def _named(name: str, value: Any) -> str:
    """What tells whether it was said; of a feature, which is a name with a list, the name."""
    written = _written(value)
    return written.partition(" (")[0] if name == "features" else written


def _words(written: str) -> frozenset[str]:
    return frozenset(word.replace("'", "") for word in _WORD.findall(written))


def _written(value: Any) -> str:
    """Swiss notation: 2'600'513 or 618.5; a point is `east / north`."""
    if isinstance(value, list):
        is_point = all(isinstance(each, float) for each in value)
        return (" / " if is_point else "; ").join(map(_written, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return " ".join(str(value).split())
    written = f"{value:,.1f}".replace(",", "'")
    return written.removesuffix(".0")
