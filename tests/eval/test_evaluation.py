"""How much of what people say is understood; the table is printed."""

from collections.abc import Mapping

import pytest
from evaluation.conversations import HELD, SEEN, conversations
from evaluation.figures import Figures, rows_of, table
from evaluation.playing import Planner, Played, planners, play

MIN_ACCEPTED_PERCENT = 95.0
MAX_WRONG_WITH_SUCCESS_PERCENT = 1.0

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
    _is_good_enough(rows[-1][1]["rules"])


def test_the_held_half_is_understood(held: Half) -> None:
    rows = rows_of("held half", held, by_kind=False)
    print(f"\n\n{table(rows)}")
    _is_good_enough(rows[-1][1]["rules"])


def _is_good_enough(figures: Figures) -> None:
    accepted, wrong = figures.share(figures.accepted), figures.share(figures.wrong_with_success)
    __tracebackhide__ = True
    if accepted < MIN_ACCEPTED_PERCENT or wrong > MAX_WRONG_WITH_SUCCESS_PERCENT:
        pytest.fail(f"{accepted:.1f} % accepted, {wrong:.1f} % wrong with success", pytrace=False)
