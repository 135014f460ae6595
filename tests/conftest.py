"""Property tests draw the same examples in each run; `--hypothesis-profile=explore` looks for new ones.

How long an example takes is no failure: tests run beside each other, on machines of any speed.
"""

import os

from hypothesis import HealthCheck, settings

# The command speaks the language of its terminal; what tests read is German, whosever terminal it is.
os.environ["LC_ALL"] = "C.UTF-8"

settings.register_profile(
    "repeatable", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=3_000)
settings.load_profile("repeatable")
