"""Messages that are as much work to read as a message can be, as many at a time as are let in."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio
from contracts.chat import MAX_MESSAGE_CHARS
from tests.e2e.running import System, running

from .conftest import Told
from .test_attack_fairness import People

pytestmark = pytest.mark.asyncio(loop_scope="module")

UNITS = (
    *(
        "1.",
        "<a",
        "Ono Ekj Faz ",
        "Grenchen ",
        "was kostet das. ",
        "z. B. ",
        "Rötistr 4, ",
        "a\u0308\u0323" * 9,
    ),
    *("Parzellen 1, ", "Grundwasserschutzzonenbotschaftswaldkarte und ", '"a b" ', "lade Wald und ", "🤷"),
)
"""What took planning longest, of all that has been tried."""
AT_A_TIME = 6
HONEST = ("Gehe zur Langendorfstrasse 19b in Solothurn", "Zeige Grenchen", "Hallo", "Lade den Waldplan")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    environment = {
        "AUTH": "anonymous",
        "EDGE_SECRET": "s" * 32,
        "ADDRESS_TURNS_PER_MINUTE": "100000",
        # What is planned twice, and who gives up waiting, is not what is attacked here.
        "ACK_WAIT_S": "30",
        "WAIT_TIMEOUT_S": "50",
    }
    async with running(tmp_path_factory.mktemp("system"), **environment) as started:
        yield started


async def test_messages_made_to_be_slow_are_answered_and_nobody_else_is_refused(
    system: System, attack: Told, scale: int
) -> None:
    messages = [(unit * MAX_MESSAGE_CHARS)[:MAX_MESSAGE_CHARS] for unit in UNITS] * scale
    room = asyncio.Semaphore(AT_A_TIME)
    async with People(system, "127.0.0.4") as hostile, People(system, "127.0.0.5") as honest:
        crowd = [await hostile.person() for _ in range(AT_A_TIME)]
        somebody = await honest.person()

        async def send(number: int, message: str) -> httpx.Response:
            async with room:
                return await hostile.ask(crowd[number % AT_A_TIME], message)

        sending = [asyncio.create_task(send(number, message)) for number, message in enumerate(messages)]
        answered = [await honest.ask(somebody, message) for message in HONEST]
        came = Counter(answer.status_code for answer in await asyncio.gather(*sending))
    good = [
        answer
        for answer in answered
        if answer.status_code == 200 and answer.json()["steps"][0]["status"] == "ok"
    ]
    attack(
        f"{len(messages)} messages of {MAX_MESSAGE_CHARS} characters, slow to read, {AT_A_TIME} at a time",
        f"{came[200]} answered, {came[429]} refused; {len(good)} of {len(HONEST)} honest ones answered",
    )
    assert came.keys() <= {200, 429} and came[200]
    assert len(good) == len(HONEST)
