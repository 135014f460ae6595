"""Turns a decorated function into a tool: announced, called over the bus, its failures answered."""

import asyncio
import contextlib
import hashlib
import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from time import perf_counter
from typing import Any, get_type_hints

from contracts import subjects
from contracts.base import Contract
from contracts.items import ItemBase
from contracts.messages import Outcome, ToolCalled, ToolResult, Usage
from contracts.research import ErrorType
from contracts.status import Status
from contracts.tools import ToolDescriptor
from contracts.vocabulary import Vocabulary
from nats.js.errors import BadRequestError
from pydantic import BaseModel, ValidationError
from servicekit import clock, deadline, ownership
from servicekit.bus import Bus
from servicekit.errors import DuplicateTool, InvalidTool, MessageTooLarge, SourceError, SourceErrorKind
from servicekit.spending import counting
from servicekit.streams import consumer_info
from servicekit.tasks import end
from servicekit.telemetry import tool_called
from servicekit.texts import source_text, text
from servicekit.tracing import span
from servicekit.wording import answering_in

log = logging.getLogger(__name__)

_AGAIN_S = 1.0
"""After a failed announcement: some more of them, and the tools of a healthy worker are forgotten."""
_WITHDRAW_TIMEOUT_S = 2.0
_RESERVE_S, _RESERVE = 1.0, 0.2
"""What is kept of a command's time for the way back: a second, of a short time a fifth."""

Function = Callable[[Any], Awaitable[Outcome]]


@dataclass(frozen=True)
class Tool:
    descriptor: ToolDescriptor
    arguments: type[BaseModel]
    function: Function

    async def call(self, args: dict[str, Any], language: str, until: datetime | None = None) -> Outcome:
        """Run the tool. Never raises: bad arguments and failures become an `error` outcome.

        So does a tool that has not ended shortly before `until`; outbound calls end before it is cancelled.
        """
        try:
            arguments = self.arguments.model_validate(args)
        except ValidationError as error:
            where = ", ".join(sorted({str(part["loc"][0]) for part in error.errors() if part["loc"]}))
            log.warning(
                "bad arguments", extra={"capability": self.descriptor.capability, "reason": str(error)}
            )
            message = text("bad_arguments", language, where=where or self.descriptor.capability)
            return Outcome(status=Status.ERROR, message=message)
        capability = self.descriptor.capability
        try:
            with answering_in(language):
                return await self._run(arguments, until)
        except SourceError as error:
            log.warning("source of tool failed", extra={"capability": capability, "reason": str(error)})
            slow = error.kind is SourceErrorKind.TIMEOUT
            return _error(source_text(error, language), ErrorType.TIMEOUT if slow else ErrorType.SERVER_ERROR)
        except _TooSlow:
            log.warning("tool too slow", extra={"capability": capability})
            return _error(text("tool_too_slow", language), ErrorType.TIMEOUT)
        except Exception:
            log.exception("tool failed", extra={"capability": capability})
            return _error(text("tool_failed", language), ErrorType.SERVER_ERROR)

    async def _run(self, arguments: BaseModel, until: datetime | None) -> Outcome:
        if until is None:
            return await self.function(arguments)
        left_s = max(0.0, (until - clock.now()).total_seconds())
        reserve_s = min(_RESERVE_S, _RESERVE * left_s)
        limit = asyncio.timeout(left_s - reserve_s / 2)
        try:
            # A call of a source ends first, and so can say who was slow.
            with deadline.ends_in(left_s - reserve_s):
                async with limit:
                    return await self.function(arguments)
        except TimeoutError:
            # A timeout of the tool's own is a failure like any other.
            if limit.expired():
                raise _TooSlow from None
            raise


class _TooSlow(Exception):
    """A tool has not ended in time."""


def _error(message: str, error_type: ErrorType) -> Outcome:
    return Outcome(status=Status.ERROR, message=message, error_type=error_type)


