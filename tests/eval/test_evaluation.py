"""How much of what people say is understood; the table is printed."""

from collections.abc import Mapping
from typing import NamedTuple

import pytest
from evaluation.conversations import FRESH, HELD, NAMED_HELD, ON_MAP_HELD, SEEN, STRANGERS, conversations
from evaluation.figures import Figures, rows_of, table
from evaluation.playing import Planner, Played, planners, play


class Bounds(NamedTuple):
    min_accepted_percent: float
    max_wrong_with_success_percent: float


TARGET = Bounds(min_accepted_percent=95.0, max_wrong_with_success_percent=1.0)
REACHED_WITH_HELD = Bounds(min_accepted_percent=92.8, max_wrong_with_success_percent=3.0)
"""The target is that of both halves; what is reached with the held one may not be lost."""

REACHED_WITH_STRANGERS = Bounds(min_accepted_percent=72.1, max_wrong_with_success_percent=11.5)
"""Nobody has read them, and no model has learned from them."""

REACHED_WITH_FRESH = Bounds(min_accepted_percent=80.0, max_wrong_with_success_percent=10.3)
"""Nor these, which say what the seen half does in other words."""

REACHED_WITH_NAMED = Bounds(min_accepted_percent=60.2, max_wrong_with_success_percent=31.2)
"""Where several things of a sort are named, and half of the messages do not mean all of them."""

REACHED_ON_MAP = Bounds(min_accepted_percent=67.0, max_wrong_with_success_percent=22.0)
"""What is done to layers that are on the map."""

Half = Mapping[Planner, tuple[Played, ...]]


@pytest.fixture(scope="module")
def seen() -> Half:
    return {planner: play(conversations(SEEN), planner) for planner in planners()}


@pytest.fixture(scope="module")
def held() -> Half:
    found = conversations(HELD)
    if not found:
        pytest.skip("there is no held half")
    return {planner: play(found, planner) for planner in planners()}


def test_the_seen_half_is_understood(seen: Half) -> None:
    rows = rows_of("seen half", seen, by_kind=True)
    print(f"\n\n{table(rows)}")
    _is_within(TARGET, rows[-1][1]["rules"])


def test_the_held_half_is_understood(held: Half) -> None:
    rows = rows_of("held half", held, by_kind=False)
    print(f"\n\n{table(rows)}")
    _is_within(REACHED_WITH_HELD, rows[-1][1]["rules"])


UNREAD = {
    "strangers": (STRANGERS, REACHED_WITH_STRANGERS),
    "fresh": (FRESH, REACHED_WITH_FRESH),
    "several named": (NAMED_HELD, REACHED_WITH_NAMED),
    "on the map": (ON_MAP_HELD, REACHED_ON_MAP),
}


@pytest.mark.parametrize("name", UNREAD)
def test_what_nobody_has_read_is_understood(name: str) -> None:
    folder, bounds = UNREAD[name]
    unread = {planner: play(conversations(folder), planner) for planner in planners()}
    rows = rows_of(name, unread, by_kind=False)
    print(f"\n\n{table(rows)}")
    _is_within(bounds, rows[-1][1]["rules"])


def _is_within(bounds: Bounds, figures: Figures) -> None:
    accepted, wrong = figures.share(figures.accepted), figures.share(figures.wrong_with_success)
    __tracebackhide__ = True
    if accepted < bounds.min_accepted_percent or wrong > bounds.max_wrong_with_success_percent:
        pytest.fail(f"{accepted:.1f} % accepted, {wrong:.1f} % wrong with success", pytrace=False)
