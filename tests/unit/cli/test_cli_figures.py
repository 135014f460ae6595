"""What metrics of several processes say together."""

from math import inf

import pytest
from rich.console import Console

from ask.figures import Snapshot, quantile, view
from ask.texts import speak
from ask.top import frame

EDGE = """
# TYPE ask_turns_total counter
ask_turns_total{interface="chat",status="ok"} %d
ask_turns_total{interface="chat",status="error"} %d
ask_turns_total{interface="mcp",status="ok"} 3
# TYPE ask_turn_seconds histogram
ask_turn_seconds_bucket{interface="chat",le="0.1"} %d
ask_turn_seconds_bucket{interface="chat",le="0.5"} %d
ask_turn_seconds_bucket{interface="chat",le="+Inf"} %d
ask_turns_at_work 4
ask_turns_at_work_limit 64
ask_turn_oldest_seconds 2.5
python_info{version="3"} 1
"""
ORCHESTRATOR = """
ask_consumer_pending{consumer="tools-geo",stream="COMMANDS"} 7
ask_consumer_unacknowledged{consumer="tools-geo",stream="COMMANDS"} 2
"""
TOOLS = """
ask_tool_calls_total{capability="geolocation.geocode",status="ok"} 5
ask_tool_calls_total{capability="layers.search",status="error"} 1
ask_tool_seconds_bucket{capability="geolocation.geocode",le="0.01"} 5
ask_tool_seconds_bucket{capability="geolocation.geocode",le="+Inf"} 5
ask_tool_seconds_bucket{capability="layers.search",le="0.01"} 0
ask_tool_seconds_bucket{capability="layers.search",le="2.0"} 1
ask_tool_seconds_bucket{capability="layers.search",le="+Inf"} 1
ask_model_tokens_total{direction="input",model="m"} 900
ask_model_tokens_total{direction="output",model="m"} 60
"""
BEFORE = Snapshot.of(100.0, [EDGE % (10, 1, 8, 11, 11), ORCHESTRATOR, TOOLS, TOOLS])
AFTER = Snapshot.of(110.0, [EDGE % (29, 2, 8, 31, 31), ORCHESTRATOR, ORCHESTRATOR, TOOLS, TOOLS])


def test_what_processes_share_is_added_up_and_what_they_all_see_counts_once() -> None:
    seen = view(BEFORE, AFTER)
    assert {tool.name: (tool.calls, tool.failed) for tool in seen.tools} == {
        "layers.search": (2, 2),
        "geolocation.geocode": (10, 0),
    }
    (waiting,) = seen.waiting
    assert (waiting.stream, waiting.consumer) == ("COMMANDS", "tools-geo")
    assert (waiting.pending, waiting.unacknowledged) == (7, 2)
    assert (seen.in_flight, seen.at_most, seen.oldest_s) == (4, 64, 2.5)
    assert [(t.model, t.input, t.output) for t in seen.tokens] == [("m", 1800, 120)]


def test_rates_and_times_are_of_late() -> None:
    seen = view(BEFORE, AFTER)
    assert seen.turns_per_s == pytest.approx(2.0)
    assert seen.failed_share == pytest.approx(1 / 20)
    chat, mcp = seen.interfaces
    assert (chat.name, chat.calls, chat.failed, chat.recent) == ("chat", 31, 2, True)
    assert chat.per_s == pytest.approx(2.0)
    # All of the last ten seconds took longer than 0.1 s, as before only three of eleven did.
    assert chat.p50_s == pytest.approx(0.3)
    assert (mcp.name, mcp.recent, mcp.p50_s) == ("mcp", False, None)


def test_the_slowest_tool_comes_first_with_its_times_since_the_start() -> None:
    slow, fast = view(BEFORE, AFTER).tools
    assert (slow.name, slow.recent, fast.name) == ("layers.search", False, "geolocation.geocode")
    assert slow.p95_s == pytest.approx(0.01 + 1.99 * 0.95)


def test_a_process_that_has_started_again_is_no_negative_rate() -> None:
    again = Snapshot.of(120.0, [EDGE % (1, 0, 1, 1, 1)])
    seen = view(AFTER, again)
    assert (seen.turns_per_s, seen.failed_share) == (0.0, 0.0)
    assert seen.interfaces[0].per_s == 0.0


@pytest.mark.parametrize(
    ("q", "expected"),
    [(0.5, 0.1), (0.25, 0.05), (0.75, 0.3), (0.99, 0.5)],
)
def test_quantiles_are_those_of_prometheus(q: float, expected: float) -> None:
    assert quantile(q, {0.1: 10.0, 0.5: 20.0, inf: 20.0}) == pytest.approx(expected, abs=0.02)


def test_what_is_beyond_the_last_bound_is_at_least_that_bound_and_nothing_has_no_time() -> None:
    assert quantile(0.9, {0.1: 1.0, inf: 10.0}) == 0.1
    assert quantile(0.5, {}) is None
    assert quantile(0.5, {0.1: 0.0, inf: 0.0}) is None


def test_a_frame_tells_it_to_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_CH.UTF-8")
    speak("de")
    console = Console(width=110, record=True, force_terminal=False)
    console.print(frame(view(BEFORE, AFTER, ["planner"])))
    shown = console.export_text()
    assert "2.0 Anfragen/s · 4 von höchstens 64 in Arbeit · 5.0% Fehler · älteste 2.5 s" in shown
    assert "Antwortet nicht: planner" in shown
    rows = [line.split() for line in shown.splitlines()]
    assert ["layers.search", "0.0", "2", "2", "1.0", "s", "1.9", "s"] in rows
    assert ["tools-geo", "COMMANDS", "7", "2"] in rows
    assert "m: 1800 Tokens hinein, 120 heraus" in shown


def test_before_anybody_has_asked_anything_there_is_a_frame_too() -> None:
    nothing = Snapshot.of(1.0, ["ask_turns_at_work 0\n"])
    seen = view(nothing, nothing)
    assert (seen.turns_per_s, seen.interfaces, seen.tools) == (0.0, (), ())
    Console(file=None, quiet=True).print(frame(seen))
