"""All services but the edge in one process: the same answers, fewer messages, and nothing is lost with it.

Its servers sync every write: that changes no answer either.
"""

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from contracts import subjects

from .running import Json, Shape, System, action_types, option, running
from .test_kills import SENTENCE, check, check_once

pytestmark = pytest.mark.asyncio(loop_scope="session")

SENTENCES = (
    "Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer",
    "Zeige das Grundstück 198 in Messen und erstelle einen ÖREB-Auszug davon",
    "Wie hoch liegt Olten?",
    "Was muss beim Grundwasserschutz beachtet werden?",
    "Fasse zusammen, was du gefunden hast",
    "Zeig mir Hinterpfupfigen",
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def compact(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    async with running(
        tmp_path_factory.mktemp("compact"), Shape(compact=True, durability="power")
    ) as started:
        yield started
        assert (await started.js.stream_info("DEAD")).state.messages == 0


def said(response: Json) -> list[Json]:
    """Without when a source was asked."""
    told = ("intent", "status", "message", "suggestions")
    return [
        {name: step.get(name) for name in told} | {"does": action_types(step)} for step in response["steps"]
    ]


async def stored(system: System) -> int:
    return sum([(await system.js.stream_info(s.name)).state.last_seq for s in subjects.STREAMS])


async def test_answers_are_those_of_services_by_themselves(compact: System, system: System) -> None:
    one, other = compact.conversation(), system.conversation()
    for sentence in SENTENCES:
        assert said(await one.say(sentence)) == said(await other.say(sentence)), sentence


async def test_a_choice_is_resumed(compact: System) -> None:
    talk = compact.conversation()
    offered = await talk.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    response = await talk.choose(option(offered, 1))
    assert response["steps"][0]["message"].startswith("ÖREB-Auszug für CH710620327442 bereit.")
    await check_once(compact, response, rounds=2)


async def test_a_turn_stores_what_began_it_and_its_log(tmp_path: Path) -> None:
    # What is delivered twice stores its commands.
    async with running(tmp_path, Shape(compact=True), ACK_WAIT_S="30") as system:
        before = await stored(system)
        response = await system.conversation().say("Gehe zur Langendorfstrasse 19b in Solothurn")
        assert len(await system.events(response["requestId"])) > 2
        assert await stored(system) - before == 3


async def test_a_turn_goes_on_after_the_process_was_killed(compact: System) -> None:
    talk = compact.conversation()
    with compact.frozen("compact"):
        asked = asyncio.create_task(talk.say(SENTENCE))
        await compact.reached("orchestrator")
        compact.stack.kill("compact")
        await check(compact, await asked)
    await compact.stack.wait_ready("compact")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_turns_in_flight_are_answered_once_whenever_it_ends(
    compact: System, number: signal.Signals
) -> None:
    talks = [compact.conversation() for _ in range(12)]
    asked = [asyncio.create_task(talk.say(SENTENCE)) for talk in talks]
    await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
    compact.stack.kill("compact", number)
    for response in await asyncio.gather(*asked):
        await check(compact, response)
    await compact.stack.wait_ready("compact")
