"""Property tests draw the same examples in each run. `HYPOTHESIS_PROFILE` says how many: the `quick` profile
is for work at the machine, CI runs the `thorough` one, and `explore` looks for new examples.

How long an example takes is no failure: tests run beside each other, on machines of any speed.
"""

import gc
import logging
import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings
from volume import WHOLE

from ask import ports

# The command speaks the language of its terminal; what tests read is German, whosever terminal it is.
os.environ["LC_ALL"] = "C.UTF-8"

# NumPy reads it when it is imported. Threads of several processes of tests only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Two processes of tests beside each other: what one has chosen, or holds free for a server that it restarts,
# is none of the other's.
if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    share = (ports.LAST + 1 - ports.FIRST) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    ports.FIRST += int(worker.removeprefix("gw")) * share
    ports.LAST = ports.FIRST + share - 1

settings.register_profile(
    "thorough",
    deadline=None,
    derandomize=True,
    max_examples=WHOLE,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", settings.get_profile("thorough"), max_examples=WHOLE // 5)
settings.register_profile("explore", deadline=None, max_examples=30 * WHOLE)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("thorough" if os.environ.get("CI") == "true" else "quick")
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: nobody looks through it for what may go, again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


class _WithFacts(logging.Formatter):
    """What was logged, with what was told along with it: the reason, not the event alone."""

    _own = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

    def format(self, record: logging.LogRecord) -> str:
        facts = {name: value for name, value in vars(record).items() if name not in self._own}
        return f"{super().format(record)} {facts or ''}"


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """For what a failed test shows; `caplog` stays as it is."""
    plugin = config.pluginmanager.get_plugin("logging-plugin")
    assert plugin is not None
    plugin.report_handler.setFormatter(_WithFacts("%(levelname)s %(name)s %(message)s"))
