"""Answers as if the server had given them."""

import json
from typing import Any

from playwright.async_api import Locator, Route

from .screen import Screen

Action = dict[str, Any]
STREAM = "**/api/chat/stream"


def action(kind: str, **payload: Any) -> Action:
    return {"type": kind, "payload": payload}


async def told(
    screen: Screen, said: str, *actions: Action, intent: str = "answer", seen: str = "", **more: Any
) -> Locator:
    """The step that says so, with whatever more it has, once its actions have been done. Afterwards the
    server itself answers again. `seen` is what can be seen of it, if that is not all."""
    step = {
        "intent": intent,
        "status": "ok",
        "message": said,
        "mapActions": list(actions),
        "choices": [],
    } | more
    events: list[tuple[str, dict[str, Any]]] = [
        ("plan.ready", {"detail": {"steps": [{"intent": intent}]}}),
        ("step.finished", {"step": 0, "answer": step, "apply": [{"step": 0, "mapActions": list(actions)}]}),
        ("turn.finished", {"detail": {}, "response": {"steps": [step]}}),
    ]
    frames = (
        f"id: {n}\nevent: {name}\ndata: {json.dumps({'requestId': 'req-1', **data})}\n\n"
        for n, (name, data) in enumerate(events, 1)
    )

    async def answer(route: Route) -> None:
        await route.fulfill(body="".join(frames), content_type="text/event-stream")

    await screen.page.route(STREAM, answer, times=1)
    await screen.say(f"Bitte: {seen or said}")
    return await screen.answered(seen or said)
