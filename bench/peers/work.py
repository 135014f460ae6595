"""What every contestant does in a turn: plan, find, and say what the map is to show. Standard library only.

Plan and action plan take no time. A tool sleeps as long as the message says, then it has its effect: a line
in the file that `EFFECTS` names, so that it can be counted how often it was had.
"""

import asyncio
import os
from typing import Any

FAN_OUT = 10
CANDIDATES = 3

Call = dict[str, Any]
Item = dict[str, Any]
Response = dict[str, Any]


def plan(message: str) -> list[Call]:
    """The calls of a message, which reads `<one|choice|ten> <milliseconds of the tool> <key>`."""
    kind, pause_ms, key = message.split()
    count = FAN_OUT if kind == "ten" else 1
    found = CANDIDATES if kind == "choice" else 1
    return [{"n": n, "pause_s": int(pause_ms) / 1000, "key": key, "found": found} for n in range(count)]


async def find(call: Call) -> list[Item]:
    """The tool: finds one address, or several of which one has to be chosen."""
    if call["pause_s"]:
        await asyncio.sleep(call["pause_s"])
    have_effect(f"{call['key']}/{call['n']}")
    return [_address(n) for n in range(call["found"])]


def have_effect(key: str) -> None:
    """One write of one line: several processes append to the same file."""
    path = os.environ.get("EFFECTS")
    if path:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, f"{key}\n".encode())
        os.close(file)


def _address(n: int) -> Item:
    return {
        "id": str(n),
        "type": "address",
        "label": f"Langendorfstrasse 19{'abc'[n]}, 4500 Solothurn",
        "coord": [2605899 + n, 1229278],
        "street": "Langendorfstrasse",
        "houseNumber": f"19{'abc'[n]}",
        "postalCode": "4500",
        "locality": "Solothurn",
    }


def to_choose(items: list[Item]) -> bool:
    return len(items) == CANDIDATES


def answer(key: str, items: list[Item]) -> Response:
    """The action plan of what was found: the map goes there, and marks it."""
    steps = [
        {
            "intent": "goto_address",
            "status": "ok",
            "message": f"Adresse {item['label']} zentriert.",
            "mapActions": [
                {"type": "setView", "payload": {"center": item["coord"], "zoom": 17, "crs": "EPSG:2056"}},
                {"type": "addMarker", "payload": {"id": item["id"], "coord": item["coord"]}},
            ],
            "choices": [],
            "items": [item],
        }
        for item in items
    ]
    return {"requestId": key, "overallStatus": "ok", "steps": steps}


def offer(key: str, items: list[Item]) -> Response:
    """The question which of them is meant. The id of an option begins with the key of its turn."""
    choices = [{"id": f"{key}.{n}", "label": item["label"], "data": item} for n, item in enumerate(items)]
    step = {"intent": "goto_address", "status": "needs_user_choice", "mapActions": [], "choices": choices}
    return {"requestId": key, "overallStatus": "needs_user_choice", "steps": [step]}


def chosen(choice_id: str) -> tuple[str, int]:
    """The key of the turn, and which of its items."""
    key, _, n = choice_id.rpartition(".")
    return key, int(n)
