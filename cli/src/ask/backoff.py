"""When a crashed process is started again."""


class Backoff:
    """0.2 s, 0.4 s, ... 10 s; from the start again after a process that was healthy for 30 s."""

    FIRST_S = 0.2
    MAX_S = 10.0
    RESET_AFTER_S = 30.0

    def __init__(self) -> None:
        self._crashes = 0

    def after_crash(self, healthy_s: float) -> float:
        """Seconds to wait now that a process has ended that was healthy for `healthy_s`."""
        if healthy_s >= self.RESET_AFTER_S:
            self._crashes = 0
        delay_s = min(self.MAX_S, self.FIRST_S * 2.0 ** min(self._crashes, 16))
        self._crashes += 1
        return delay_s
