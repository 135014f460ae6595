"""What a session remembers, and how it forgets; turns that are looked at; what is no request at all."""

import asyncio
from typing import Any

import pytest
from contracts import keys
from contracts.turns import TurnEventKind

from .running import Conversation, System, action_types, answer_of, layer_ids, option, problem_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

OEREB = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"
HERE = "Erstelle mir hier einen ÖREB-Auszug"


# -- what was said before --------------------------------------------------------------------------


async def test_a_correction_changes_only_the_house_number(talk: Conversation) -> None:
    first = await talk.say("Gehe zur Burgunderstrasse 19 in Solothurn.")
    assert first["steps"][0]["message"] == "Adresse Burgunderstrasse 19 zentriert."
    corrected = await talk.say("Sorry, ich meinte 9.")
    (step,) = corrected["steps"]
    assert (step["intent"], step["status"]) == ("goto_address", "ok")
    assert step["message"] == "Adresse Burgunderstrasse 9 zentriert."
    assert corrected["requestId"] != first["requestId"]


async def test_here_is_what_was_selected_last(talk: Conversation) -> None:
    await talk.say("Gehe zur Rötistrasse 4 in Solothurn")
    await talk.say("Zeige mir Grundstück 198 in Messen")
    response = await talk.say(HERE)
    assert response["steps"][0]["message"].startswith("ÖREB-Auszug für CH955832730623 bereit.")


async def test_here_is_also_what_was_chosen(talk: Conversation) -> None:
    offered = await talk.say("Zeige mir Grundstück 168 in Messen")
    await talk.choose(option(offered, 1))
    response = await talk.say(HERE)
    assert response["steps"][0]["message"].startswith("ÖREB-Auszug für CH181832067404 bereit.")


async def test_here_means_nothing_in_a_new_session(talk: Conversation) -> None:
    response = await talk.say(HERE)
    assert response["overallStatus"] == "needs_clarification"
    assert "Adresse" in response["steps"][0]["message"]


async def test_a_place_in_the_message_beats_the_remembered_one(talk: Conversation) -> None:
    await talk.say("Zeige mir Grundstück 198 in Messen")
    response = await talk.say("Erstelle den ÖREB-Auszug für CH807306583219")
    assert response["steps"][0]["message"].startswith("ÖREB-Auszug für CH807306583219 bereit.")


async def test_what_was_found_before_can_be_summed_up(talk: Conversation) -> None:
    nothing = await talk.say("Was hast du gefunden?")
    assert nothing["steps"][0]["message"].startswith("In diesem Gespräch habe ich noch nichts gesucht")
    offered = await talk.say("Zeige mir Grundstück 168 in Messen")
    await talk.choose(option(offered, 0))
    await talk.say("Gehe zum Quatschweg 99 in Nirgendwo")
    (step,) = (await talk.say("Fasse zusammen, was du gefunden hast"))["steps"]
    assert (step["intent"], step["status"]) == ("answer", "ok")
    found, not_found = (line for line in step["message"].splitlines() if line.startswith("- "))
    assert found.startswith("- ✓ Grundstück 168 in Messen") and not_found.startswith("- ✗ ")
    assert "  - Gewählt: «" in step["message"] and "Quelle: " in step["message"]


# -- what is on the map ----------------------------------------------------------------------------


async def test_a_layer_that_was_loaded_is_removed_by_its_name(talk: Conversation) -> None:
    loaded = await talk.say("Lade die Gewässerschutzkarte")
    await talk.say("Lade den Waldplan")
    removed = await talk.say("Entferne den Gewässerschutzlayer")
    (step,) = removed["steps"]
    assert (step["intent"], step["status"]) == ("remove_layer", "ok")
    assert set(action_types(step)) == {"removeLayer"}
    ids = [action["payload"]["id"] for action in step["mapActions"]]
    assert ids == layer_ids(loaded["steps"][0])
    again = await talk.say("Entferne den Gewässerschutzlayer")
    assert again["overallStatus"] == "needs_clarification"
    assert "Wald" in again["steps"][0]["message"]


async def test_a_layer_that_the_client_shows_is_removed_and_one_that_it_does_not_show_is_not(
    talk: Conversation,
) -> None:
    shown = [{"id": "ch.so.awjf.wald", "label": "Waldplan"}]
    removed = answer_of(await talk.post(userMessage="Entferne den Waldplan", mapLayers=shown))
    (step,) = removed["steps"]
    assert step["mapActions"] == [{"type": "removeLayer", "payload": {"id": "ch.so.awjf.wald"}}]
    await talk.say("Lade die Gewässerschutzkarte")
    gone = answer_of(await talk.post(userMessage="Entferne den Gewässerschutzlayer", mapLayers=[]))
    assert gone["overallStatus"] == "needs_clarification"


async def test_a_background_is_set_without_any_tool(system: System, talk: Conversation) -> None:
    response = await talk.say("Wechsle zum Luftbild")
    (step,) = response["steps"]
    assert (step["intent"], step["message"]) == ("set_background", "Hintergrundkarte gewechselt: Luftbild.")
    assert step["mapActions"] == [{"type": "setBackground", "payload": {"background": "ortho"}}]
    assert await system.count(response["requestId"], TurnEventKind.TOOL_CALLED) == 0


async def test_a_cleared_map_has_no_layers(talk: Conversation) -> None:
    await talk.say("Lade die Gewässerschutzkarte")
    response = await talk.say("Leere die Karte")
    (step,) = response["steps"]
    assert (step["intent"], step["mapActions"]) == ("clear_map", [{"type": "clearMap", "payload": {}}])
    removed = await talk.say("Entferne den Gewässerschutzlayer")
    assert removed["overallStatus"] == "needs_clarification"


