"""Places are bounded, and newcomers find room."""

from hypothesis import given
from hypothesis import strategies as st

from edge.places import Claim, Places


def of(key: str, most: int | None = None) -> tuple[Claim, ...]:
    return (Claim("principal", key, most),)


def greedy(places: Places, key: str) -> int:
    """How many one gets who takes all that it can."""
    got = 0
    while places.take(of(key)) is None:
        got += 1
    return got


def test_who_is_alone_gets_half_of_the_places_and_somebody_else_gets_in_at_once() -> None:
    places = Places(512)
    assert greedy(places, "greedy") == 257
    assert places.take(of("other")) is None


def test_several_greedy_ones_leave_room_for_a_newcomer() -> None:
    places = Places(100)
    for n in range(4):
        greedy(places, f"greedy-{n}")
        assert places.take(of("newcomer")) is None
        places.give_back(of("newcomer"))


def test_many_who_want_one_place_each_can_have_all_of_them() -> None:
    places = Places(512)
    assert all(places.take(of(str(n))) is None for n in range(512))
    assert places.take(of("one more")) == "all"


def test_a_limit_of_its_own_counts_however_much_is_free() -> None:
    places = Places(512)
    assert [places.take(of("a", 2)) for _ in range(3)] == [None, None, "principal"]


def test_the_claim_that_is_used_up_is_named_and_nothing_is_taken() -> None:
    places = Places(10)
    home = Claim("address", "home", 1)
    assert places.take((Claim("principal", "a"), home)) is None
    assert places.take((Claim("principal", "b"), home)) == "address"
    assert (places.taken, places.held("b")) == (1, 0)


@given(st.integers(1, 40), st.lists(st.tuples(st.booleans(), st.integers(0, 4)), max_size=300))
def test_what_is_taken_is_what_is_held_and_never_more_than_there_is(
    most: int, moves: list[tuple[bool, int]]
) -> None:
    places = Places(most)
    held = [0] * 5
    for takes, who in moves:
        if takes:
            free, before = most - sum(held), held[who]
            refused = places.take(of(str(who)))
            assert (refused is None) == (free > 0 and before <= free)
            held[who] += refused is None
        elif held[who]:
            places.give_back(of(str(who)))
            held[who] -= 1
        assert places.taken == sum(held) <= most
        assert [places.held(str(n)) for n in range(5)] == held
