"""Questions about documents through the whole system: checked, cited, streamed, and never invented."""

import json

import pytest

from .research import QUESTION, check_research
from .running import Conversation, System

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_what_is_sure_is_quoted_and_else_the_documents_are_named(talk: Conversation) -> None:
    (step,) = (await talk.say(QUESTION))["steps"]
    assert (step["intent"], step["status"]) == ("search_documents", "ok")
    research = check_research(step)
    assert research["initialQuestion"] == QUESTION
    assert step["message"].startswith("Ich habe dazu Dokumente gefunden, bin aber nicht sicher")
    assert {source["id"] for source in research["sources"]} == {"2019-gewaesserschutzzonen-botschaft"}
    (step,) = (await talk.say("Wie viel Trinkwasser verbraucht eine Person pro Tag?"))["steps"]
    assert step["message"].startswith("Ohne Sprachmodell fasse ich nichts zusammen.")
    assert (
        "«Der mittlere Verbrauch der Haushalte belief sich auf 148 Liter je Person und Tag.» [1]"
        in step["message"]
    )


async def test_a_follow_up_is_searched_in_its_context_and_nothing_old_leaks(talk: Conversation) -> None:
    await talk.say(QUESTION)
    (step,) = (await talk.say("Und bis wann gilt die Frist?"))["steps"]
    research = check_research(step)
    assert "rundwasserschutz" in research["userQuery"]
    assert research["initialQuestion"] == "Und bis wann gilt die Frist?"
    (other,) = (await talk.say("Was steht in den Dokumenten über Solaranlagen auf Dächern?"))["steps"]
    new = {document["id"] for document in check_research(other)["trackedDocuments"]}
    assert "rundwasserschutz" not in other["research"]["userQuery"]
    assert not {id for id in new if "gewaesserschutzzonen" in id}


async def test_what_no_document_answers_is_not_answered(talk: Conversation) -> None:
    (step,) = (await talk.say("Suche Dokumente zur Besteuerung von Kryptowährungen"))["steps"]
    error = step["research"]["errorInfo"]
    assert step["status"] == "needs_clarification"
    assert error["errorType"] in ("no_documents_found", "no_relevant_documents")
    assert step["message"] == error["message"]
    assert 2 <= len(error["suggestions"]) <= 3
    assert "sources" not in step["research"] or step["research"]["sources"] == []


async def test_documents_and_the_map_fit_into_one_message(talk: Conversation) -> None:
    response = await talk.say("Gehe nach Grenchen und suche Dokumente zum Thema Mehrwertabgabe")
    place, documents = response["steps"]
    assert (place["intent"], place["status"]) == ("search_place", "ok")
    check_research(documents)


async def test_an_answer_is_streamed_piece_by_piece_and_ends_as_it_was_streamed(
    system: System, talk: Conversation
) -> None:
    body = {"sessionId": talk.session_id, "userMessage": QUESTION}
    answer = await system.http.post("/api/chat/stream", json=body)
    frames = [frame.split("\n") for frame in answer.text.split("\n\n") if frame.startswith("id: ")]
    events = [
        (frame[1].removeprefix("event: "), json.loads(frame[2].removeprefix("data: "))) for frame in frames
    ]
    names = [name for name, _ in events]
    assert names[0] == "turn.started" and names[-1] == "turn.finished"
    checked = [data["detail"] for name, data in events if name == "document.checked"]
    assert [detail["checked"] for detail in checked] == list(range(1, checked[-1]["total"] + 1))
    streamed = "".join(data["text"] for name, data in events if name == "answer.delta")
    (finished,) = (data for name, data in events if name == "step.finished")
    assert streamed == finished["answer"]["message"]
    assert (
        max(names.index("document.checked"), 0) < names.index("answer.delta") < names.index("step.finished")
    )
