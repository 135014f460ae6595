"""What somebody begins to write is completed, and what is completed is understood."""

import pytest

from .running import Conversation, Json, System, problem_of, until

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def completed(system: System, written: str) -> str:
    """With the best suggestion in the place of what it replaces."""
    told: Json = {}

    async def suggested() -> bool:
        answered = await system.http.get("/api/suggest", params={"q": written})
        assert answered.status_code == 200, answered.text
        told.update(answered.json())
        return bool(told["items"])

    # Nobody who writes waits long for names: what comes too late is nothing, and is asked for again.
    await until(suggested, 30)
    return f"{written[: told['from']]}{told['items'][0]['label']}"


@pytest.mark.parametrize(
    ("written", "message", "action"),
    [
        ("Gehe zur Langendorfstr 19", "Gehe zur Langendorfstrasse 19b, 4500 Solothurn", "setView"),
        ("Gehe nach Balm b. Mes", "Gehe nach Balm bei Messen", "setView"),
        ("Zeige Parzelle 198", "Zeige Grundstück 198 in Messen", "addMarker"),
        ("Lade Grundwasserschutzz", "Lade Grundwasserschutzzonen", "addLayer"),
    ],
)
async def test_what_is_completed_is_understood(
    system: System, talk: Conversation, written: str, message: str, action: str
) -> None:
    assert await completed(system, written) == message
    answer = await talk.say(message)
    assert answer["overallStatus"] == "ok", answer
    assert action in {each["type"] for step in answer["steps"] for each in step["mapActions"]}


async def test_what_is_not_begun_is_refused(system: System) -> None:
    refused = await system.http.get("/api/suggest", params={"q": "a"})
    assert (refused.status_code, problem_of(refused)["code"]) == (422, "invalid_request")
