"""However events overtake each other on their way into a log: all readers are told the same, in order."""

from datetime import UTC, datetime
from typing import Any

from contracts.turns import AnswerDelta, TurnEvent, TurnEventKind
from hypothesis import example, given
from hypothesis import strategies as st
from servicekit.logorder import Logged, LogOrder

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def event(n: int) -> TurnEvent:
    return TurnEvent(request_id="r", session_id="s", n=n, round=0, kind=TurnEventKind.TOOL_CALLED, at=NOW)


def delta(k: int) -> AnswerDelta:
    ids: dict[str, Any] = {
        "request_id": "r",
        "session_id": "s",
        "round": 0,
        "step": 0,
        "call": 1,
        "attempt": 1,
    }
    return AnswerDelta(**ids, k=k, text=str(k))


def told(log: list[TurnEvent | AnswerDelta]) -> list[Logged]:
    """What comes out of a log; positions have gaps, as those of a stream with many turns have."""
    order = LogOrder()
    return [out for n, entry in enumerate(log) for out in order.take(Logged(10 + 7 * n, entry))]


def test_what_is_in_order_passes_under_its_own_position() -> None:
    assert [(out.position, out.entry) for out in told([event(0), delta(0), event(1)])] == [
        (10, event(0)),
        (17, delta(0)),
        (24, event(1)),
    ]


def test_an_event_waits_for_the_one_it_has_overtaken() -> None:
    out = told([event(0), event(2), delta(0), event(1), event(3)])
    assert [each.entry for each in out] == [event(0), event(1), event(2), delta(0), event(3)]
    assert [each.position for each in out] == [10, 17, 24, 31, 38]


def test_an_event_that_is_missing_for_good_is_given_up() -> None:
    order = LogOrder()
    assert order.take(Logged(1, event(1))) == []
    assert order.is_waiting
    assert order.give_up() == [Logged(1, event(1))]
    assert order.take(Logged(2, event(2))) == [Logged(2, event(2))]
    assert order.take(Logged(3, event(0))) == []


@st.composite
def logs(draw: st.DrawFn) -> list[TurnEvent | AnswerDelta]:
    """All events of a turn in any order, some twice, and between them the pieces of an answer."""
    count = draw(st.integers(1, 7))
    numbers = draw(st.permutations(range(count)))
    log: list[TurnEvent | AnswerDelta] = [event(n) for n in numbers]
    for n in draw(st.lists(st.integers(0, count - 1), max_size=3)):
        log.insert(draw(st.integers(0, len(log))), event(n))
    at = sorted(draw(st.lists(st.integers(0, len(log)), max_size=4)))
    for k, where in enumerate(at):
        log.insert(where + k, delta(k))
    return log


@given(logs())
@example([event(1), delta(0), event(0)])
def test_every_entry_is_told_once_in_order_under_growing_positions(
    log: list[TurnEvent | AnswerDelta],
) -> None:
    out = told(log)
    entries = [each.entry for each in out]
    numbers = [entry.n for entry in entries if isinstance(entry, TurnEvent)]
    assert numbers == list(range(len(numbers)))
    assert set(numbers) == {entry.n for entry in log if isinstance(entry, TurnEvent)}
    assert [e for e in entries if isinstance(e, AnswerDelta)] == [
        e for e in log if isinstance(e, AnswerDelta)
    ]
    positions = [each.position for each in out]
    assert positions == sorted(set(positions))


@given(logs(), st.data())
def test_what_was_told_once_is_never_told_otherwise(
    log: list[TurnEvent | AnswerDelta], data: st.DataObject
) -> None:
    begun = log[: data.draw(st.integers(0, len(log)))]
    assert told(log)[: len(told(begun))] == told(begun)
