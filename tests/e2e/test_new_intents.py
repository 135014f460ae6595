"""Height, geothermal probe and cadastral plan over HTTP, on the embedded data; the plan is downloaded."""

import re

import httpx
import pytest
from cantons import Canton
from contracts import prints

from .running import IN_ALL_CANTONS, Conversation, Json, System, action_types, problem_of

pytestmark = [pytest.mark.asyncio(loop_scope="session"), IN_ALL_CANTONS]


def plan_of(canton: Canton) -> str:
    return f"Mache mir einen Grundbuchplan des Grundstücks {canton.lot.number} in {canton.lot.municipality}."


def only_step(response: Json, intent: str) -> Json:
    (step,) = response["steps"]
    assert (step["intent"], step["status"]) == (intent, "ok"), step
    return dict(step)


def link_in(step: Json) -> str:
    (link,) = re.findall(r"/api/prints/\S+", step["message"])
    assert prints.is_path(link)
    return str(link)


def check_pdf(answered: httpx.Response) -> None:
    assert answered.status_code == 200
    assert answered.headers["content-type"] == "application/pdf"
    assert answered.headers["content-length"] == str(len(answered.content))
    assert answered.content.startswith(b"%PDF-")
    assert answered.content.rstrip().endswith(b"%%EOF")


@pytest.mark.parametrize("sentence", ["Wie hoch liegt {east:.0f}, {north:.0f}?", "Wie hoch liegt {place}?"])
async def test_a_height_is_told_and_marked(canton: Canton, talk: Conversation, sentence: str) -> None:
    place, (east, north), told, height = canton.measured
    asked = sentence.format(place=place, east=east, north=north)
    step = only_step(await talk.say(asked), "height_query")
    assert step["message"] == (
        f"Höhe bei {told}: rund {height} m ü. M.\n"
        "Quelle: Beispieldaten, aus bekannten Höhen in der Umgebung geschätzt"
    )
    assert action_types(step) == ["setView", "addMarker"]
    assert step["mapActions"][1]["payload"]["label"] == f"rund {height} m ü. M."


async def test_a_geothermal_probe_is_assessed_at_a_coordinate(canton: Canton, talk: Conversation) -> None:
    (east, north), depth = canton.drilled
    sentence = f"Wie tief kann ich an der Koordinate {east:.0f}, {north:.0f} für eine Erdwärmesonde bohren?"
    step = only_step(await talk.say(sentence), "geothermal_probe_assessment")
    assert f"bis in eine Tiefe von {depth} m möglich" in step["message"]
    assert step["message"].endswith("Quelle: Beispieldaten, keine amtliche Auskunft")
    assert action_types(step) == ["setView", "addMarker"]
    assert step["mapActions"][0]["payload"]["center"] == [east, north]


async def test_a_geothermal_probe_is_assessed_where_the_conversation_is(
    canton: Canton, talk: Conversation
) -> None:
    await talk.say(f"Gehe zur {canton.spot.street} {canton.spot.number} in {canton.spot.locality}")
    step = only_step(
        await talk.say("Kann ich hier eine Erdwärmesonde bohren?"), "geothermal_probe_assessment"
    )
    assert step["mapActions"][0]["payload"]["center"] == list(canton.spot.coord)


async def test_a_plan_is_made_and_downloaded(canton: Canton, system: System, talk: Conversation) -> None:
    step = only_step(await talk.say(plan_of(canton)), "cadastral_plan")
    made, link, source = step["message"].splitlines()
    assert re.fullmatch(r"Grundbuchplan im Massstab 1:[0-9']+ erstellt\.", made)
    assert re.fullmatch(r"PDF: \S+ \(verfügbar bis (\S+, )?\d\d:\d\d Uhr\)", link)
    assert source.startswith("Quelle: Beispieldaten")
    view, outline = step["mapActions"]
    assert (view["type"], outline["type"]) == ("setView", "addLayer")
    assert outline["payload"]["source"]["style"] == "highlight"
    check_pdf(await system.http.get(link_in(step)))


async def test_a_plan_of_what_was_shown_before(canton: Canton, system: System, talk: Conversation) -> None:
    await talk.say(f"Zeige das {canton.lot.spoken}")
    step = only_step(await talk.say("Und bitte noch einen Grundbuchplanauszug."), "cadastral_plan")
    check_pdf(await system.http.get(link_in(step)))


async def test_a_plan_after_an_extract(canton: Canton, system: System, talk: Conversation) -> None:
    await talk.say(f"Erstelle einen ÖREB-Auszug vom {canton.lot.spoken}")
    step = only_step(await talk.say("Und bitte noch einen Grundbuchplanauszug."), "cadastral_plan")
    check_pdf(await system.http.get(link_in(step)))


async def test_a_plan_after_a_choice(canton: Canton, system: System, talk: Conversation) -> None:
    offered = await talk.say(f"Grundbuchplan an der Koordinate {canton.point}")
    (step,) = offered["steps"]
    assert step["status"] == "needs_user_choice"
    taken = await talk.choose(step["choices"][1]["id"])
    chosen = only_step(taken, "cadastral_plan")
    assert chosen["message"].startswith("Grundbuchplan im Massstab 1:")
    check_pdf(await system.http.get(link_in(chosen)))


async def test_a_plan_that_was_never_made_is_not_found(system: System) -> None:
    answered = await system.http.get(prints.path_of("0" * 32))
    assert (answered.status_code, problem_of(answered)["code"]) == (404, "print_not_found")


async def test_a_plan_outlives_those_who_made_it_and_who_hand_it_out(
    canton: Canton, system: System, talk: Conversation
) -> None:
    link = link_in(only_step(await talk.say(plan_of(canton)), "cadastral_plan"))
    before = await system.http.get(link)
    for name in ("tools-geo", "edge"):
        system.stack.kill(name)
    for name in ("tools-geo", "edge"):
        await system.stack.wait_ready(name)
    after = await system.http.get(link)
    check_pdf(after)
    assert after.content == before.content
    assert after.headers["etag"] == before.headers["etag"]


async def test_a_plan_outlives_a_restart_of_everything(
    canton: Canton, system: System, talk: Conversation
) -> None:
    link = link_in(only_step(await talk.say(plan_of(canton)), "cadastral_plan"))
    await system.stack.stop()
    await system.stack.start()
    check_pdf(await system.http.get(link))
