"""Bus in, bus out: the tools of all servers that answer."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from servicekit.bus import Bus
from servicekit.tools import Tool, Toolbox

from tools_mcp import FAMILY

log = logging.getLogger("ask.tools_mcp")


class Source(Protocol):
    """Where tools come from."""

    tools: tuple[Tool, ...]


def register(bus: Bus, sources: Sequence[Source]) -> tuple[Toolbox, Callable[[], Awaitable[None]]]:
    """The toolbox, and what a source calls when it has other tools than before."""
    toolbox = Toolbox(bus, family=FAMILY)

    async def changed() -> None:
        try:
            await toolbox.offer(tool for source in sources for tool in source.tools)
        except Exception as error:
            # What is not announced now will be with the next round, what is not withdrawn is forgotten.
            log.warning("announcing the tools failed", extra={"reason": repr(error)})

    return toolbox, changed
