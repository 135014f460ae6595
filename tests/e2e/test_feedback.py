"""What a user thinks of an answer reaches whoever looks after the system."""

from datetime import timedelta

import pytest
from contracts import keys
from contracts.feedback import Verdict

from ask import feedback

from .running import Conversation, System, problem_of

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_thumb_is_kept_with_the_sentence_and_goes_with_the_session(
    system: System, talk: Conversation
) -> None:
    sentence = "Lade den Gewässerschutzlayer"
    answer = await talk.say(sentence)
    given = {"sessionId": talk.session_id, "requestId": answer["requestId"], "verdict": "down"}
    said = await system.http.post(
        "/api/feedback", json=given | {"reason": "wrong_layer", "comment": "Zu viele."}
    )
    assert said.status_code == 204, said.text
    of_others = await system.http.post("/api/feedback", json=given | {"sessionId": "somebody-else"})
    assert (of_others.status_code, problem_of(of_others)["code"]) == (404, "turn_not_found")

    found = await feedback.read(system.stack.redis_url, only_down=True, since=timedelta(hours=1), limit=100)
    (one,) = (each for each in found if each.request_id == answer["requestId"])
    assert (one.message, one.verdict, one.comment) == (sentence, Verdict.DOWN, "Zu viele.")
    assert [(step.intent, step.status) for step in one.steps] == [
        (step["intent"], step["status"]) for step in answer["steps"]
    ]
    assert sentence not in (await system.http.get(f"/api/chat/{answer['requestId']}")).text

    await system.http.request("DELETE", "/api/chat", json={"sessionId": talk.session_id})
    index = await system.redis.zrange(keys.feedback_index(), 0, -1)
    assert not [entry for entry in index if answer["requestId"] in str(entry)]
