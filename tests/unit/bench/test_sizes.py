"""What docs/capacity.md calculates is what its own measured figures give; cells do not know each other."""

import pages
import pytest

import sizes
from sizes import MEASURED, RATES, ceilings, cell_of, needs, number, simulated

PAGE = pages.ROOT / "docs" / "capacity.md"


def test_the_page_has_the_measured_figures() -> None:
    rows = pages.table(PAGE, "What a turn takes", "of one turn")
    assert {row["of one turn"]: row["figure"] for row in rows} == {
        name: f"{value:,}" for name, value in MEASURED.items()
    }


def test_the_page_says_what_ends_first() -> None:
    rows = pages.table(PAGE, "What ends first", "turns/s")
    shown = [(row["what"], row["turns/s"], row["then"]) for row in rows]
    assert shown == [(each.what, number(each.rate), each.then) for each in ceilings(MEASURED)]


def test_the_page_says_what_is_needed() -> None:
    rows = pages.table(PAGE, "What is needed", "turns/s")
    for rate in RATES:
        shown = {row["turns/s"]: row[f"{rate:,}"] for row in rows}
        assert shown == {name: number(value) for name, value in needs(MEASURED, rate).items()}


def test_twice_the_turns_need_twice_as_much() -> None:
    one, two = needs(MEASURED, 100_000), needs(MEASURED, 200_000)
    assert all(two[name] == pytest.approx(2 * value, rel=0.01) for name, value in one.items())


def test_a_cell_takes_what_it_is_made_for() -> None:
    """All but the log and the memory of a whole day, which the page says."""
    ends = {each.what: each.rate for each in ceilings(MEASURED) if not each.what.endswith("24 h")}
    assert min(ends.values()) > sizes.CELL_RATE


@pytest.mark.parametrize("cells", [1, 4, 100])
def test_the_hash_divides_sessions_evenly_and_always_alike(cells: int) -> None:
    where = [cell_of(f"session-{n}", cells) for n in range(100 * cells)]
    assert {where.count(cell) for cell in range(cells)} <= set(range(50, 151))
    assert cell_of("123456789", 2**32) == 0xCBF43926  # CRC-32 as everybody computes it


def test_a_cell_that_is_away_is_noticed_in_none_of_the_others() -> None:
    rate, turns = 2_000.0, 12_000
    usual, away = (simulated(MEASURED, rate, 4, turns=turns, away=each) for each in ((0.0, 0.0), (1.0, 4.0)))
    others = range(1, 4)
    assert away.p(99, others) == pytest.approx(usual.p(99, others), rel=0.1)
    assert usual.p(100) < 100
    assert away.p(100, range(1)) > 2_900


def test_too_few_cells_do_fewer_turns() -> None:
    enough, few = (simulated(MEASURED, 20_000, cells, turns=20_000) for cells in (20, 3))
    assert enough.rate > 0.9 * 20_000
    assert few.rate < 0.7 * 20_000
    assert few.p(99) > 10 * enough.p(99)


def test_the_same_seed_gives_the_same_turns() -> None:
    one, two, other = (simulated(MEASURED, 1_000, 2, turns=500, seed=seed) for seed in (1, 1, 2))
    assert one == two != other
