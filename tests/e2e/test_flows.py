"""From a sentence to map actions, over HTTP, through every service: the three flows, to the letter."""

import pytest
from cantons import Canton, Spot

from .running import IN_ALL_CANTONS, Conversation, Json, System, action_types, answer_of, layer_ids, promised

pytestmark = [pytest.mark.asyncio(loop_scope="session"), IN_ALL_CANTONS]


def centred_on(spot: Spot) -> Json:
    """The step for an address."""
    center = list(spot.coord)
    marker = {"id": f"addr-{spot.id}", "coord": center, "style": "pin-default", "label": spot.label}
    return {
        "intent": "goto_address",
        "status": "ok",
        "message": f"Adresse {spot.street} {spot.number} zentriert.",
        "mapActions": [
            {"type": "setView", "payload": {"center": center, "zoom": 17, "crs": "EPSG:2056"}},
            {"type": "addMarker", "payload": marker},
        ],
        "choices": [],
    }


def there(spot: Spot) -> str:
    return f"Gehe zur {spot.street} {spot.number} in {spot.locality}"


def check_water_protection(step: Json, layers: tuple[str, ...]) -> None:
    assert (step["intent"], step["status"]) == ("load_layer", "ok")
    assert step["message"] == "Gewässerschutz-Layer geladen."
    assert action_types(step) == ["addLayer"] * len(layers)
    assert layer_ids(step) == list(layers)
    first = step["mapActions"][0]["payload"]
    assert (first["type"], first["visible"]) == ("wms", True)
    assert first["source"]["url"].startswith("https://")
    assert first["source"]["LAYERS"] == layers[0]


async def test_a_sentence_with_one_wish(canton: Canton, talk: Conversation) -> None:
    response = await talk.say(there(canton.spot))
    assert response | {"steps": [promised(step) for step in response["steps"]]} == {
        "requestId": response["requestId"],
        "overallStatus": "ok",
        "steps": [centred_on(canton.spot)],
    }


async def test_a_sentence_with_two_wishes(canton: Canton, talk: Conversation) -> None:
    response = await talk.say(f"{there(canton.spot)} und lade den Gewässerschutzlayer")
    assert response["overallStatus"] == "ok"
    centred, loaded = response["steps"]
    assert promised(centred) == centred_on(canton.spot)
    check_water_protection(loaded, canton.layers)


@pytest.mark.parametrize("n", [0, 1])
async def test_a_choice_at_a_coordinate_is_offered_and_taken(
    canton: Canton, system: System, talk: Conversation, n: int
) -> None:
    egrid, number = canton.at_point[n]
    offered = await talk.say(f"Lade den ÖREB-Auszug an der Koordinate {canton.point}")
    (step,) = offered["steps"]
    assert (step["intent"], step["status"]) == ("oereb_extract", "needs_user_choice")
    assert step["message"] == "Bitte wähle das betroffene Grundstück."
    assert [c["data"]["egrid"] for c in step["choices"]] == [known for known, _ in canton.at_point]
    choice = step["choices"][n]
    assert egrid in choice["label"]
    assert 0 < choice["confidence"] <= 1
    assert list(choice["data"])[:2] == ["egrid", "coord"]
    preview, outline = choice["mapActions"]
    assert (outline["type"], outline["payload"]["id"]) == ("addLayer", f"choice-{egrid}")
    assert preview["type"] == "addMarker"
    assert preview["payload"]["id"] == f"choice-{egrid}"
    assert preview["payload"]["coord"] == choice["data"]["coord"]
    assert preview["payload"]["label"] == f"Grundstück {number}"

    taken = await talk.choose(choice["id"])
    assert taken["requestId"] == offered["requestId"]
    assert taken["overallStatus"] == "ok"
    (step,) = taken["steps"]
    assert (step["intent"], step["status"]) == ("oereb_extract", "ok")
    assert step["message"].splitlines()[0] == f"ÖREB-Auszug für {egrid} bereit."
    view, marker, outline, extract = step["mapActions"]
    assert (view["type"], view["payload"]["zoom"]) == ("setView", 18)
    assert view["payload"]["center"] == choice["data"]["coord"]
    assert (marker["type"], marker["payload"]["id"]) == ("addMarker", f"oereb-{egrid}")
    assert (outline["type"], outline["payload"]["type"]) == ("addLayer", "geojson")
    assert extract["type"] == "showOerebExtract"
    assert extract["payload"]["egrid"] == egrid
    assert extract["payload"]["url"] == f"{canton.pdf_url}/extract/pdf/?EGRID={egrid}"
    assert answer_of(await system.turn(offered["requestId"])) == taken


