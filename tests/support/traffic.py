"""What a running system says and keeps, and what its readers take: to compare one version with another.

    python tests/support/traffic.py tests/contract/golden/<version>

records a version, for those that come after it. With PYTHONPATH it can be a version of another folder.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import nats
from contracts import items, messages, session, subjects, tools, turns, vocabulary
from nats.aio.msg import Msg
from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import models_json_schema
from redis.asyncio import Redis

from ask.stack import Stack
from edge.auth.derivation import Derivation
from edge.sessions import Sessions
from orchestrator.state import Turn

Json = dict[str, Any]

SENTENCES = (
    "Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer",
    "ÖREB-Auszug für Parzelle 168 in Messen",
    "Zeige mir die Parzelle 168 in Messen",
    "Gehe zum Quatschweg 99 in Nirgendwo",
    "Wie geht es dir?",
)
"""One session each; of what they offer to choose, the first option is chosen."""
LEFT_OPEN = "Mache einen ÖREB-Auszug für Parzelle 168 in Messen"
"""In a session of its own; nobody chooses."""
OPEN_SESSION = "golden-open"

_SPOKEN = (
    "chat.*",
    "plan.>",
    "tool.>",
    "actionplan.>",
    "answer.>",
    "turn.*.*",
    "work.*",
    "edge.reply.*",
)
_BY_SUBJECT = {
    "chat.requested": "ChatRequested",
    "chat.cancelled": "ChatCancelled",
    "plan.requested": "PlanRequested",
    "plan.ready": "PlanReady",
    "plan.ready.": "PlanReady",
    "tool.call.": "ToolCalled",
    "tool.result": "ToolResult",
    "tool.result.": "ToolResult",
    "actionplan.requested": "ActionPlanRequested",
    "actionplan.ready": "ActionPlanReady",
    "actionplan.ready.": "ActionPlanReady",
    "answer.requested": "AnswerRequested",
    "answer.ready": "AnswerReady",
    "answer.ready.": "AnswerReady",
    "edge.reply.": "TurnReply",
    "$KV.tools.model.": "ModelUse",
    "$KV.tools.vocabulary.": "Vocabulary",
    "$KV.tools.": "ToolDescriptor",
}
_ROOMS = (messages, turns, tools, vocabulary, session)


@dataclass
class Recording:
    """`said`: (subject, document) in their order; `kept`: what is in Redis, by key."""

    said: list[tuple[str, Json]] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def open_choice(self) -> Json:
        """The `OpenChoice` that nobody has chosen from."""
        (found,) = self.kept[f"session:{OPEN_SESSION}:choices"]
        return dict(json.loads(found))

    def documents(self) -> Iterator[tuple[str, Json]]:
        """Everything with the name of the contract that it is of."""
        for subject, document in self.said:
            yield contract_of(subject, document), document
        for key, value in self.kept.items():
            kind, _, part = key.partition(":")
            if part.endswith(":journal"):
                yield from (("TurnEvent", json.loads(entry)) for entry in value)
            elif kind == "turn":
                yield "Turn", json.loads(value["state"])
                yield "TurnView", json.loads(value["view"])
            elif part.endswith(":history"):
                yield from (("HistoryEntry", json.loads(entry)) for entry in value)
            elif part.endswith(":choices"):
                yield from (("OpenChoice", json.loads(entry)) for entry in value)
            elif part.endswith(":selection"):
                yield from (("Item", json.loads(entry)) for entry in value.values())


def contract_of(subject: str, document: Json) -> str:
    """The name of the contract of a message. Raises `KeyError`."""
    if subject.startswith(("turn.event.", "turn.delta.")):
        return "AnswerDelta" if document.get("kind") == "answer.delta" else "TurnEvent"
    for prefix, name in _BY_SUBJECT.items():
        if subject == prefix or (prefix.endswith(".") and subject.startswith(prefix)):
            return name
    raise KeyError(subject)


def reader(name: str) -> TypeAdapter[Any]:
    """Today's reader of a contract. Raises `KeyError`."""
    if name == "Item":
        return TypeAdapter(items.Item)
    return TypeAdapter(models()[name])


