"""The same question in every language: the same happens, and it is told in the words of its user."""

import pytest
from contracts.agents import Agent
from contracts.chat import ChatRequest, ChatResponse
from contracts.languages import LANGUAGES
from in_memory import InMemorySystem


@pytest.mark.parametrize(
    ("message", "agent"),
    [
        ("Blabla brumm", "map"),
        ("Gehe nach Messen", "map"),
        ("Gehe nach Xyzhausen", "map"),
        ("Lade die Karte Xyzkram", "map"),
        ("Zeige Grundstück 198 in Messen", "map"),
        ("Wie hoch liegt Grundstück 198 in Messen?", "map"),
        ("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519", "map"),
        ("Welche Pflichten gelten beim Schutz des Grundwassers?", "map"),
        ("Was wurde über Xyzkram beschlossen?", "riskiagent"),
    ],
)
async def test_a_question_is_answered_alike_in_all_languages(message: str, agent: Agent) -> None:
    system = InMemorySystem()
    await system.start()

    async def answer(n: int, language: str) -> ChatResponse:
        asked = {"user_message": message, "agent": agent, "language": f"{language}-CH"}
        request = ChatRequest.model_validate({"session_id": f"s-{n}", **asked})
        return await system.answer(request, f"req-{n:016x}")

    answers = [await answer(n, language) for n, language in enumerate(LANGUAGES)]
    await system.stop()
    done = [
        [(step.intent, step.status, [action.type for action in step.map_actions]) for step in each.steps]
        for each in answers
    ]
    assert all(each == done[0] for each in done)
    assert len({each.steps[0].message for each in answers}) == len(LANGUAGES)
