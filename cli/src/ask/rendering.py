"""What a person sees of the contracts: answers, tools, turns, dead messages."""

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from contracts.actions import (
    AddFeatures,
    AddLayer,
    AddMarker,
    ClearMap,
    MapAction,
    MoveLayer,
    RemoveFeatures,
    RemoveLayer,
    RemoveMarker,
    SetBackground,
    SetLayerOpacity,
    SetLayerVisibility,
    SetView,
    ShowLegend,
    ShowOerebExtract,
    Undo,
)
from contracts.chat import ChatResponse, Choice, Step
from contracts.prints import is_path
from contracts.status import Status
from contracts.tools import ToolList
from contracts.turns import AnswerDelta, TurnEvent
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
_INDENT = 2
_CHOICE_INDENT = 6
_ALL = "*"


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
            if marker_id.id == _ALL:
                return text("remove_markers")
            return text("remove_marker", label=marker_id.id)
        case AddFeatures(payload=found):
            return text("add_features", label=found.label, count=found.count)
        case RemoveFeatures(payload=features_id):
            if features_id.id == _ALL:
                return text("remove_all_features")
            return text("remove_features", label=features_id.id)
        case AddLayer(payload=layer) if layer.type == "geojson" and not layer.label:
            return text("add_outline")
        case AddLayer(payload=layer):
            return text("add_layer", label=layer.label or layer.id)
        case RemoveLayer(payload=layer_id):
            return text("remove_layer", label=layer_id.id)
        case SetLayerVisibility(payload=layer):
            return text("show_layer" if layer.visible else "hide_layer", label=layer.id)
        case SetLayerOpacity(payload=layer):
            return text("fade_layer", label=layer.id, percent=round(layer.opacity * 100))
        case MoveLayer(payload=layer):
            return text("move_layer", label=layer.id, place=layer.order + 1)
        case ShowLegend(payload=layer_id):
            return text("show_legend", label=layer_id.id)
        case SetBackground(payload=choice):
            return text("set_background", label=choice.background.value)
        case ClearMap():
            return text("clear_map")
        case Undo(payload=back):
            return text("undo", steps=back.steps)
        case ShowOerebExtract(payload=extract):
            return text("show_oereb", url=extract.url or extract.egrid)


def choice_text(choice: Choice) -> str:
    """One option, with how well it matches when that is known."""
    if choice.confidence is None:
        return choice.label
    return f"{choice.label}  ({text('percent', value=round(choice.confidence * 100))})"


def with_links(message: str, base_url: str) -> str:
    """The message, with the paths of prints as addresses that a terminal can open."""
    return re.sub(r"/\S+", lambda path: f"{base_url}{path[0]}" if is_path(path[0]) else path[0], message)


def show_step(console: Console, step: Step, *, options: bool, base_url: str = "") -> None:
    """The outcome, what happens on the map, and the options with the ids that choose them."""
    icon, style = _ICONS[step.status]
    message, *more = with_links(step.message, base_url).splitlines() or [""]
    console.print(Text.assemble((f"{icon} ", style), (message, "bold"), (f"  {step.intent}", "dim")))
    for line in more:
        _print_indented(console, Text(line), _INDENT, hanging=_INDENT)
    if step.map_actions:
        summary = " · ".join(action_text(action) for action in step.map_actions)
        _print_indented(console, Text(f"{text('map')}{summary}", style="dim"), _INDENT)
    for number, choice in enumerate(step.choices if options else (), 1):
        _show_choice(console, number, choice)


def _show_choice(console: Console, number: int, choice: Choice) -> None:
    """On one line where there is room for it, or nobody looks; else the id stands below, never broken."""
    label, identity = f"  {number:2d}  {choice_text(choice)}", f"   --choice {choice.id}"
    if len(label) + len(identity) <= console.width or not console.is_terminal:
        console.print(Text.assemble(label, (identity, "dim")), soft_wrap=True)
        return
    _print_indented(console, Text(label[_CHOICE_INDENT:]), _CHOICE_INDENT, first=label[:_CHOICE_INDENT])
    console.print(Text(f"   {identity}", "dim"), soft_wrap=True)


def _print_indented(console: Console, content: Text, left: int, *, first: str = "", hanging: int = 0) -> None:
    """Wrapped at words, every line `left` columns in, all but the first `hanging` more.

    `first` stands in front of the first one.
    """
    for n, line in enumerate(content.wrap(console, max(20, console.width - left - hanging))):
        line.rstrip()
        before = first or " " * left if n == 0 else " " * (left + hanging)
        console.print(Text.assemble(before, line), soft_wrap=True)


