"""When a crashed process is started again."""

from ask.backoff import Backoff


def test_pauses_double_up_to_ten_seconds() -> None:
    backoff = Backoff()
    assert [backoff.after_crash(0) for _ in range(8)] == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10]


def test_after_half_a_minute_of_health_the_pauses_begin_again() -> None:
    backoff = Backoff()
    for _ in range(5):
        backoff.after_crash(29.9)
    assert backoff.after_crash(30) == 0.2
    assert backoff.after_crash(0) == 0.4


def test_a_long_row_of_crashes_never_overflows() -> None:
    backoff = Backoff()
    assert {backoff.after_crash(0) for _ in range(3_000)} <= {0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10}
