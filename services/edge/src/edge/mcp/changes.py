"""Tells those who listen that the list of tools has changed."""

import asyncio
from collections.abc import Callable

from contracts.tools import ToolDescriptor
from mcp.server.subscriptions import InMemorySubscriptionBus, ToolsListChanged

_LOOK_S = 1.0
"""A tool that is forgotten tells nobody; a second later than that is soon enough."""


class Changes(InMemorySubscriptionBus):
    """Every replica sees the same tools, so each tells its own listeners."""

    def __init__(self, tools: Callable[[], tuple[ToolDescriptor, ...]]) -> None:
        super().__init__()
        self._tools = tools

    async def watch(self) -> None:
        """Until cancelled."""
        before = self._known()
        while True:
            await asyncio.sleep(_LOOK_S)
            now = self._known()
            if now != before:
                before = now
                await self.publish(ToolsListChanged())

    def _known(self) -> list[tuple[str, str]]:
        return [(tool.capability, tool.version) for tool in self._tools()]
