"""From a sentence to an extract, through planner, orchestrator and action planner, on the live cadastre."""

from collections.abc import AsyncIterator
from itertools import cycle, islice

import pytest
from contracts.chat import ChatRequest, ChatResponse
from contracts.status import Status
from in_memory import InMemorySystem
from misbehaving import MisbehavingServer, status
from oereb_kit import MakeLive
from recorded.oereb_data import LANGENDORFSTRASSE_19B, MESSEN_198, MESSEN_531, content_of, of_egrid
from recorded.server import RecordedServer

from orchestrator.sizes import MAX_RESPONSE_BYTES
from tools_oereb.gateways import CadastreGateway


@pytest.fixture
async def system(solothurn: CadastreGateway) -> AsyncIterator[InMemorySystem]:
    started = InMemorySystem(solothurn)
    await started.start()
    yield started
    await started.stop()


async def ask(system: InMemorySystem, message: str) -> ChatResponse:
    return await system.answer(ChatRequest(session_id="s", user_message=message), "turn-1")


def assert_shows_extract(answer: ChatResponse, egrid: str, *, step: int = 0) -> None:
    shown = answer.steps[step]
    assert (shown.intent, shown.status) == ("oereb_extract", Status.OK), shown.message
    assert [action.type for action in shown.map_actions] == [
        "setView",
        "addMarker",
        "addLayer",
        "showOerebExtract",
    ]
    first, parcel, *told = shown.message.splitlines()
    assert first == f"ÖREB-Auszug für {egrid} bereit."
    assert parcel.startswith(("Liegenschaft ", "Baurecht "))
    assert any(line.startswith("Nutzungsplanung (kantonal/kommunal) – in Kraft: ") for line in told)


@pytest.mark.parametrize(
    ("message", "egrid"),
    [
        ("ÖREB-Auszug für die Langendorfstrasse 19b in Solothurn", LANGENDORFSTRASSE_19B),
        ("ÖREB-Auszug an der Koordinate 2600620, 1215520", MESSEN_198),
        ("Erstelle mir einen ÖREB-Auszug vom Grundstück 198 in Messen", MESSEN_198),
        ("ÖREB-Auszug für CH955832730623", MESSEN_198),
    ],
    ids=["address", "coordinate", "number", "EGRID"],
)
async def test_an_extract_is_shown_for_whatever_names_the_parcel(
    system: InMemorySystem, message: str, egrid: str
) -> None:
    assert_shows_extract(await ask(system, message), egrid)


async def test_the_parcel_of_the_step_before_is_taken(system: InMemorySystem) -> None:
    answer = await ask(
        system, "Gehe zur Langendorfstrasse 19b in Solothurn und erstelle mir einen ÖREB-Katasterauszug."
    )
    assert answer.steps[0].intent == "goto_address"
    assert_shows_extract(answer, LANGENDORFSTRASSE_19B, step=1)


async def test_parcel_and_building_right_are_a_choice(system: InMemorySystem) -> None:
    answer = await ask(system, "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519.")
    (step,) = answer.steps
    assert step.status is Status.NEEDS_USER_CHOICE
    assert [choice.label for choice in step.choices] == [
        "EGRID CH955832730623 – Grundstück 198 (Liegenschaft: der Boden selbst)",
        "EGRID CH710620327442 – Grundstück 531 (Baurecht: das Recht, auf fremdem Boden zu bauen)",
    ]
    chosen = ChatRequest(session_id="s", choice_id=step.choices[1].id)
    assert_shows_extract(await system.answer(chosen, "turn-1"), MESSEN_531)


async def test_an_extract_of_a_thousand_restrictions_is_shown(
    system: InMemorySystem, recorded: RecordedServer
) -> None:
    estate = of_egrid(MESSEN_198)
    assert estate is not None
    content = content_of(estate)
    many = tuple(islice(cycle(content.restrictions), 1_000))
    recorded.options.oereb.contents[MESSEN_198] = content.model_copy(update={"restrictions": many})
    answer = await ask(system, f"ÖREB-Auszug für {MESSEN_198}")
    assert_shows_extract(answer, MESSEN_198)
    assert len(answer.to_json()) < MAX_RESPONSE_BYTES


async def test_a_parcel_outside_the_released_cadastre_is_a_question_back(
    system: InMemorySystem, recorded: RecordedServer
) -> None:
    recorded.options.oereb.unreleased.add(MESSEN_198)
    (step,) = (await ask(system, "ÖREB-Auszug für CH955832730623")).steps
    assert (step.status, step.map_actions) == (Status.NEEDS_CLARIFICATION, ())
    assert "nicht freigeschaltet" in step.message


async def test_while_the_cadastre_is_down_the_other_steps_go_on(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    broken.behave(status(503))
    system = InMemorySystem(make_live(broken.url))
    await system.start()
    answer = await ask(
        system, "Gehe nach Grenchen. ÖREB-Auszug für CH955832730623. Lade die Wildtierkorridore."
    )
    await system.stop()
    assert [(step.intent, step.status) for step in answer.steps] == [
        ("search_place", Status.OK),
        ("oereb_extract", Status.NEEDS_USER_CHOICE),
        ("load_layer", Status.OK),
    ]
    assert "Der ÖREB-Dienst ist zurzeit überlastet" in answer.steps[1].message
    assert [choice.label for choice in answer.steps[1].choices] == ["Nochmals versuchen"]
