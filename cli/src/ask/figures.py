"""What the metrics of all processes say together, as a view of the system. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from prometheus_client.parser import text_string_to_metric_families
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

Labels = tuple[tuple[str, str], ...]
_OF_ONE = ("ask_consumer_", "ask_turn_oldest_")
"""Several processes say the same: the largest counts. All else is added up."""
_FAILED = ("error", "unanswered")


@dataclass(frozen=True)
class Snapshot:
    """The samples of all processes at one moment, in seconds of a clock that goes on evenly."""

    at: float
    values: Mapping[str, Mapping[Labels, float]]

    @classmethod
    def of(cls, at: float, documents: Iterable[str]) -> "Snapshot":
        """Of what `/metrics` has answered. Raises `ValueError` for what is no such text."""
        values: dict[str, dict[Labels, float]] = defaultdict(dict)
        for document in documents:
            for family in text_string_to_metric_families(document):
                for sample in family.samples:
                    if sample.name.startswith("ask_"):
                        of_name, labels = values[sample.name], tuple(sorted(sample.labels.items()))
                        before = of_name.get(labels, 0.0)
                        together = max if sample.name.startswith(_OF_ONE) else float.__add__
                        of_name[labels] = together(before, float(sample.value))
        return cls(at, values)

    def all(self, name: str) -> Iterator[tuple[dict[str, str], float]]:
        for labels, value in self.values.get(name, {}).items():
            yield dict(labels), value

    def total(self, name: str) -> float:
        return sum(value for _, value in self.all(name))


class _Model(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)


class Row(_Model):
    """Of an interface, an intent or a tool. Without calls of late the times are those since the start."""

    name: str
    calls: int
    failed: int
    per_s: float
    p50_s: float | None
    p95_s: float | None
    recent: bool


class Waiting(_Model):
    stream: str
    consumer: str
    pending: int
    unacknowledged: int


class Tokens(_Model):
    model: str
    input: int
    output: int


class View(_Model):
    """`unreachable`: processes that do not answer; what they know is missing."""

    turns_per_s: float
    failed_share: float
    in_flight: int
    at_most: int
    oldest_s: float
    interfaces: tuple[Row, ...]
    intents: tuple[Row, ...]
    tools: tuple[Row, ...]
    """The slowest first."""
    waiting: tuple[Waiting, ...]
    tokens: tuple[Tokens, ...]
    unreachable: tuple[str, ...] = ()


def view(first: Snapshot, last: Snapshot, unreachable: Iterable[str] = ()) -> View:
    """What the system looks like now; rates are of the time between the two."""
    interfaces = _rows(first, last, "interface", "ask_turns_total", "ask_turn_seconds")
    tools = _rows(first, last, "capability", "ask_tool_calls_total", "ask_tool_seconds")
    turns = _grown(first, last, "ask_turns_total")
    failed = _grown(first, last, "ask_turns_total", _FAILED)
    return View(
        turns_per_s=_per_s(turns, first, last),
        failed_share=failed / turns if turns else 0.0,
        in_flight=round(last.total("ask_turns_at_work")),
        at_most=round(last.total("ask_turns_at_work_limit")),
        oldest_s=last.total("ask_turn_oldest_seconds"),
        interfaces=interfaces,
        intents=_rows(first, last, "intent", "ask_steps_total", "ask_step_seconds"),
        tools=tuple(sorted(tools, key=lambda row: -(row.p95_s or 0.0))),
        waiting=tuple(_waiting(last)),
        tokens=tuple(_tokens(last)),
        unreachable=tuple(sorted(unreachable)),
    )


def quantile(q: float, buckets: Mapping[float, float]) -> float | None:
    """As `histogram_quantile` of Prometheus: `buckets` are counts up to a bound, the last one infinite."""
    bounds = sorted(buckets)
    total = buckets[bounds[-1]] if bounds else 0.0
    if not total:
        return None
    rank = q * total
    for below, bound in pairwise((0.0, *bounds)):
        if buckets[bound] >= rank:
            if bound == inf:
                return below
            before = buckets.get(below, 0.0)
            inside = buckets[bound] - before
            return below + (bound - below) * ((rank - before) / inside if inside else 1.0)
    return None


def _rows(first: Snapshot, last: Snapshot, label: str, counter: str, clock: str) -> tuple[Row, ...]:
    names = sorted({labels[label] for labels, _ in last.all(counter)})
    return tuple(_row(first, last, label, name, counter, clock) for name in names)


def _row(first: Snapshot, last: Snapshot, label: str, name: str, counter: str, clock: str) -> Row:
    mine = [(labels, n) for labels, n in last.all(counter) if labels[label] == name]
    before, now = (_buckets(each, clock, label, name) for each in (first, last))
    recent = {bound: max(0.0, n - before.get(bound, 0.0)) for bound, n in now.items()}
    has_recent = recent.get(inf, 0.0) > 0
    times = recent if has_recent else now
    return Row(
        name=name,
        calls=round(sum(n for _, n in mine)),
        failed=round(sum(n for labels, n in mine if labels["status"] in _FAILED)),
        per_s=_per_s(recent.get(inf, 0.0), first, last),
        p50_s=quantile(0.5, times),
        p95_s=quantile(0.95, times),
        recent=has_recent,
    )


def _buckets(snapshot: Snapshot, clock: str, label: str, name: str) -> dict[float, float]:
    found = snapshot.all(f"{clock}_bucket")
    return {float(labels["le"]): n for labels, n in found if labels[label] == name}


def _grown(first: Snapshot, last: Snapshot, name: str, statuses: tuple[str, ...] = ()) -> float:
    """A process that has started again counts from the beginning: that is no growth."""
    before = {tuple(labels.items()): n for labels, n in first.all(name)}
    wanted = ((labels, n) for labels, n in last.all(name) if not statuses or labels["status"] in statuses)
    return sum(max(0.0, n - before.get(tuple(labels.items()), 0.0)) for labels, n in wanted)


def _per_s(grown: float, first: Snapshot, last: Snapshot) -> float:
    return grown / (last.at - first.at) if last.at > first.at else 0.0


def _waiting(last: Snapshot) -> Iterator[Waiting]:
    held = {tuple(labels.items()): n for labels, n in last.all("ask_consumer_unacknowledged")}
    for labels, pending in sorted(last.all("ask_consumer_pending"), key=lambda each: sorted(each[0].items())):
        unacknowledged = round(held.get(tuple(labels.items()), 0.0))
        yield Waiting(**labels, pending=round(pending), unacknowledged=unacknowledged)


def _tokens(last: Snapshot) -> Iterator[Tokens]:
    found: dict[str, dict[str, int]] = defaultdict(lambda: {"input": 0, "output": 0})
    for labels, n in last.all("ask_model_tokens_total"):
        found[labels["model"]][labels["direction"]] = round(n)
    for model in sorted(found):
        yield Tokens(model=model, **found[model])
