"""The real orchestrator and action planner with the instant planner and tool, in one process."""

from servicekit.service import run

from ask import compact
from ask.services import COMPACT
from instant import planner, tools

if __name__ == "__main__":
    run(COMPACT, compact.build("orchestrator"), planner(), compact.build("actionplanner"), tools())
