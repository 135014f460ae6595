"""Property tests draw the same examples in each run; `--hypothesis-profile=explore` looks for new ones."""

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=3_000)
settings.load_profile("repeatable")
