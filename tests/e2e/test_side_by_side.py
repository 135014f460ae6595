"""An upgrade without a pause: what today's system says and keeps, as the readers of earlier versions take it.

What they cannot read, they would try again for a minute, and then bury.
"""

import json
import re
from collections.abc import AsyncIterator, Iterator, Set
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import pytest_asyncio
import traffic
import yaml
from jsonschema import Draft202012Validator, ValidationError
from traffic import OPEN_SESSION, Json, Recording

from .running import Conversation, System, running

pytestmark = pytest.mark.asyncio(loop_scope="module")

GOLDEN = Path(__file__).parents[1] / "contract" / "golden"
VERSIONS = sorted(path.name for path in GOLDEN.iterdir())
WHOLE_TURNS = {"0.1.0", "b923574"}
"""Versions whose orchestrators have to leave before one of today comes: they kept a turn in one document, and
answers said again what it knows. See docs/deploy.md."""
CLOSED_LISTS = {"b923574"}
"""Versions that know no entry of the log of another kind than their own."""
FOR_ORCHESTRATORS = {"PlanReady", "ToolResult", "ActionPlanReady", "AnswerReady", "Turn"}
"""What nobody else reads."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    async with running(tmp_path_factory.mktemp("system")) as started:
        yield started


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def today(system: System) -> Recording:
    return await traffic.record(system.stack)


def addressed(document: Json, subject: str) -> list[Json]:
    """What may be said under a subject, as schemas, by whoever may say it."""
    found = []
    for channel in (each for name, each in document["channels"].items() if " says " in name):
        last = r".+" if channel["address"].endswith("{capability}") else "[^.]+"
        if re.fullmatch(re.sub(r"\\{\w+\\}", last, re.escape(channel["address"])), subject):
            (message,) = channel["messages"].values()
            named = unquote(message["$ref"].removeprefix("#/components/messages/"))
            found.append(document["components"]["messages"][named]["payload"])
    return found


async def test_all_that_is_said_is_as_the_services_declare_it(today: Recording) -> None:
    document = yaml.safe_load((GOLDEN.parents[2] / "docs" / "asyncapi.yaml").read_text(encoding="utf-8"))
    assert {subject.partition(".")[0] for subject, _ in today.said} >= {"chat", "plan", "tool", "turn", "$KV"}
    for subject, message in today.said:
        schemas = addressed(document, subject)
        assert schemas, subject
        readers = [Draft202012Validator({**each, "components": document["components"]}) for each in schemas]
        assert any(reader.is_valid(message) for reader in readers), subject


def refused(
    recording: Recording, readers: Json, kinds: set[str] | None = None, but: Set[str] = frozenset()
) -> Iterator[str]:
    """What a version with these readers cannot read; log entries of other kinds than `kinds` are left out."""
    for name, document in recording.documents():
        if name not in readers["$defs"] or name in but:
            continue
        if name == "TurnEvent" and kinds is not None and document["kind"] not in kinds:
            continue
        try:
            Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": readers["$defs"]}).validate(document)
        except ValidationError as error:
            yield f"{name} {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"


@pytest.mark.parametrize("version", VERSIONS)
async def test_earlier_readers_take_what_is_said_and_kept_today(today: Recording, version: str) -> None:
    _, readers = traffic.load(GOLDEN / version)
    kinds = set(readers["$defs"]["TurnEventKind"]["enum"]) if version in CLOSED_LISTS else None
    assert list(refused(today, readers, kinds, FOR_ORCHESTRATORS if version in WHOLE_TURNS else set())) == []


@pytest.mark.parametrize("version", [version for version in VERSIONS if version not in WHOLE_TURNS])
async def test_what_earlier_readers_cannot_take_is_seen(today: Recording, version: str) -> None:
    _, readers = traffic.load(GOLDEN / version)

    def broken(change: Any) -> list[str]:
        recording = Recording(deepcopy(today.said), today.kept)
        for subject, document in recording.said:
            change(traffic.contract_of(subject, document), document)
        return list(refused(recording, readers, set(readers["$defs"]["TurnEventKind"]["enum"])))

    assert broken(lambda name, d: d.pop("deadline", None))
    assert broken(lambda name, d: d["outcome"].update(status="maybe") if name == "ToolResult" else None)
    assert broken(
        lambda name, d: [i.pop("label") for i in d["outcome"]["items"]] if name == "ToolResult" else 0
    )
    assert not broken(lambda name, d: d.update(addedLater=1))
    assert not broken(
        lambda name, d: (
            [i.update(type="tree") for i in d["outcome"]["items"]] if name == "ToolResult" else None
        )
    )


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_choice_that_an_earlier_version_has_offered_can_be_made(system: System, version: str) -> None:
    then, _ = traffic.load(GOLDEN / version)
    choice = then.open_choice
    later = (datetime.now(UTC) + timedelta(minutes=5)).isoformat()

    # Today a session has another name inside. Those of the version before are nobody's: see docs/deploy.md.
    inside = Conversation(system.http, OPEN_SESSION).inside

    def alive(text: str) -> str:
        """The user is back in time."""
        return re.sub(r'"expiresAt":"[^"]*"', f'"expiresAt":"{later}"', text).replace(OPEN_SESSION, inside)

    for key, value in then.kept.items():
        if OPEN_SESSION not in key and choice["requestId"] not in key:
            continue
        key = key.replace(OPEN_SESSION, inside)
        await system.redis.delete(key)
        if isinstance(value, dict):
            await system.redis.hset(key, mapping={name: alive(text) for name, text in value.items()})
        elif isinstance(value, list):
            await system.redis.rpush(key, *map(alive, value))
        else:
            await system.redis.set(key, value)
    answer = await system.http.post(
        "/api/chat", json={"sessionId": OPEN_SESSION, "choiceId": choice["options"][0]["id"]}
    )
    document = answer.json()
    assert answer.status_code == 200, json.dumps(document)
    assert document["requestId"] == choice["requestId"]
    assert document["overallStatus"] == "ok"
    assert [action["type"] for action in document["steps"][0]["mapActions"]][-1] == "showOerebExtract"
