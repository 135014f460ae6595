"""Who asks: anonymous cookies and tokens, API keys, and what an edge does without any of them."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from .edge_harness import RunningEdge, problem, running, staged
from .identity_harness import OTHER_SECRET, SECRET, asking, bearer, browser, made_key, token_of, write_keys


@pytest.fixture
async def edge(nats_url: str, redis_url: str) -> AsyncIterator[RunningEdge]:
    """Anonymous, with an orchestrator."""
    async with staged(nats_url, redis_url, auth="anonymous", edge_secret=SECRET) as (edge, _):
        yield edge


async def test_with_nobody_asked_everybody_is_the_same(nats_url: str, redis_url: str) -> None:
    async with running(nats_url, redis_url) as edge:
        told = await edge.http.get("/api/me", headers=bearer("whatever"))
        assert told.json() == {
            "auth": ["none"],
            "kind": "local",
            "name": None,
            "signIn": None,
            "signOut": None,
        }
        assert "set-cookie" not in told.headers
        assert (await edge.http.get("/metrics")).status_code == 200
        assert problem(await edge.http.post("/api/session"))["code"] == "not_found"


async def test_a_browser_becomes_somebody_and_stays_the_same(edge: RunningEdge) -> None:
    first = await edge.http.get("/api/me")
    assert first.json()["kind"] == "anonymous" and first.json()["auth"] == ["anonymous"]
    cookie = first.headers["set-cookie"]
    assert cookie.startswith("ask=") and "HttpOnly" in cookie and "SameSite=Lax" in cookie
    assert "Path=/" in cookie and "Max-Age=172800" in cookie and "Secure" not in cookie
    asked = await edge.say("hallo")
    assert asked.status_code == 200 and "set-cookie" not in asked.headers
    assert (await edge.http.get(f"/api/chat/{asked.json()['requestId']}")).status_code == 200


async def test_a_chat_without_credentials_is_answered_and_brings_a_cookie(edge: RunningEdge) -> None:
    asked = await edge.say("hallo")
    assert asked.status_code == 200 and asked.headers["set-cookie"].startswith("ask=")
    async with browser(edge) as other:
        found = await other.get(f"/api/chat/{asked.json()['requestId']}")
    assert problem(found)["code"] == "turn_not_found"


async def test_an_api_client_takes_a_token(edge: RunningEdge) -> None:
    token = await token_of(edge)
    async with browser(edge) as http:
        body = {"sessionId": "s", "userMessage": "hallo"}
        asked = await http.post("/api/chat", json=body, headers=bearer(token))
        assert asked.status_code == 200 and "set-cookie" not in asked.headers
        again = await http.get(f"/api/chat/{asked.json()['requestId']}", headers=bearer(token))
        assert again.json() == asked.json()


@pytest.mark.parametrize("secret", [SECRET, OTHER_SECRET])
async def test_all_edges_with_the_same_secret_know_a_token(
    edge: RunningEdge, nats_url: str, redis_url: str, secret: str
) -> None:
    token = await token_of(edge)
    async with asking(nats_url, redis_url, "anonymous", edge_secret=secret) as other:
        answered = await other.http.get("/api/tools", headers=bearer(token))
    assert answered.status_code == (200 if secret == SECRET else 401)


async def test_with_tls_outside_the_cookie_is_bound_to_the_host(nats_url: str, redis_url: str) -> None:
    async with asking(nats_url, redis_url, "anonymous", public_url="https://ask.example.ch/") as edge:
        cookie = (await edge.http.get("/api/me")).headers["set-cookie"]
    assert cookie.startswith("__Host-ask=") and cookie.endswith("; Secure") and "Domain" not in cookie


async def test_a_cookie_that_gets_old_is_renewed_in_use(
    edge: RunningEdge, nats_url: str, redis_url: str
) -> None:
    async with asking(nats_url, redis_url, "anonymous", anonymous_ttl_s=86_000) as shorter:
        old = (await shorter.http.get("/api/me")).cookies["ask"]
    async with browser(edge, cookies={"ask": old}) as http:
        told = await http.get("/api/me")
        renewed = told.cookies["ask"]
        assert renewed != old
        assert "set-cookie" not in (await http.get("/api/me", headers={"cookie": f"ask={renewed}"})).headers


@pytest.mark.parametrize(
    "token", ["x", "ask_00000000_" + "a" * 43, "a.b", "a.b.c", "ä.ö".encode("latin-1").decode("latin-1")]
)
async def test_a_token_that_does_not_count_is_told(edge: RunningEdge, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}".encode("latin-1")}
    refused = await edge.http.get("/api/tools", headers=headers)  # type: ignore[arg-type]
    assert refused.status_code == 401
    assert problem(refused)["code"] == "invalid_token"
    assert refused.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    # Who one is can always be asked.
    assert (await edge.http.get("/api/me", headers=headers)).json()["kind"] is None  # type: ignore[arg-type]


async def test_credentials_for_somebody_else_are_passed_over(edge: RunningEdge) -> None:
    answered = await edge.http.get("/api/tools", headers={"Authorization": "Basic dTpw"})
    assert answered.status_code == 200


@pytest.mark.parametrize("path", ["/", "/config.json", "/healthz", "/readyz", "/docs", "/openapi.json"])
async def test_what_is_for_everybody_needs_nothing_and_brings_nothing(
    nats_url: str, redis_url: str, tmp_path: Path, path: str
) -> None:
    keys = tmp_path / "keys.json"
    write_keys(keys)
    async with asking(nats_url, redis_url, "keys", api_keys_file=keys) as edge:
        answered = await edge.http.get(path, headers=bearer("wrong"))
        assert answered.status_code == 200 and "set-cookie" not in answered.headers


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/chat"),
        ("POST", "/chat"),
        ("DELETE", "/api/chat"),
        ("GET", "/api/chat/req-0123456789abcdef"),
        ("GET", "/api/chat/req-0123456789abcdef/stream"),
        ("POST", "/api/chat/stream"),
        ("POST", "/api/ag-ui/map"),
        ("POST", "/api/identify"),
        ("GET", "/api/prints/" + "0" * 32),
        ("GET", "/api/layers/ch.so.wald"),
        ("GET", "/api/suggest"),
        ("POST", "/api/shares"),
        ("GET", "/api/shares/" + "0" * 16),
        ("GET", "/api/tools"),
        ("POST", "/mcp"),
        ("GET", "/api/whatever-comes"),
    ],
)
async def test_without_credentials_the_rest_is_closed(
    nats_url: str, redis_url: str, tmp_path: Path, method: str, path: str
) -> None:
    keys = tmp_path / "keys.json"
    write_keys(keys)
    async with asking(nats_url, redis_url, "keys", api_keys_file=keys) as edge:
        refused = await edge.http.request(method, path)
        assert refused.status_code == 401
        assert problem(refused)["code"] == "unauthenticated"
        assert refused.headers["www-authenticate"] == "Bearer"
        assert (await edge.http.get("/api/me")).json()["kind"] is None
        assert problem(await edge.http.post("/api/session"))["code"] == "unauthenticated"


async def test_a_key_may_what_its_scopes_say(nats_url: str, redis_url: str, tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    (chat, chat_text), (metrics, metrics_text) = made_key("bot", "chat"), made_key("prometheus", "metrics")
    write_keys(path, chat, metrics)
    async with staged(nats_url, redis_url, auth="keys,anonymous", edge_secret=SECRET, api_keys_file=path) as (
        edge,
        _,
    ):
        for text, expected in ((chat_text, (200, 403, 404)), (metrics_text, (403, 403, 200))):
            headers = bearer(text)
            answered = [
                await edge.say("hallo", headers=headers),
                await edge.http.get("/api/tools", headers=headers),
                await edge.http.get("/metrics", headers=headers),
            ]
            assert tuple(each.status_code for each in answered) == expected
            assert all(problem(each)["code"] == "forbidden" for each in answered if each.status_code == 403)
        told = (await edge.http.get("/api/me", headers=bearer(chat_text))).json()
        assert (told["kind"], told["name"]) == ("key", "bot")
        assert (await edge.http.get("/metrics")).status_code == 404


async def test_keys_come_and_go_while_the_edge_runs(nats_url: str, redis_url: str, tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    (old, old_text), (new, new_text) = made_key("bot"), made_key("bot")
    write_keys(path, old)
    async with staged(nats_url, redis_url, auth="keys", edge_secret=SECRET, api_keys_file=path) as (edge, _):
        asked = await edge.say("hallo", headers=bearer(old_text))
        where = f"/api/chat/{asked.json()['requestId']}"
        write_keys(path, old, new)
        await _until(edge, where, new_text, 200)
        # Both count, and both are the same principal.
        assert (await edge.http.get(where, headers=bearer(old_text))).json() == asked.json()
        write_keys(path, new)
        await _until(edge, where, old_text, 401)
        assert (await edge.http.get(where, headers=bearer(new_text))).json() == asked.json()


async def test_an_expired_key_and_one_with_another_secret_do_not_count(
    nats_url: str, redis_url: str, tmp_path: Path
) -> None:
    path = tmp_path / "keys.json"
    expired, expired_text = made_key("old", expires_in=timedelta(seconds=-1))
    good, good_text = made_key("good", expires_in=None)
    write_keys(path, expired, good)
    async with asking(nats_url, redis_url, "keys", api_keys_file=path) as edge:
        assert (await edge.http.get("/api/tools", headers=bearer(good_text))).status_code == 200
        for text in (expired_text, good_text[:-1], good_text.replace(good.id, expired.id), good_text + "x"):
            assert (await edge.http.get("/api/tools", headers=bearer(text))).status_code == 401


async def test_the_page_of_another_server_changes_nothing(edge: RunningEdge) -> None:
    asked = await edge.say("hallo")
    assert asked.status_code == 200
    own = f"http://127.0.0.1:{edge.port}"
    for origin, expected in ((own, 200), ("https://evil.example", 403), ("null", 403), (own + "0", 403)):
        answered = await edge.say("hallo", headers={"Origin": origin})
        assert answered.status_code == expected, origin
    deleted = await edge.http.request(
        "DELETE", "/api/chat", json={"sessionId": "s-1"}, headers={"Origin": "https://evil.example"}
    )
    assert problem(deleted)["code"] == "origin_refused"
    # It can read nothing either: nobody tells its browser that it may.
    read = await edge.http.get("/api/tools", headers={"Origin": "https://evil.example"})
    assert not [name for name in read.headers if name.startswith("access-control")]


async def test_pages_of_allowed_origins_bring_a_token(nats_url: str, redis_url: str) -> None:
    origin = "https://app.example"
    async with asking(nats_url, redis_url, "anonymous", allowed_origins=origin) as edge:
        preflight = await edge.http.options(
            "/api/chat",
            headers={
                "Origin": origin,
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization",
            },
        )
        assert preflight.status_code == 200
        assert "Authorization" in preflight.headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in preflight.headers


async def _until(edge: RunningEdge, path: str, token: str, status: int) -> httpx.Response:
    """The file of the keys is looked at once a second."""
    for _ in range(60):
        await asyncio.sleep(0.1)
        answered = await edge.http.get(path, headers=bearer(token))
        if answered.status_code == status:
            return answered
    raise AssertionError(answered.status_code)
