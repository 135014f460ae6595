"""Height, geothermal probe and cadastral plan over HTTP, on the embedded data; the plan is downloaded."""

import re
from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio
from contracts import prints

from .running import Conversation, Json, System, action_types, problem_of, running

pytestmark = pytest.mark.asyncio(loop_scope="module")

PLAN = "Mache mir einen Grundbuchplan des Grundstücks 198 in Messen."


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    async with running(tmp_path_factory.mktemp("intents")) as started:
        yield started


@pytest.fixture
def talk(system: System) -> Conversation:
    return system.conversation()


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


@pytest.mark.parametrize("sentence", ["Wie hoch liegt 2607094, 1228788?", "Wie hoch liegt Solothurn?"])
async def test_a_height_is_told_and_marked(talk: Conversation, sentence: str) -> None:
    step = only_step(await talk.say(sentence), "height_query")
    assert step["message"] == (
        "Höhe bei 2'607'094 / 1'228'788: rund 440 m ü. M.\n"
        "Quelle: Beispieldaten, aus bekannten Höhen in der Umgebung geschätzt"
    )
    assert action_types(step) == ["setView", "addMarker"]
    assert step["mapActions"][1]["payload"]["label"] == "rund 440 m ü. M."


async def test_a_geothermal_probe_is_assessed_at_a_coordinate(talk: Conversation) -> None:
    sentence = "Wie tief kann ich an der Koordinate 2605919, 1229245 für eine Erdwärmesonde bohren?"
    step = only_step(await talk.say(sentence), "geothermal_probe_assessment")
    assert "bis in eine Tiefe von 250 m möglich" in step["message"]
    assert step["message"].endswith("Quelle: Beispieldaten, keine amtliche Auskunft")
    assert action_types(step) == ["setView", "addMarker"]
    assert step["mapActions"][0]["payload"]["center"] == [2605919.0, 1229245.0]


async def test_a_geothermal_probe_is_assessed_where_the_conversation_is(talk: Conversation) -> None:
    await talk.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    step = only_step(
        await talk.say("Kann ich hier eine Erdwärmesonde bohren?"), "geothermal_probe_assessment"
    )
    assert step["mapActions"][0]["payload"]["center"] == [2605899.0, 1229278.0]


async def test_a_plan_is_made_and_downloaded(system: System, talk: Conversation) -> None:
    step = only_step(await talk.say(PLAN), "cadastral_plan")
    made, link, source = step["message"].splitlines()
    assert made == "Grundbuchplan im Massstab 1:1'000 erstellt."
    assert re.fullmatch(r"PDF: \S+ \(verfügbar bis (\S+, )?\d\d:\d\d Uhr\)", link)
    assert source.startswith("Quelle: Beispieldaten")
    view, outline = step["mapActions"]
    assert (view["type"], outline["type"]) == ("setView", "addLayer")
    assert outline["payload"]["source"]["style"] == "highlight"
    check_pdf(await system.http.get(link_in(step)))


async def test_a_plan_of_what_was_shown_before(system: System, talk: Conversation) -> None:
    await talk.say("Zeige das Grundstück 198 in Messen")
    step = only_step(await talk.say("Und bitte noch einen Grundbuchplanauszug."), "cadastral_plan")
    check_pdf(await system.http.get(link_in(step)))


async def test_a_plan_after_an_extract(system: System, talk: Conversation) -> None:
    await talk.say("Erstelle einen ÖREB-Auszug vom Grundstück 198 in Messen")
    step = only_step(await talk.say("Und bitte noch einen Grundbuchplanauszug."), "cadastral_plan")
    check_pdf(await system.http.get(link_in(step)))


async def test_a_plan_after_a_choice(system: System, talk: Conversation) -> None:
    offered = await talk.say("Grundbuchplan an der Koordinate 2600513, 1215519")
    (step,) = offered["steps"]
    assert step["status"] == "needs_user_choice"
    taken = await talk.choose(step["choices"][1]["id"])
    chosen = only_step(taken, "cadastral_plan")
    assert chosen["message"].startswith("Grundbuchplan im Massstab 1:500 erstellt.")
    check_pdf(await system.http.get(link_in(chosen)))


async def test_a_plan_that_was_never_made_is_not_found(system: System) -> None:
    answered = await system.http.get(prints.path_of("0" * 32))
    assert (answered.status_code, problem_of(answered)["code"]) == (404, "print_not_found")


async def test_a_plan_outlives_those_who_made_it_and_who_hand_it_out(
    system: System, talk: Conversation
) -> None:
    link = link_in(only_step(await talk.say(PLAN), "cadastral_plan"))
    before = await system.http.get(link)
    for name in ("tools-geo", "edge"):
        system.stack.kill(name)
    for name in ("tools-geo", "edge"):
        await system.stack.wait_ready(name)
    after = await system.http.get(link)
    check_pdf(after)
    assert after.content == before.content
    assert after.headers["etag"] == before.headers["etag"]


async def test_a_plan_outlives_a_restart_of_everything(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("restarted")
    async with running(folder) as first:
        link = link_in(only_step(await first.conversation().say(PLAN), "cadastral_plan"))
    async with running(folder) as second:
        check_pdf(await second.http.get(link))