def show_response(
    console: Console, response: ChatResponse, *, options: bool = True, base_url: str = ""
) -> None:
    """All steps in their order; without `options` where the user will be asked."""
    for step in response.steps:
        show_step(console, step, options=options, base_url=base_url)
    if options and any(step.choices for step in response.steps):
        console.print(Text(f"  {text('continue')}", style="dim"))


def show_tools(console: Console, listed: ToolList) -> None:
    """A line that says how each is called and by whom it is served, and below what it does.

    An argument that may be missing is in parentheses. At the end, which language models are used.
    """
    if not listed.tools:
        console.print(text("tools_none"))
    for tool in sorted(listed.tools, key=lambda t: t.capability):
        call = f"{tool.capability}({_parameters(tool.parameters)})"
        facts = f" → {', '.join(tool.result_types)}  [{tool.service}]"
        _print_indented(console, Text.assemble((call, "bold"), (facts, "dim")), 0)
        _print_indented(console, Text(tool.description.strip().partition("\n")[0]), 2 * _INDENT)
    for used in listed.models:
        by = used.model or text(f"model_none_{used.use}")
        line = Text.assemble((text(f"model_{used.use}", by=by), "bold"), (f"  [{used.service}]", "dim"))
        _print_indented(console, line, 0)


def _parameters(schema: dict[str, Any]) -> str:
    required = set(schema.get("required", ()))
    return ", ".join(name if name in required else f"({name})" for name in schema.get("properties", {}))


ANSWER_DELTA = "answer.delta"


def show_turn(console: Console, entries: Sequence[TurnEvent | AnswerDelta]) -> None:
    """When it began, and every event with the milliseconds since then and what it is about.

    The pieces of an answer have no time of their own; those that follow each other are one line.
    """
    began = next(entry.at for entry in entries if isinstance(entry, TurnEvent))
    console.print(text("turn_began", time=clock(began)))
    table = Table(box=None, pad_edge=False)
    table.add_column(text("column_since"), justify="right")
    table.add_column(text("column_step"), justify="right")
    table.add_column(text("column_event"))
    table.add_column(text("column_what"), overflow="fold")
    for kind, group in groupby(entries, key=lambda entry: entry.kind):
        if kind == ANSWER_DELTA:
            pieces = [piece for piece in group if isinstance(piece, AnswerDelta)]
            said = text("pieces", n=len(pieces), text=_short("".join(piece.text for piece in pieces)))
            table.add_row("", str(pieces[0].step + 1), ANSWER_DELTA, Text(said))
            continue
        for event in group:
            assert isinstance(event, TurnEvent)
            since_ms = (event.at - began).total_seconds() * 1000
            step = "" if event.step is None else str(event.step + 1)
            table.add_row(*map(Text, (f"{since_ms:.1f}", step, str(event.kind), what(event))))
    console.print(table)


def clock(at: datetime) -> str:
    """Local time of day to the millisecond."""
    return at.astimezone().strftime("%H:%M:%S.%f")[:-3]


def what(event: TurnEvent) -> str:
    """An event's content in one line."""
    parts = [_detail(event.detail)] if event.detail else []
    if event.answer is not None:
        parts.append(f"{event.answer.status.value}: {_short(event.answer.message)}")
    if event.response is not None:
        parts.append(event.response.overall_status.value)
    return " ".join(parts)


def _detail(detail: dict[str, Any]) -> str:
    """The details that the log is known to have in the shortest form; others as they are."""
    match detail:
        case {"planner": planner, "steps": [*steps]}:
            return f"{planner}: {' · '.join(map(_planned, steps))}"
        case {"capability": capability, "args": {**args}}:
            return f"{capability}({', '.join(f'{name}={_short(value)}' for name, value in args.items())})"
        case {"capability": capability, "status": status, "items": items, "durationMs": duration_ms}:
            return text("tool_result", capability=capability, status=status, items=items, ms=duration_ms)
        case {"message": message, **others} if not others:
            return _short(message)
    return " ".join(f"{name}={_short(value)}" for name, value in detail.items())


def _planned(step: Any) -> str:
    match step:
        case {"intent": intent, "calls": [_, *_] as calls}:
            return f"{intent} ({' > '.join(map(str, calls))})"
        case {"intent": intent}:
            return str(intent)
    return _short(step)


def _short(value: Any) -> str:
    line = " ".join((f"{value:.10g}" if isinstance(value, float) else str(value)).split())
    return line if len(line) <= _LINE_CHARS else line[: _LINE_CHARS - 1] + "…"
