"""How far it is for a reader from the handler of a message to what is said on the bus."""

import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from servicekit.bus import Delivery, NackMessage
from world import DEFAULT_TOOLS, GOTO, NOW, asked, plan

import orchestrator
from orchestrator.handlers import register
from orchestrator.service import TurnService

from .test_turn_service import Everybody, Store

MAX_STOPS = 15


class Registering(Everybody):
    """Keeps the handlers, instead of calling them."""

    def __init__(self) -> None:
        super().__init__(plan(GOTO), DEFAULT_TOOLS)
        self.handlers: dict[str, Callable[..., Any]] = {}

    def subscriber(self, *subjects: str, **settings: Any) -> Callable[[Callable[..., Any]], None]:
        return lambda handler: self.handlers.update({handler.__name__: handler})

    def listen(self, *wanted: Any, **settings: Any) -> None: ...


def properties() -> set[CodeType]:
    """What is read like a field."""
    found: set[CodeType] = set()
    for name, module in sys.modules.items():
        for kind in vars(module).values() if name.startswith("orchestrator.") else ():
            for value in vars(kind).values() if isinstance(kind, type) else ():
                if isinstance(value, property):
                    found.add(value.fget.__code__)  # type: ignore[union-attr]
                elif isinstance(value, cached_property):
                    found.add(value.func.__code__)
    return found


async def test_the_walk_of_a_message_through_the_orchestrator_is_short() -> None:
    bus: Any = Registering()
    register(bus, TurnService(Store(), bus, now=lambda: NOW))
    package, fields = str(Path(orchestrator.__file__).parent), properties()
    stops: dict[str, None] = {}

    def visit(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        named = code not in fields and not code.co_name.startswith("<")
        if event == "call" and code.co_filename.startswith(package) and named:
            stops[f"{Path(code.co_filename).stem}.{code.co_qualname}"] = None

    before = sys.getprofile()
    sys.setprofile(visit)
    try:
        with pytest.raises(NackMessage):
            await bus.handlers["on_chat"](asked(), Delivery(1, "chat.requested", "timer"))
    finally:
        sys.setprofile(before)
    assert [event.task for event in bus.events] == ["plan"]
    assert {"service.TurnService.chat", "arrivals.begun", "publisher.Publisher.publish"} <= stops.keys()
    assert len(stops) <= MAX_STOPS, list(stops)
