"""Whole turns, through all services, on extracts of a real service."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.e2e.running import Conversation, Json, System, action_types, option, running

from .oereb_server import CLIENT_URL

pytestmark = pytest.mark.asyncio(loop_scope="module")

PARCEL, RIGHT, UNTOUCHED = "CH955832730623", "CH710620327442", "CH181832067404"
PLANNED, NOT_RELEASED, UNKNOWN = "CH990000009901", "CH990000009905", "CH999999999999"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory, oereb_url: str) -> AsyncIterator[System]:
    folder = tmp_path_factory.mktemp("turns")
    # A real server makes an extract as fast as the machine lets it.
    patient = {"OUTBOUND_READ_TIMEOUT_S": "30", "OUTBOUND_TOTAL_TIMEOUT_S": "60", "TURN_TIMEOUT_S": "110"}
    live = {"OEREB_SOURCE": "live", "OEREB_URL": oereb_url, "WAIT_TIMEOUT_S": "112"}
    async with running(folder, **live, **patient) as started:
        started.http.timeout = 120
        yield started


@pytest.fixture
def talk(system: System) -> Conversation:
    return system.conversation()


async def step_of(talk: Conversation, sentence: str) -> Json:
    (step,) = (await talk.say(sentence))["steps"]
    assert step["intent"] == "oereb_extract"
    return dict(step)


def check_extract(step: Json, egrid: str, oereb_url: str) -> Json:
    """The payload that shows it."""
    assert step["status"] == "ok", step["message"]
    assert action_types(step) == ["setView", "addMarker", "addLayer", "showOerebExtract"]
    shown: Json = step["mapActions"][-1]["payload"]
    assert shown["url"] == f"{oereb_url}/extract/pdf/?EGRID={egrid}"
    assert shown["mapUrl"] == CLIENT_URL.format(egrid=egrid)
    return shown


@pytest.mark.parametrize(("n", "egrid"), [(0, PARCEL), (1, RIGHT)], ids=["parcel", "right"])
async def test_a_choice_at_a_coordinate_is_offered_and_taken(
    talk: Conversation, oereb_url: str, n: int, egrid: str
) -> None:
    offered = await talk.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    (step,) = offered["steps"]
    assert step["status"] == "needs_user_choice"
    assert [choice["data"]["egrid"] for choice in step["choices"]] == [PARCEL, RIGHT]
    (taken,) = (await talk.choose(option(offered, n)))["steps"]
    check_extract(taken, egrid, oereb_url)


async def test_an_extract_by_number_tells_what_restricts_the_parcel(
    talk: Conversation, oereb_url: str
) -> None:
    step = await step_of(talk, "Erstelle den ÖREB-Auszug vom Grundstück 198 in Messen")
    shown = check_extract(step, PARCEL, oereb_url)
    assert "Wohnzone zweigeschossig (W2) (63.7 %, 7'489 m²)" in step["message"]
    restrictions = shown["content"]["restrictions"]
    assert len(restrictions) == 6
    assert all(each["symbol"].startswith(f"{oereb_url}/image/symbol/") for each in restrictions)


@pytest.mark.parametrize(
    ("egrid", "said", "never"),
    [
        (UNTOUCHED, "Kein Thema betroffen", "Keine Daten"),
        (NOT_RELEASED, "Keine Daten", "Kein Thema betroffen"),
        (PLANNED, "Waldreservate – geplant", "in Kraft"),
    ],
    ids=["untouched", "not released", "planned"],
)
async def test_no_more_is_said_than_the_service_did(
    talk: Conversation, oereb_url: str, egrid: str, said: str, never: str
) -> None:
    step = await step_of(talk, f"Erstelle den ÖREB-Auszug für {egrid}")
    check_extract(step, egrid, oereb_url)
    assert said in step["message"]
    assert never not in step["message"]


async def test_an_egrid_that_the_service_does_not_know_has_no_extract(talk: Conversation) -> None:
    step = await step_of(talk, f"Erstelle den ÖREB-Auszug für {UNKNOWN}")
    assert step["status"] == "needs_clarification"
    assert UNKNOWN in step["message"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("In welcher Zone liegt 2084 in Biberist?", "Wohnzone zweigeschossig (W2) (100 %, 618 m²)"),
        ("Ist die Parzelle 9903 in Oberbuchsiten belastet?", "Ablagerungsstandort"),
        ("Welche Gesetze gelten für CH727994320611?", "Bundesgesetz über die Raumplanung (RPG, SR 700"),
        (
            "Liegt das Grundstück CH990000009903 in einer Grundwasserschutzzone, und wie viel davon?",
            "Zone S1 (Fassungsbereich) (4.2 %, 528 m²)",
        ),
        ("Was ist geplant auf dem Grundstück CH990000009902?", "Wohnzone dreigeschossig (W3)"),
    ],
    ids=["zone", "polluted", "laws", "groundwater", "planned"],
)
async def test_a_question_is_answered_from_the_extract(talk: Conversation, question: str, said: str) -> None:
    step = await step_of(talk, question)
    assert step["status"] == "ok"
    assert said in step["message"]
    assert "Quelle: 127.0.0.1." in step["message"]
