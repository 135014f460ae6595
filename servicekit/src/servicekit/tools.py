"""Turns a decorated function into a tool: announced, called over the bus, its failures answered."""

import asyncio
import contextlib
import hashlib
import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, get_type_hints

from contracts import subjects
from contracts.items import ItemBase
from contracts.messages import Outcome, ToolCalled, ToolResult
from contracts.status import Status
from contracts.tools import ToolDescriptor
from pydantic import BaseModel, ValidationError
from servicekit.bus import AckPolicy, Bus
from servicekit.errors import DuplicateTool, InvalidTool, MessageTooLarge
from servicekit.texts import text

log = logging.getLogger(__name__)

Function = Callable[[Any], Awaitable[Outcome]]


@dataclass(frozen=True)
class Tool:
    descriptor: ToolDescriptor
    arguments: type[BaseModel]
    function: Function

    async def call(self, args: dict[str, Any], language: str) -> Outcome:
        """Run the tool. Never raises: bad arguments and failures become an `error` outcome."""
        try:
            arguments = self.arguments.model_validate(args)
        except ValidationError as error:
            where = ", ".join(sorted({str(part["loc"][0]) for part in error.errors() if part["loc"]}))
            log.warning(
                "bad arguments", extra={"capability": self.descriptor.capability, "reason": str(error)}
            )
            message = text("bad_arguments", language, where=where or self.descriptor.capability)
            return Outcome(status=Status.ERROR, message=message)
        try:
            return await self.function(arguments)
        except Exception:
            log.exception("tool failed", extra={"capability": self.descriptor.capability})
            return Outcome(status=Status.ERROR, message=text("tool_failed", language))


class Toolbox:
    """The tools of one service. They are announced while the service runs and forgotten when it does not.

    toolbox = Toolbox(service.bus)

    @toolbox.tool("terrain.height_by_xy", returns=(Height,))
    async def height(args: HeightArgs) -> Outcome:
        "Height above sea level at a point."
    """

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._tools: dict[str, Tool] = {}
        self._announcing: asyncio.Task[None] | None = None
        bus.before_start(self.start)

    def tool(
        self,
        capability: str,
        *,
        returns: tuple[type[ItemBase], ...],
        phrases: tuple[str, ...] = (),
        selects: bool = True,
    ) -> Callable[[Function], Function]:
        """Declare a tool; the docstring is its description, the type of its argument its JSON schema."""

        def register(function: Function) -> Function:
            if capability in self._tools:
                raise DuplicateTool(f"The capability {capability} is declared twice.")
            self._tools[capability] = _tool(
                self._bus.service, capability, function, returns, phrases, selects
            )
            return function

        return register

    def __getitem__(self, capability: str) -> Tool:
        return self._tools[capability]

    @property
    def descriptors(self) -> tuple[ToolDescriptor, ...]:
        return tuple(tool.descriptor for tool in self._tools.values())

    def _subscribe(self) -> None:
        wanted = [subjects.tool_call(capability) for capability in self._tools]

        @self._bus.subscriber(*wanted, ack_policy=AckPolicy.NACK_ON_ERROR)
        async def on_call(command: ToolCalled) -> None:
            result = await self._answer(command)
            try:
                await self._bus.publish(result)
            except MessageTooLarge:
                too_large = Outcome(status=Status.ERROR, message=text("result_too_large", command.language))
                await self._bus.publish(result.model_copy(update={"outcome": too_large}))

    async def _answer(self, command: ToolCalled) -> ToolResult:
        started = perf_counter()
        outcome = await self._tools[command.capability].call(command.args, command.language)
        return ToolResult(
            **command.envelope(),
            capability=command.capability,
            outcome=outcome,
            duration_ms=round((perf_counter() - started) * 1000, 3),
        )

    async def start(self) -> None:
        """Take calls, announce once, then keep the announcement fresh."""
        self._subscribe()
        await self._announce()
        self._announcing = asyncio.create_task(self._keep_announced())

    async def stop(self) -> None:
        if self._announcing is not None:
            self._announcing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._announcing

    async def _announce(self) -> None:
        bucket = await self._bus.jetstream.key_value(subjects.TOOLS_BUCKET)
        for tool in self._tools.values():
            await bucket.put(tool.descriptor.capability, tool.descriptor.to_json())

    async def _keep_announced(self) -> None:
        while True:
            await asyncio.sleep(subjects.TOOL_REFRESH_S)
            try:
                await self._announce()
            except Exception as error:
                log.warning("announcing the tools failed", extra={"reason": repr(error)})


def _tool(
    service: str,
    capability: str,
    function: Function,
    returns: tuple[type[ItemBase], ...],
    phrases: tuple[str, ...],
    selects: bool,
) -> Tool:
    parameters = list(inspect.signature(function).parameters)
    arguments = get_type_hints(function).get(parameters[0]) if len(parameters) == 1 else None
    description = inspect.getdoc(function)
    if not (
        inspect.iscoroutinefunction(function)
        and isinstance(arguments, type)
        and issubclass(arguments, BaseModel)
        and description
    ):
        raise InvalidTool(f"{capability}: {InvalidTool.__doc__}")
    descriptor = ToolDescriptor(
        capability=capability,
        service=service,
        description=description,
        parameters=arguments.model_json_schema(),
        result_types=tuple(str(item.model_fields["type"].default) for item in returns),
        selects=selects,
        phrases=phrases,
    )
    version = hashlib.sha256(descriptor.to_json()).hexdigest()[:12]
    return Tool(descriptor.model_copy(update={"version": version}), arguments, function)