# -- forgetting ------------------------------------------------------------------------------------


async def test_a_deleted_session_is_forgotten_completely(system: System, talk: Conversation) -> None:
    shown = await talk.say("Zeige mir Grundstück 198 in Messen", key="a-key")
    offered = await talk.say(OEREB)
    await talk.say("Lade die Gewässerschutzkarte")
    assert (await system.turn(shown["requestId"])).status_code == 200

    await talk.forget()
    assert await system.redis.keys(f"*{talk.inside}*") == []
    for response in (shown, offered):
        assert await system.redis.exists(keys.turn(response["requestId"])) == 0
        gone = await system.turn(response["requestId"])
        assert (gone.status_code, problem_of(gone)["code"]) == (404, "turn_not_found")
        assert await system.events(response["requestId"]) == []
    refused = await talk.choose(option(offered, 0))
    assert refused["overallStatus"] == "error"
    assert refused["steps"][0]["message"] == "Es liegt keine offene Auswahl für diese Sitzung vor."
    assert (await talk.say(HERE))["overallStatus"] == "needs_clarification"
    assert "kein Layer" in (await talk.say("Entferne Gewässerschutz"))["steps"][0]["message"]
    anew = await talk.say("Zeige mir Grundstück 198 in Messen", key="a-key")
    assert anew["requestId"] != shown["requestId"]


async def test_forgetting_an_unknown_session_is_fine(talk: Conversation) -> None:
    await talk.forget()


# -- looking at turns ------------------------------------------------------------------------------


async def test_a_turn_can_be_looked_at_while_it_runs_and_after(system: System, talk: Conversation) -> None:
    with system.frozen("tools-geo"):
        asked = asyncio.create_task(talk.say("Lade den Waldplan und wechsle zum Luftbild"))
        request_id = await system.begun(talk)
        await system.reached("tools-geo")
        running = await system.turn(request_id)
    response = await asked
    assert running.status_code == 202
    assert running.headers["retry-after"] == "1"
    view = running.json()
    assert view["requestId"] == request_id and "sessionId" not in view
    assert view["state"] == "running"
    assert view["steps"][0] == {"intent": "load_layer", "state": "working"}
    assert view["steps"][1]["intent"] == "set_background"
    assert response["requestId"] == request_id
    assert answer_of(await system.turn(request_id)) == response


async def test_a_turn_that_never_was_is_not_found(system: System) -> None:
    for request_id in ("req-0123456789abcdef", "nonsense"):
        answered = await system.turn(request_id)
        assert (answered.status_code, problem_of(answered)["code"]) == (404, "turn_not_found")


# -- the same request again ------------------------------------------------------------------------


async def test_the_same_idempotency_key_leads_to_the_same_turn(system: System, talk: Conversation) -> None:
    message = "Gehe zur Langendorfstrasse 19b in Solothurn"
    together = await asyncio.gather(*(talk.say(message, key="k-1") for _ in range(3)))
    later = await talk.say(message, key="k-1")
    assert together == [later] * 3
    assert await system.count(later["requestId"], TurnEventKind.STARTED) == 1
    assert await system.count(later["requestId"], TurnEventKind.FINISHED) == 1
    assert (await talk.say(message, key="k-2"))["requestId"] != later["requestId"]
    assert (await talk.say(message))["requestId"] != later["requestId"]


async def test_an_idempotency_key_is_for_one_request(system: System, talk: Conversation) -> None:
    first = await talk.say("Wechsle zum Luftbild", key="k-1")
    answered = await talk.post("k-1", userMessage="Leere die Karte")
    problem = problem_of(answered)
    assert (answered.status_code, problem["code"]) == (422, "idempotency_key_reused")
    assert problem["requestId"] == first["requestId"]
    other = system.conversation()
    assert (await other.say("Leere die Karte", key="k-1"))["steps"][0]["intent"] == "clear_map"


# -- what is no request ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"sessionId": "s"}, 422, "invalid_request"),
        ({"sessionId": "s", "userMessage": "  "}, 422, "invalid_request"),
        ({"userMessage": "hallo"}, 422, "invalid_request"),
        ({"sessionId": "s" * 129, "userMessage": "hallo"}, 422, "invalid_request"),
        ({"sessionId": "s", "userMessage": "a" * 4_001}, 422, "invalid_request"),
        ({"sessionId": "s", "choiceId": "c" * 129}, 422, "invalid_request"),
        ({"sessionId": "s", "userMessage": 7}, 422, "invalid_request"),
        ({"sessionId": "s", "userMessage": "hallo", "admin": True}, 422, "invalid_request"),
        (["hallo"], 422, "invalid_request"),
        ({"sessionId": "s", "userMessage": "a" * 65_536}, 413, "body_too_large"),
    ],
)
async def test_what_cannot_be_a_request_is_refused(system: System, body: Any, status: int, code: str) -> None:
    answered = await system.http.post("/api/chat", json=body)
    assert (answered.status_code, problem_of(answered)["code"]) == (status, code)


async def test_a_body_that_is_no_json_is_refused(system: System) -> None:
    for content, media_type, status, code in (
        (b"{", "application/json", 400, "malformed_json"),
        (b"a=b", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
    ):
        headers = {"content-type": media_type}
        answered = await system.http.post("/api/chat", content=content, headers=headers)
        assert (answered.status_code, problem_of(answered)["code"]) == (status, code)


async def test_the_longest_message_is_answered(talk: Conversation) -> None:
    response = await talk.say("ä" * 4_000)
    assert response["overallStatus"] == "needs_clarification"
