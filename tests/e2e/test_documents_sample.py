"""The documents that come along are of an invented canton: whoever asks is told so, by every endpoint."""

from uuid import uuid4

import pytest
from mcp import Client

from .research import QUESTION, check_research
from .running import Conversation, Json, System, answer_of
from .test_agui import run, said
from .test_mcp import endpoint, structured

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOTES = {
    "de": "Durchsucht wurden Beispieldokumente eines erfundenen Kantons: keine amtliche Auskunft.",
    "fr": "Recherche dans des documents d’exemple d’un canton inventé: sans caractère officiel.",
    "it": "Cercato in documenti di esempio di un cantone inventato: nessuna informazione ufficiale.",
    "en": "Searched: sample documents of an invented canton, no official information.",
}
NOTHING = "Suche Dokumente zur Besteuerung von Kryptowährungen"


def check_sample(research: Json) -> None:
    """Everything that was found is a sample, and each of the sources tells where in it."""
    found = [*research["trackedDocuments"], *research["trackedProposals"], *research["sources"]]
    assert len(found) > len(research["sources"]) > 0
    assert all(each["sample"] is True for each in found)
    for source in research["sources"]:
        assert 1 <= len(source["places"]) <= 3
        assert all(place["section"] for place in source["places"])


@pytest.mark.parametrize("language", NOTES)
async def test_an_answer_says_so_in_the_language_of_who_asks(talk: Conversation, language: str) -> None:
    (step,) = answer_of(await talk.post(userMessage=QUESTION, language=language))["steps"]
    assert step["message"].endswith(f"\n\n{NOTES[language]}")
    check_sample(check_research(step))


@pytest.mark.parametrize("language", NOTES)
async def test_so_does_the_reason_why_there_is_none(talk: Conversation, language: str) -> None:
    (step,) = answer_of(await talk.post(userMessage=NOTHING, language=language))["steps"]
    assert step["status"] == "needs_clarification"
    assert step["message"] == step["research"]["errorInfo"]["message"]
    assert step["message"].endswith(f" {NOTES[language]}")


async def test_the_state_of_an_agent_says_so(system: System) -> None:
    events = await run(system, "riskiagent", said(QUESTION, str(uuid4())))
    first, *_, last = [
        event["snapshot"]
        for event in events
        if event["type"] == "STATE_SNAPSHOT" and event["snapshot"]["tracked_documents"]
    ]
    assert all(each["sample"] for each in (*first["tracked_documents"], *first["tracked_proposals"]))
    assert last["sources"] and all(each["sample"] and each["places"] for each in last["sources"])
    spoken = "".join(event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT")
    assert spoken.endswith(NOTES["de"])
    assert not [event for event in events if event["type"] == "CUSTOM"], "nothing is withdrawn for it"


async def test_tools_of_another_model_say_so(system: System) -> None:
    async with Client(endpoint(system)) as client:
        found = structured(await client.call_tool("documents_retrieve", {"query": QUESTION}))
        none = structured(await client.call_tool("documents_retrieve", {"query": "Xylophonqwertz"}))
        asked = structured(await client.call_tool("ask", {"message": QUESTION}))
    assert found["items"] and all(item["provenance"]["sample"] for item in found["items"])
    assert found["message"].endswith(NOTES["de"])
    assert none["items"] == [] and none["message"].endswith(NOTES["de"])
    (step,) = asked["steps"]
    assert step["message"].endswith(NOTES["de"])
    check_sample(step["research"])
