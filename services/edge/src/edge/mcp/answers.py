"""What was found, as results of MCP tools: structured for programs, and in words."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from contracts.base import Contract
from contracts.chat import ChatResponse, Step
from contracts.items import Item
from contracts.languages import Language
from contracts.messages import Outcome
from contracts.status import Status
from contracts.tools import ToolDescriptor
from mcp_types import Annotations, CallToolResult, TextContent, Tool, ToolAnnotations

from edge import errors
from edge.extracts import readable, without_pixels
from edge.mcp import naming, schemas
from edge.problems import problem_of
from edge.texts import text

_REQUEST_ID = "ask.sogis/requestId"
"""Where a result says which turn it comes from."""
_ASK_DESCRIPTION = """Ask the chat copilot for maps of a Swiss canton in everyday words.

It plans, calls the other tools by itself, and answers with a message and with actions for a map. Use it for
whole wishes; use the other tools for single facts."""


def ask_tool(examples: Sequence[str]) -> Tool:
    """The tool that runs a whole turn. It remembers the conversation, and changes nothing else.

    `examples` are sentences that it understands.
    """
    message = {**schemas.ASK_ARGUMENTS["properties"]["message"], "examples": list(examples)}
    arguments = schemas.ASK_ARGUMENTS | {
        "properties": {**schemas.ASK_ARGUMENTS["properties"], "message": message}
    }
    return Tool(
        name=naming.ASK,
        title="ask.sogis",
        description=_ASK_DESCRIPTION,
        input_schema=arguments if examples else schemas.ASK_ARGUMENTS,
        output_schema=schemas.ANSWER,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
        ),
    )


def tool_of(name: str, descriptor: ToolDescriptor) -> Tool:
    """A capability as a tool. Tools only read, and may be called twice: that is a rule of the system."""
    return Tool(
        name=name,
        title=descriptor.capability,
        description=descriptor.description,
        input_schema=descriptor.parameters,
        output_schema=schemas.outcome(descriptor.result_types),
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True
        ),
    )


def needs_choice(tool: ToolDescriptor, outcome: Outcome) -> bool:
    """Whether the user has to say which of the items is meant."""
    return tool.selects and outcome.status is Status.OK and len(outcome.items) > 1


def chosen(outcome: Outcome, picked: str | None) -> Outcome:
    """What is left of it when an item is chosen, by its place in the list; all when none is."""
    for n, item in enumerate(outcome.items):
        if picked == str(n):
            return outcome.model_copy(update={"items": (item,), "message": item.label})
    return outcome


def of_outcome(tool: ToolDescriptor, outcome: Outcome, request_id: str, language: Language) -> CallToolResult:
    """All items; when one of them has to be chosen, the status says so."""
    status = Status.NEEDS_USER_CHOICE if needs_choice(tool, outcome) else outcome.status
    failed = outcome.status is Status.ERROR
    silence = "internal_error" if failed else "mcp_nothing_found"
    message = outcome.message or ("" if outcome.items else text(silence, language))
    items = [_json(item) for item in outcome.items]
    content = [_words("\n".join(_lines(message, outcome.items)))]
    if items:
        content.append(_facts(items))
    return CallToolResult(
        content=[*content],
        structured_content={"status": status, "message": message, "items": items},
        is_error=failed,
        _meta={_REQUEST_ID: request_id},
    )


def _lines(message: str, items: tuple[Item, ...]) -> Iterator[str]:
    if message:
        yield message
    yield from (item.label for item in items if item.label not in message)


def of_response(session_id: str, response: ChatResponse, language: Language) -> CallToolResult:
    """The whole answer, and its messages."""
    return CallToolResult(
        content=[_words("\n\n".join(_told(session_id, step, language) for step in response.steps))],
        structured_content={"sessionId": session_id, **_json(response)},
        is_error=response.overall_status is Status.ERROR,
    )


def _told(session_id: str, step: Step, language: Language) -> str:
    lines = [step.message]
    lines += [f"{n}. {choice.label}" for n, choice in enumerate(step.choices, 1)]
    if step.choices:
        lines.append(text("mcp_choose_by_words", language, session_id=session_id))
    if step.research is not None:
        lines += [f"[{source.n}] {source.name}: {source.url}" for source in step.research.sources]
    return "\n".join(lines)


def of_error(error: errors.EdgeError, language: Language) -> CallToolResult:
    """What is wrong, in words that a model can act on."""
    problem = problem_of(error, language)
    lines = [problem.detail, *(f"{field.pointer}: {field.detail}" for field in problem.errors or ())]
    return CallToolResult(content=[_words("\n".join(lines))], is_error=True)


def _words(said: str) -> TextContent:
    return TextContent(text=said)


def _facts(items: list[dict[str, Any]]) -> TextContent:
    """For models whose client shows them no structured content; outlines are nothing to read."""
    shown = [readable({name: value for name, value in item.items() if name != "geometry"}) for item in items]
    facts = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    return TextContent(text=facts, annotations=Annotations(audience=["assistant"]))


def _json(contract: Contract) -> dict[str, Any]:
    document: dict[str, Any] = without_pixels(contract.as_json())
    return document