@pytest.mark.parametrize(
    ("sentence", "statuses", "overall"),
    [
        (
            "Zeige das {lot.spoken} und gehe zur {street.street} in {street.locality}",
            ["ok", "needs_user_choice"],
            "needs_user_choice",
        ),
        (
            "Gehe zur {street.street} {street.number} in {street.locality} und gehe nach Atlantis",
            ["ok", "needs_clarification"],
            "needs_clarification",
        ),
        (
            "Gehe nach Atlantis und gehe zur {street.street} in {street.locality}",
            ["needs_clarification", "needs_user_choice"],
            "needs_clarification",
        ),
    ],
)
async def test_the_most_severe_step_is_the_status_of_the_whole(
    canton: Canton, talk: Conversation, sentence: str, statuses: list[str], overall: str
) -> None:
    response = await talk.say(sentence.format(lot=canton.lot, street=canton.street))
    assert [step["status"] for step in response["steps"]] == statuses
    assert response["overallStatus"] == overall


async def test_steps_answer_in_the_order_of_the_sentence(canton: Canton, talk: Conversation) -> None:
    response = await talk.say(
        f"Wechsle zum Luftbild, lade den Waldplan, zeige das {canton.lot.spoken} "
        f"und gehe nach {canton.municipality}"
    )
    intents = [step["intent"] for step in response["steps"]]
    assert intents == ["set_background", "load_layer", "show_parcel", "search_place"]
    assert response["overallStatus"] == "ok"


async def test_the_path_without_api_is_the_same(canton: Canton, system: System, talk: Conversation) -> None:
    body = {"sessionId": talk.session_id, "userMessage": there(canton.spot)}
    response = answer_of(await system.http.post("/chat", json=body))
    assert [promised(step) for step in response["steps"]] == [centred_on(canton.spot)]
    assert answer_of(await system.turn(response["requestId"])) == response


async def test_an_extract_by_number_and_then_a_plan_of_it(canton: Canton, talk: Conversation) -> None:
    (extract,) = (await talk.say(f"Erstelle einen ÖREB-Auszug vom {canton.lot.spoken}"))["steps"]
    assert (extract["intent"], extract["status"]) == ("oereb_extract", "ok")
    assert extract["mapActions"][-1]["payload"]["egrid"] == canton.lot.egrids[0]
    (plan,) = (await talk.say("Und bitte noch einen Grundbuchplanauszug."))["steps"]
    assert (plan["intent"], plan["status"]) == ("cadastral_plan", "ok")


async def test_a_question_about_a_parcel_is_answered_from_its_extract(
    canton: Canton, talk: Conversation
) -> None:
    asked = f"In welcher Zone liegt {canton.lot.number} in {canton.lot.municipality}?"
    (step,) = (await talk.say(asked))["steps"]
    assert (step["intent"], step["status"]) == ("oereb_extract", "ok")
    assert canton.zone in step["message"]


async def test_every_name_of_a_place_leads_to_it(canton: Canton, talk: Conversation) -> None:
    for said, label in canton.called:
        (step,) = (await talk.say(f"Zeige mir {said}"))["steps"]
        assert (step["intent"], step["status"]) == ("search_place", "ok"), said
        assert label in step["message"], said


async def test_what_the_system_names_as_examples_it_can_do(
    canton: Canton, system: System, talk: Conversation
) -> None:
    answered = await talk.say("Was kannst du?")
    offered = [
        line.partition("«")[2].rstrip("»") for line in answered["steps"][0]["message"].splitlines()[1:]
    ]
    assert canton.lot.spoken in " ".join(offered)
    for sentence in filter(None, offered):
        response = await system.conversation().say(sentence)
        assert response["overallStatus"] in ("ok", "needs_user_choice", "needs_clarification"), sentence
        if any(name in sentence for name in (canton.lot.spoken, canton.spot.street)):
            assert response["overallStatus"] != "needs_clarification", sentence