class Toolbox:
    """The tools of one service. They are announced while the service runs and forgotten when it does not.

    It takes the calls of whole families (`<family>.…`), so that the consumer need not change with the tools.
    With a `family` given they may come and go while it runs, see `offer`.

    toolbox = Toolbox(service.bus)

    @toolbox.tool("terrain.height_by_xy", returns=(Height,))
    async def height(args: HeightArgs) -> Outcome:
        "Height above sea level at a point."
    """

    def __init__(self, bus: Bus, family: str | None = None) -> None:
        self._bus = bus
        self._family = family
        self._tools: dict[str, Tool] = {}
        self._revisions: dict[str, int] = {}
        """Of the announcements that this process has made last."""
        self._vocabulary: Vocabulary | None = None
        self._announcing: asyncio.Task[None] | None = None
        self._leaving = False
        self._telling = asyncio.Lock()
        """Whoever announces or withdraws does so alone."""
        bus.declare_late(self._subscribe)
        bus.before_start(self.start)
        bus.before_stop(self.leave)

    def tool(
        self,
        capability: str,
        *,
        returns: tuple[type[ItemBase], ...],
        phrases: tuple[str, ...] = (),
        topics: tuple[str, ...] = (),
        selects: bool = True,
        internal: bool = False,
        for_each: type[ItemBase] | None = None,
        examples: Mapping[str, Any] | None = None,
    ) -> Callable[[Function], Function]:
        """Declare a tool; the docstring is its description, the type of its argument its JSON schema.

        `internal`, `for_each`: as in `ToolDescriptor`. `examples`: by parameter, a value of the source's own;
        what is empty is left out.
        """

        def register(function: Function) -> Function:
            if capability in self._tools:
                raise DuplicateTool(f"The capability {capability} is declared twice.")
            made = _tool(
                ToolDescriptor(
                    capability=capability,
                    service=self._bus.service,
                    description=inspect.getdoc(function) or "",
                    parameters={},
                    result_types=tuple(map(_type_of, returns)),
                    selects=selects,
                    for_each=_type_of(for_each) if for_each is not None else None,
                    phrases=phrases,
                    topics=topics,
                    internal=internal,
                ),
                function,
            )
            self._tools[capability] = _with_examples(made, examples or {})
            return function

        return register

    def knows(self, vocabulary: Vocabulary) -> None:
        """From the next announcement on, what the service knows by name."""
        self._vocabulary = vocabulary.bounded()
        if self._vocabulary != vocabulary:
            log.warning("the vocabulary is too large", extra={"kept": len(self._vocabulary.places)})

    async def offer(self, tools: Iterable[Tool]) -> None:
        """From now on these tools and no others: announced at once, and withdrawn what is not among them."""
        offered = {tool.descriptor.capability: tool for tool in tools}
        async with self._telling:
            before, self._tools = self._tools, offered
            await self._announce()
            await self._withdraw(before.keys() - offered.keys())

    def __getitem__(self, capability: str) -> Tool:
        return self._tools[capability]

    @property
    def descriptors(self) -> tuple[ToolDescriptor, ...]:
        return tuple(tool.descriptor for tool in self._tools.values())

    @property
    def _wanted(self) -> list[str]:
        families = {self._family} if self._family else {name.partition(".")[0] for name in self._tools}
        return [subjects.tool_calls(family) for family in sorted(families)]

    def _subscribe(self) -> None:

        @self._bus.subscriber(*self._wanted, cancellable=True)
        async def on_call(command: ToolCalled) -> None:
            result = await self._answer(command)
            try:
                await self._bus.publish(result)
            except MessageTooLarge:
                too_large = Outcome(status=Status.ERROR, message=text("result_too_large", command.language))
                await self._bus.publish(result.model_copy(update={"outcome": too_large}))

    async def _answer(self, command: ToolCalled) -> ToolResult:
        started, usage = perf_counter(), Usage()
        tool = self._tools.get(command.capability)
        if tool is None:
            outcome = _error(text("tool_gone", command.language), ErrorType.SERVER_ERROR)
        else:
            attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": command.capability}
            with (
                counting() as spent,
                ownership.working_for(command.session_id),
                span(f"execute_tool {command.capability}", attributes) as called,
            ):
                outcome = await tool.call(command.args, command.language, command.deadline)
                if outcome.status is Status.ERROR:
                    called.fail(outcome.error_type or "error")
                tool_called(command.capability, outcome.status, perf_counter() - started)
            usage = sum(spent, usage)
        return ToolResult(
            **command.envelope(),
            service=self._bus.service,
            capability=command.capability,
            outcome=outcome,
            duration_ms=round((perf_counter() - started) * 1000, 3),
            usage=usage,
        )

    async def start(self) -> None:
        """Announce once, then keep the announcement fresh."""
        async with self._telling:
            await self._announce()
        self._announcing = asyncio.create_task(self._keep_announced())

    async def leave(self) -> None:
        """Take the announcements back, unless another process of the service goes on with the same tools."""
        self._leaving = True
        await self.stop()
        async with asyncio.timeout(_WITHDRAW_TIMEOUT_S), self._telling:
            if not await self._has_sisters():
                await self._withdraw(self._entries().keys())

    async def stop(self) -> None:
        """Announce no more; what is announced is forgotten after a while."""
        if self._announcing is not None:
            await end(self._announcing)

    def _entries(self) -> dict[str, Contract]:
        """What stands in the bucket, by key."""
        entries: dict[str, Contract] = {name: tool.descriptor for name, tool in self._tools.items()}
        if self._vocabulary is not None:
            entries[subjects.vocabulary_key(self._bus.service)] = self._vocabulary
        return entries

    async def _announce(self) -> None:
        bucket = self._bus.tools_bucket
        for key, entry in () if self._leaving else self._entries().items():
            self._revisions[key] = await bucket.put(key, entry.to_json())

    async def _withdraw(self, keys: Iterable[str]) -> None:
        bucket = self._bus.tools_bucket
        for key in keys:
            # Whoever has announced it after this process still offers it.
            with contextlib.suppress(BadRequestError):
                await bucket.delete(key, last=self._revisions.pop(key, None))

    async def _has_sisters(self) -> bool:
        """Each process keeps one pull request open; this one still has its own."""
        stream = subjects.stream_of(self._wanted[0]).name
        consumer = await consumer_info(self._bus.connection, stream, self._bus.service)
        return (consumer.num_waiting or 0) > 1

    async def _keep_announced(self) -> None:
        pause_s = subjects.TOOL_REFRESH_S
        while True:
            await asyncio.sleep(pause_s)
            try:
                async with self._telling:
                    await self._announce()
                pause_s = subjects.TOOL_REFRESH_S
            except Exception as error:
                log.warning("announcing the tools failed", extra={"reason": repr(error)})
                pause_s = _AGAIN_S


