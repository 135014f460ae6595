"""What a person sees of the contracts: answers, tools, turns, dead messages."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from contracts.actions import (
    AddLayer,
    AddMarker,
    ClearMap,
    MapAction,
    RemoveLayer,
    RemoveMarker,
    SetBackground,
    SetLayerVisibility,
    SetView,
    ShowOerebExtract,
)
from contracts.chat import ChatResponse, Choice, Step
from contracts.status import Status
from contracts.tools import ToolDescriptor
from contracts.turns import TurnEvent
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ask.texts import text

_ICONS = {
    Status.OK: ("✔", "green"),
    Status.NEEDS_USER_CHOICE: ("?", "cyan"),
    Status.NEEDS_CLARIFICATION: ("…", "yellow"),
    Status.ERROR: ("✖", "red"),
}
_LINE_CHARS = 160


def action_text(action: MapAction) -> str:
    """One map action in a few words."""
    match action:
        case SetView(payload=view):
            if view.extent is not None:
                return text("set_extent")
            east, north = (f"{value:.0f}" for value in view.center)
            return text("set_view", east=east, north=north, zoom=view.zoom)
        case AddMarker(payload=marker):
            return text("add_marker", label=marker.label or marker.id)
        case RemoveMarker(payload=marker_id):
            return text("remove_marker", label=marker_id.id)
        case AddLayer(payload=layer):
            return text("add_layer", label=layer.label or layer.id)
        case RemoveLayer(payload=layer_id):
            return text("remove_layer", label=layer_id.id)
        case SetLayerVisibility(payload=layer):
            return text("show_layer" if layer.visible else "hide_layer", label=layer.id)
        case SetBackground(payload=choice):
            return text("set_background", label=choice.background.value)
        case ClearMap():
            return text("clear_map")
        case ShowOerebExtract(payload=extract):
            return text("show_oereb", url=extract.url)


def choice_text(choice: Choice) -> str:
    """One option, with how well it matches when that is known."""
    if choice.confidence is None:
        return choice.label
    return f"{choice.label}  ({text('percent', value=round(choice.confidence * 100))})"


def show_step(console: Console, step: Step, *, options: bool) -> None:
    """A line for the outcome, one for the map, and one for each option with the id that chooses it."""
    icon, style = _ICONS[step.status]
    console.print(Text.assemble((f"{icon} ", style), (step.message, "bold"), (f"  {step.intent}", "dim")))
    if step.map_actions:
        summary = " · ".join(action_text(action) for action in step.map_actions)
        console.print(Text(f"  {text('map')}{summary}", style="dim"), soft_wrap=True)
    if not options:
        return
    for number, choice in enumerate(step.choices, 1):
        line = Text(f"  {number:2d}  {choice_text(choice)}")
        line.append(f"   --choice {choice.id}", "dim")
        console.print(line, soft_wrap=True)


def show_response(console: Console, response: ChatResponse, *, options: bool = True) -> None:
    """All steps in their order; without `options` where the user will be asked."""
    for step in response.steps:
        show_step(console, step, options=options)
    if options and any(step.choices for step in response.steps):
        console.print(Text(f"  {text('continue')}", style="dim"))


def show_tools(console: Console, tools: Sequence[ToolDescriptor]) -> None:
    """A table; an argument that may be missing is in parentheses."""
    if not tools:
        console.print(text("tools_none"))
        return
    table = Table(box=None, pad_edge=False)
    for column in ("capability", "service", "parameters", "results", "description"):
        table.add_column(text(f"column_{column}"), overflow="fold", no_wrap=column == "capability")
    for tool in sorted(tools, key=lambda t: t.capability):
        table.add_row(
            *map(
                Text,
                (
                    tool.capability,
                    tool.service,
                    _parameters(tool.parameters),
                    ", ".join(tool.result_types),
                    tool.description.partition("\n")[0],
                ),
            )
        )
    console.print(table)


def _parameters(schema: dict[str, Any]) -> str:
    required = set(schema.get("required", ()))
    return ", ".join(name if name in required else f"({name})" for name in schema.get("properties", {}))


def show_turn(console: Console, events: Sequence[TurnEvent]) -> None:
    """Every event with its time, the milliseconds since the first one, and what it is about."""
    table = Table(box=None, pad_edge=False)
    table.add_column(text("column_time"))
    table.add_column(text("column_since"), justify="right")
    table.add_column(text("column_step"), justify="right")
    table.add_column(text("column_event"))
    table.add_column(text("column_what"), overflow="fold")
    for event in events:
        since_ms = (event.at - events[0].at).total_seconds() * 1000
        step = "" if event.step is None else str(event.step + 1)
        table.add_row(*map(Text, (clock(event.at), f"{since_ms:.1f}", step, event.kind.value, what(event))))
    console.print(table)


def clock(at: datetime) -> str:
    """Local time of day to the millisecond."""
    return at.astimezone().strftime("%H:%M:%S.%f")[:-3]


def what(event: TurnEvent) -> str:
    """An event's content in one line."""
    parts = [f"{name}={_short(value)}" for name, value in event.detail.items()]
    if event.answer is not None:
        parts.append(f"{event.answer.status.value}: {event.answer.message}")
    if event.response is not None:
        parts.append(event.response.overall_status.value)
    return " ".join(parts)


def _short(value: Any) -> str:
    line = " ".join(str(value).split())
    return line if len(line) <= _LINE_CHARS else line[: _LINE_CHARS - 1] + "…"