def models() -> dict[str, type[BaseModel]]:
    """The contracts that this version has, of those that are spoken or kept."""
    names = {*_BY_SUBJECT.values(), "TurnEvent", "AnswerDelta", "TurnView", "HistoryEntry", "OpenChoice"}
    found = {name: getattr(room, name) for room in _ROOMS for name in names if hasattr(room, name)}
    return {"Turn": Turn, **found}


def readers() -> Json:
    """What the readers of this version take, as one JSON schema with a definition for each contract."""
    holder = type("Holder", (BaseModel,), {"__annotations__": {"item": items.Item}})
    wanted = [(model, "validation") for model in (*models().values(), holder)]
    _, schema = models_json_schema(wanted)  # type: ignore[arg-type]
    definitions = schema["$defs"]
    definitions["Item"] = definitions.pop("Holder")["properties"]["item"]
    return dict(schema)


async def record(system: Stack) -> Recording:
    """Talks to a running system, in sessions of its own, and listens."""
    found = Recording()

    async def hear(message: Msg) -> None:
        found.said.append((message.subject, json.loads(message.data)))

    connection = await nats.connect(system.nats_url)
    redis = Redis.from_url(system.redis_url, decode_responses=True)
    async with httpx.AsyncClient(base_url=system.url, timeout=45) as http:
        try:
            for pattern in _SPOKEN:
                await connection.subscribe(pattern, cb=hear)
            await connection.flush()
            for n, sentence in enumerate(SENTENCES):
                await _converse(http, f"golden-{n}", sentence)
            await _say(http, OPEN_SESSION, userMessage=LEFT_OPEN)
            await connection.flush()
            bucket = await connection.jetstream().key_value(subjects.TOOLS_BUCKET)
            for capability in await bucket.keys():
                value = (await bucket.get(capability)).value
                found.said.append((f"$KV.tools.{capability}", json.loads(value or b"")))
            found.kept = await _kept(redis)
            spoken = json.dumps([found.said, found.kept])
            for session_id in (*(f"golden-{n}" for n in range(len(SENTENCES))), OPEN_SESSION):
                # Inside they are called otherwise, by every system.
                sessions = Sessions(Derivation(system.edge_secret.encode()).key("sessions"))
                spoken = spoken.replace(sessions.inner({}, session_id), session_id)
            said, found.kept = json.loads(spoken)
            found.said = [(subject, document) for subject, document in said]
        finally:
            await redis.aclose()
            await connection.close()
    return found


async def _converse(http: httpx.AsyncClient, session_id: str, sentence: str) -> None:
    answer = await _say(http, session_id, userMessage=sentence)
    for step in answer["steps"]:
        if step["choices"]:
            await _say(http, session_id, choiceId=step["choices"][0]["id"])


async def _say(http: httpx.AsyncClient, session_id: str, **asked: str) -> Json:
    answer = await http.post("/api/chat", json={"sessionId": session_id, **asked})
    answer.raise_for_status()
    found: Json = answer.json()
    return found


async def _kept(redis: "Redis") -> dict[str, Any]:
    """Hashes, lists and texts, by key."""
    found: dict[str, Any] = {}
    async for key in redis.scan_iter("*"):
        match await redis.type(key):
            case "hash":
                found[key] = await redis.hgetall(key)
            case "list":
                found[key] = await redis.lrange(key, 0, -1)
            case "string":
                found[key] = await redis.get(key)
    return dict(sorted(found.items()))


def load(folder: Path) -> tuple[Recording, Json]:
    """A recording, and the readers of its version."""
    found = Recording()
    for line in (folder / "traffic.jsonl").read_text(encoding="utf-8").splitlines():
        name, value = json.loads(line)
        if name.startswith("redis "):
            found.kept[name.removeprefix("redis ")] = value
        else:
            found.said.append((name, value))
    return found, json.loads((folder / "readers.json").read_text(encoding="utf-8"))


def save(found: Recording, folder: Path) -> None:
    """One line for each message and each key, so that people can read them."""
    kept = ((f"redis {key}", value) for key, value in found.kept.items())
    lines = [json.dumps(entry, ensure_ascii=False) for entry in (*found.said, *kept)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "traffic.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (folder / "readers.json").write_text(json.dumps(readers(), indent=1) + "\n", encoding="utf-8")


async def _main(folder: Path) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as data:
        async with Stack(Path(data)) as system:
            save(await record(system), folder)


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1])))
