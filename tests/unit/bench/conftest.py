"""The programs of `bench/` are scripts, not a package."""

import sys

import pages

sys.path.insert(0, str(pages.ROOT / "bench"))
