"""Which services run in the process `compact`."""

from ask.services import COMPACT, SERVICES, compacted, needed

PARTS = compacted(needed(SERVICES, {}))[0].parts
"""All but the edge that have something to do without being told of a server."""


def parts_of(workload: str) -> tuple[str, ...]:
    """The services of a container, or of a workload, by its name."""
    return PARTS if workload == COMPACT else (workload,)
