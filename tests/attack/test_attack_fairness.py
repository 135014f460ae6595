"""Somebody who wants everything: all places, turns that nobody waits for, streams, more than there is."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import httpx
import pytest
import pytest_asyncio
from tests.e2e.research import QUESTION
from tests.e2e.running import System, running, until

from .conftest import Told

pytestmark = pytest.mark.asyncio(loop_scope="module")

PLACE = "Gehe zur Langendorfstrasse 19b in Solothurn"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    environment = {
        "AUTH": "anonymous",
        "EDGE_SECRET": "s" * 32,
        # So that the places are what holds.
        "ADDRESS_TURNS_PER_MINUTE": "100000",
        # A turn says itself that it is late, also on a machine that stands still.
        "WAIT_TIMEOUT_S": "50",
    }
    async with running(tmp_path_factory.mktemp("system"), **environment) as started:
        yield started


class People:
    """Anonymous ones at one address of this machine."""

    def __init__(self, system: System, address: str) -> None:
        transport = httpx.AsyncHTTPTransport(local_address=address, limits=httpx.Limits(max_connections=None))
        self.http = httpx.AsyncClient(base_url=system.stack.url, transport=transport, timeout=60)

    async def __aenter__(self) -> "People":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.http.aclose()

    async def person(self) -> dict[str, str]:
        """The headers of a new one."""
        token = (await self.http.post("/api/session")).json()["token"]
        return {"Authorization": f"Bearer {token}"}

    async def ask(self, person: dict[str, str], message: str = PLACE) -> httpx.Response:
        body = {"sessionId": "s", "userMessage": message}
        return await self.http.post("/api/chat", json=body, headers=person)


async def at_work(system: System) -> int:
    """Turns that were let in and have not ended."""
    environment = system.stack.processes["edge"].program.environment
    async with httpx.AsyncClient(timeout=60) as http:
        lines = (await http.get(f"http://127.0.0.1:{environment['HEALTH_PORT']}/metrics")).text.splitlines()
    return int(float(next(line for line in lines if line.startswith("ask_turns_at_work ")).split()[1]))


def refused_well(answered: httpx.Response) -> bool:
    return answered.status_code == 429 and int(answered.headers["retry-after"]) >= 1


async def test_slow_turns_of_one_address_leave_room_for_everybody_else(
    system: System, attack: Told, scale: int
) -> None:
    count = 200 * scale
    async with People(system, "127.0.0.2") as greedy, People(system, "127.0.0.3") as honest:
        crowd = [await greedy.person() for _ in range(10)]
        somebody = await honest.person()
        # Every map question hangs.
        with system.frozen("tools-geo"):
            tasks = [asyncio.create_task(greedy.ask(crowd[n % 10])) for n in range(count)]
            done: set[asyncio.Task[httpx.Response]] = set()
            async with asyncio.timeout(60):
                while len(done) < count - 32:
                    done, _ = await asyncio.wait(tasks, timeout=0.1)
            refused = [each.result() for each in done]
            busy = await at_work(system)
            answered = [await honest.ask(somebody, "Hallo") for _ in range(3)]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    await system.settled()
    attack(
        f"{count} slow POSTs of 10 people at one address",
        f"{busy} at work, {len(refused)} × 429 at once; "
        f"somebody else: {[each.status_code for each in answered]}",
    )
    assert all(map(refused_well, refused))
    assert [each.status_code for each in answered] == [200] * 3


async def test_posts_whose_clients_leave_at_once_leave_no_queue(
    system: System, attack: Told, scale: int
) -> None:
    count, most = 300 * scale, 0
    body = json.dumps({"sessionId": "s", "userMessage": PLACE}).encode()
    async with People(system, "127.0.0.4") as leaving, People(system, "127.0.0.5") as honest:
        crowd = [await leaving.person() for _ in range(25)]
        somebody = await honest.person()
        with system.frozen("tools-geo"):
            for n in range(count):
                _, writer = await asyncio.open_connection(
                    "127.0.0.1", system.stack.port, local_addr=("127.0.0.4", 0)
                )
                head = (
                    "POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                    f"Authorization: {crowd[n % 25]['Authorization']}\r\nContent-Length: {len(body)}\r\n\r\n"
                )
                writer.write(head.encode() + body)
                await writer.drain()
                await asyncio.sleep(0.003)
                writer.transport.abort()
                if n % 50 == 0:
                    most = max(most, await at_work(system))
            answered = await honest.ask(somebody, "Hallo")

            async def nobody() -> bool:
                orchestrator = await system.js.consumer_info("COMMANDS", "orchestrator")
                return not await at_work(system) and not orchestrator.num_pending

            # Long before their time is over: the tools still stand still.
            await until(nobody, 25)
        begun = await system.redis.eval("return #redis.call('KEYS', 'turn:*')", 0)
    await system.settled()
    attack(
        f"{count} POSTs whose clients leave at once",
        f"at most {most} at work, nobody waiting afterwards, {begun} turns ever begun; "
        f"somebody else: {answered.status_code}",
    )
    assert answered.status_code == 200
    assert most <= 32


async def test_one_person_who_asks_all_the_time_is_slowed_down(system: System, attack: Told) -> None:
    async with People(system, "127.0.0.6") as people:
        somebody, other = await people.person(), await people.person()
        answered = [await people.ask(somebody, "Hallo") for _ in range(30)]
        counted = Counter(each.status_code for each in answered)
        else_ = await people.ask(other, "Hallo")
    attack("30 turns as quickly as possible", f"{dict(counted)}; somebody else: {else_.status_code}")
    assert counted[200] <= 2 * 20 and counted[429] >= 1 and set(counted) == {200, 429}
    assert all(refused_well(each) for each in answered if each.status_code == 429)
    assert else_.status_code == 200


async def test_thousands_of_listeners_get_the_places_of_one_address(
    system: System, attack: Told, scale: int
) -> None:
    count = 150 * scale
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"notifications": {"toolsListChanged": True}, "_meta": meta}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}
    headers = {
        "Accept": "application/json, text/event-stream",
        "Mcp-Protocol-Version": "2026-07-28",
        "Mcp-Method": "subscriptions/listen",
    }

    async def listen(people: People, person: dict[str, str], exits: AsyncExitStack) -> bool:
        request = people.http.stream("POST", "/mcp", json=asked, headers=headers | person)
        response = await exits.enter_async_context(request)
        return response.headers["content-type"].startswith("text/event-stream")

    async with (
        People(system, "127.0.0.7") as greedy,
        People(system, "127.0.0.8") as honest,
        AsyncExitStack() as exits,
    ):
        crowd = [await greedy.person() for _ in range(30)]
        open_ = [await listen(greedy, crowd[n % 30], exits) for n in range(count)]
        other = await listen(honest, await honest.person(), exits)
    attack(f"{count} listeners of one address", f"{sum(open_)} open; somebody else: {other}")
    assert sum(open_) == 64
    assert other


async def test_more_questions_than_the_machine_can_answer_are_refused_and_none_is_lost(
    system: System, attack: Told, scale: int
) -> None:
    """Each at an address of its own, so that nobody's share is used up: only the room at work is."""
    count = 100 * scale
    async with AsyncExitStack() as exits:
        people = [await exits.enter_async_context(People(system, f"127.0.2.{n + 1}")) for n in range(count)]
        persons = [await each.person() for each in people]
        pairs = zip(people, persons, strict=True)
        answered = await asyncio.gather(*(each.ask(person, QUESTION) for each, person in pairs))
    accepted = [each.json() for each in answered if each.status_code == 200]
    refused = [each for each in answered if each.status_code != 200]
    late = sum(step["status"] == "error" for each in accepted for step in each["steps"])
    attack(
        f"{count} questions about documents at once",
        f"{len(accepted)} answered, {late} of them too late, {len(refused)} × 429 at once, none lost",
    )
    assert len(accepted) >= 8
    assert all(map(refused_well, refused))
    assert late <= len(accepted) // 4