def _type_of(item: type[ItemBase]) -> str:
    return str(item.model_fields["type"].default)


def _tool(described: ToolDescriptor, function: Function) -> Tool:
    """With the schema of its arguments. Raises `InvalidTool`."""
    capability = described.capability
    parameters = list(inspect.signature(function).parameters)
    arguments = get_type_hints(function).get(parameters[0]) if len(parameters) == 1 else None
    if not (
        inspect.iscoroutinefunction(function)
        and isinstance(arguments, type)
        and issubclass(arguments, BaseModel)
        and described.description
        and (described.for_each is None or described.for_each in arguments.model_fields)
        and not subjects.is_vocabulary(capability)
        and not subjects.is_model(capability)
    ):
        raise InvalidTool(f"{capability}: {InvalidTool.__doc__}")
    schema = {"parameters": arguments.model_json_schema()}
    return Tool(described.model_copy(update=schema), arguments, function)


def _with_examples(tool: Tool, examples: Mapping[str, Any]) -> Tool:
    schema = tool.descriptor.parameters
    properties = {
        name: {**property_, "examples": [examples[name]]} if examples.get(name) else property_
        for name, property_ in schema.get("properties", {}).items()
    }
    changed = {"parameters": {**schema, "properties": properties}} if examples else {}
    return replace(tool, descriptor=versioned(tool.descriptor.model_copy(update=changed)))


def versioned(descriptor: ToolDescriptor) -> ToolDescriptor:
    """With the hash of everything else in its `version`."""
    digest = hashlib.sha256(descriptor.to_json()).hexdigest()
    return descriptor.model_copy(update={"version": digest[:12]})
