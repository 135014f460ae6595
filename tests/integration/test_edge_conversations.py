"""Conversations that accounts keep, on a real Redis."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any, cast

import httpx
import pytest
from contracts import keys
from contracts.owners import owner_of
from redis.asyncio import Redis
from starlette.types import ASGIApp, Receive, Scope, Send

from edge import errors
from edge.admission import Admission
from edge.api_conversations import conversation_routes
from edge.chat import Chat
from edge.conversations import MAX_KEPT, Conversations
from edge.principals import LOCAL, SCOPE_KEY, Principal
from edge.sessions import Sessions
from edge.settings import EdgeSettings
from edge.web import application

DAY = timedelta(days=1)
ANNA = Principal("u-anna", "user", name="Anna")
BEAT = Principal("u-beat", "user", name="Beat")


class Forgetting:
    """A chat of which only sessions are deleted, and an admission that can be full."""

    def __init__(self) -> None:
        self.forgotten: list[str] = []
        self.is_full = False

    async def forget(self, session_id: str) -> None:
        self.forgotten.append(session_id)

    def check_redis(self) -> None:
        if self.is_full:
            raise errors.StoreFull()


class Web:
    """The routes, as whoever is `who` sees them."""

    def __init__(self, redis: Redis, max_bytes: int = 1_000_000, ttl: timedelta = DAY) -> None:
        self.who = ANNA
        self.around = Forgetting()
        kept = Conversations(redis, ttl, max_bytes)
        around = cast(Any, self.around)
        routes = conversation_routes(kept, cast(Chat, around), Sessions(b"k" * 32), cast(Admission, around))
        app = application([routes], EdgeSettings())
        self.http = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=self._as_somebody(app)), base_url="http://localhost"
        )

    def _as_somebody(self, app: ASGIApp) -> ASGIApp:
        async def asked(scope: Scope, receive: Receive, send: Send) -> None:
            scope[SCOPE_KEY] = self.who
            await app(scope, receive, send)

        return asked

    async def put(self, id: str, day: int = 1, **changes: Any) -> httpx.Response:
        body = {"title": f"Frage {id}", "at": f"2026-11-{day:02}T10:00:00Z", "content": "[1, 2]"} | changes
        return await self.http.put(f"/api/conversations/{id}", json=body)

    async def titles(self) -> list[str]:
        answer = await self.http.get("/api/conversations")
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "no-store"
        return [each["title"] for each in answer.json()["conversations"]]


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(redis_url) as client:
        yield client


async def test_what_was_put_is_listed_and_found_to_the_letter(redis: Redis) -> None:
    web = Web(redis)
    content = json.dumps({"exchanges": [{"ä": "\u2028", "n": 1.5}]})
    assert (await web.put("a", day=1, content=content)).status_code == 204
    assert (await web.put("b", day=2)).status_code == 204
    assert await web.titles() == ["Frage b", "Frage a"]
    found = (await web.http.get("/api/conversations/a")).json()
    assert found == {"id": "a", "title": "Frage a", "at": "2026-11-01T10:00:00Z", "content": content}
    await web.put("a", day=3, title="Weiter")
    assert await web.titles() == ["Weiter", "Frage b"]


async def test_what_is_deleted_is_gone_with_its_session(redis: Redis) -> None:
    web = Web(redis)
    await web.put("a")
    for _ in range(2):
        assert (await web.http.delete("/api/conversations/a")).status_code == 204
    answer = await web.http.get("/api/conversations/a")
    assert (answer.status_code, answer.json()["code"]) == (404, "conversation_not_found")
    assert await web.titles() == []
    [session, again] = web.around.forgotten
    assert session == again
    assert owner_of(session) == ANNA.owner


async def test_what_is_of_another_account_is_not_found(redis: Redis) -> None:
    web = Web(redis)
    await web.put("a")
    web.who = BEAT
    assert await web.titles() == []
    assert (await web.http.get("/api/conversations/a")).status_code == 404
    await web.put("a", title="Anders")
    await web.http.delete("/api/conversations/a")
    web.who = ANNA
    assert await web.titles() == ["Frage a"]


@pytest.mark.parametrize("who", [LOCAL, Principal("a-1", "anonymous"), Principal("k-1", "key")])
async def test_who_is_nobody_in_particular_keeps_nothing_here(redis: Redis, who: Principal) -> None:
    web = Web(redis)
    web.who = who
    for answer in (
        await web.put("a"),
        await web.http.get("/api/conversations"),
        await web.http.get("/api/conversations/a"),
        await web.http.delete("/api/conversations/a"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "account_required")
    assert await redis.keys("conversation*") == []


async def test_the_oldest_go_when_an_account_has_too_many_or_too_much(redis: Redis) -> None:
    web = Web(redis)
    for n in range(MAX_KEPT + 2):
        await web.put(f"{n}", at=f"2026-11-01T10:{n // 60:02}:{n % 60:02}Z")
    titles = await web.titles()
    assert (len(titles), titles[0], titles[-1]) == (MAX_KEPT, f"Frage {MAX_KEPT + 1}", "Frage 2")
    assert len(await redis.keys("conversation:*")) == MAX_KEPT
    small = Web(redis, max_bytes=2_500)
    small.who = BEAT
    for n in (1, 2, 3):
        await small.put(f"{n}", day=n, content="x" * 1_000)
    assert await small.titles() == ["Frage 3", "Frage 2"]


async def test_every_key_expires(redis: Redis) -> None:
    web = Web(redis)
    await web.put("a")
    [document] = await redis.keys("conversation:*")
    for key in (document, keys.conversations(ANNA.owner)):
        assert 0 < await redis.pttl(key) <= DAY / timedelta(milliseconds=1)
    # What has expired before its list is in no list.
    await redis.delete(document)
    assert await web.titles() == []


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"title": "x" * 121}, 422),
        ({"at": "gestern"}, 422),
        ({"at": "2026-11-01T10:00:00"}, 422),
        ({"content": {"exchanges": []}}, 422),
        ({"content": "x" * 500_001}, 422),
        ({"more": 1}, 422),
        ({"content": "x" * 1_100_000}, 413),
    ],
)
async def test_what_is_wrong_is_refused_and_loses_nothing(
    redis: Redis, changes: dict[str, Any], status: int
) -> None:
    web = Web(redis)
    await web.put("a")
    assert (await web.put("a", **changes)).status_code == status
    assert (await web.http.get("/api/conversations/a")).json()["content"] == "[1, 2]"


async def test_a_long_one_with_all_kinds_of_signs_is_taken(redis: Redis) -> None:
    web = Web(redis)
    content = json.dumps([[2600000.5, 1200000.5], {"q": '"'}] * 10_000)
    assert len(content) > 300_000
    assert (await web.put("a", content=content)).status_code == 204
    assert (await web.http.get("/api/conversations/a")).json()["content"] == content


async def test_what_no_session_can_be_called_is_not_found(redis: Redis) -> None:
    web = Web(redis)
    for answer in (
        await web.put("%20"),
        await web.http.get("/api/conversations/%00"),
        await web.http.delete(f"/api/conversations/{'x' * 200}"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "conversation_not_found")


async def test_a_full_store_takes_no_more(redis: Redis) -> None:
    web = Web(redis)
    web.around.is_full = True
    answer = await web.put("a")
    assert (answer.status_code, answer.json()["code"]) == (503, "store_full")
