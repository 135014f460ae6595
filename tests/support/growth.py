"""How work grows with the text that it is done on: in processor time, compared with itself.

Sixteen times the text may cost sixteen times as much; what tries one place after the other costs 256 times.
"""

import gc
import sys
from collections.abc import Callable
from time import thread_time

TIMES = 16
ALLOWED = 64
"""Times the cost of the short text: halfway, by factors, between linear and quadratic."""
_FLOOR_S = 0.000_03
"""What is measured of the short text at least: anything below is hidden by what each call costs."""
_ATTEMPTS = 5

Work = Callable[[str], object]
TextOf = Callable[[int], str]
"""A text for a number of characters, more or less."""


def repeated(unit: str, before: str = "", after: str = "") -> TextOf:
    return lambda chars: before + unit * max(1, chars // len(unit)) + after


def cost_s(work: Work, text: str, times: int = 1) -> float:
    """Processor time of this thread, the least of some tries; what others do meanwhile is not counted."""
    return min(_once(work, text) for _ in range(times))


def growth(work: Work, text_of: TextOf, chars: int) -> float:
    """How many times as much `TIMES` the text costs; the least of some attempts."""
    least = float("inf")
    for attempt in range(_ATTEMPTS):
        short = max(_FLOOR_S, cost_s(work, text_of(chars // TIMES), 2 * attempt)) if attempt else _FLOOR_S
        # What grows very fast would not come to an end with the whole text.
        for length in (chars // 4, chars):
            times = cost_s(work, text_of(length), attempt or 1) / short
            if times > ALLOWED:
                break
        least = min(least, times)
        if least <= ALLOWED:
            break
    return least


def steps(work: Work, text: str) -> int:
    """How often functions are called, of Python and of C: the same on every machine, however busy it is."""
    counted = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work(text)
    finally:
        sys.setprofile(before)
    return counted


def _once(work: Work, text: str) -> float:
    gc.disable()
    try:
        started = thread_time()
        work(text)
        return thread_time() - started
    finally:
        gc.enable()
