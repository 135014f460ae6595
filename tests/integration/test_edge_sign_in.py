"""Sign-in at an OpenID provider, and the tokens that it makes: with a real one on this machine."""

import asyncio
import threading
import time
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import oidc_provider
import pytest
from joserfc.jwk import RSAKey
from oidc_provider import OidcProvider

from edge.auth import provider as provider_module

from .edge_harness import orchestrating, problem
from .identity_harness import bearer, browser, sign_in, signing_in, visit_provider


@pytest.fixture
def provider() -> Iterator[OidcProvider]:
    with oidc_provider.running() as running:
        yield running


@pytest.fixture
def without_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider may be asked again at once."""
    monkeypatch.setattr(provider_module, "_REFETCH_PAUSE_S", 0.0)


async def test_who_signs_in_has_a_name_and_sessions(
    nats_url: str, redis_url: str, provider: OidcProvider
) -> None:
    async with (
        orchestrating(nats_url, redis_url),
        signing_in(nats_url, redis_url, provider, "anonymous,oidc") as edge,
        browser(edge) as anna,
        browser(edge) as beat,
        browser(edge) as elsewhere,
    ):
        assert (await anna.get("/api/me")).json()["signIn"] == "/auth/login"
        ended = await sign_in(anna, "anna", "/?q=Solothurn")
        assert (ended.status_code, ended.headers["location"]) == (303, "/?q=Solothurn")
        told = (await anna.get("/api/me")).json()
        assert told == {
            "auth": ["anonymous", "oidc"],
            "kind": "user",
            "name": "Anna Muster",
            "signIn": "/auth/login",
            "signOut": "/auth/logout",
        }
        body = {"sessionId": "s", "userMessage": "hallo"}
        asked = await anna.post("/api/chat", json=body)
        where = f"/api/chat/{asked.json()['requestId']}"
        await sign_in(beat, "beat")
        assert (await beat.get(where)).status_code == 404
        # The same person in another browser, or with a token.
        await sign_in(elsewhere, "anna")
        assert (await elsewhere.get(where)).json() == asked.json()
        async with browser(edge) as program:
            assert (await program.get(where, headers=bearer(provider.token("anna")))).status_code == 200
        left = await anna.post("/auth/logout")
        location = urlsplit(left.json()["location"])
        assert left.json()["location"].startswith(f"{provider.issuer}/end-session?")
        assert parse_qs(location.query)["post_logout_redirect_uri"] == [f"http://127.0.0.1:{edge.port}/"]
        assert (await anna.get("/api/me")).json()["kind"] == "anonymous"
        assert (await anna.get(where)).status_code == 404


async def test_a_confidential_client_shows_its_secret(nats_url: str, redis_url: str) -> None:
    with oidc_provider.running("the-secret") as provider:
        for secret, expected in (("the-secret", 303), ("another", 400)):
            async with (
                signing_in(nats_url, redis_url, provider, oidc_client_secret=secret) as edge,
                browser(edge) as http,
            ):
                assert (await sign_in(http, "anna")).status_code == expected


async def test_without_sign_in_the_api_is_closed(
    nats_url: str, redis_url: str, provider: OidcProvider
) -> None:
    async with signing_in(nats_url, redis_url, provider) as edge:
        assert problem(await edge.http.get("/api/tools"))["code"] == "unauthenticated"
        assert (await edge.http.get("/api/me")).json()["kind"] is None


async def test_who_goes_away_at_the_provider_is_told_so(
    nats_url: str, redis_url: str, provider: OidcProvider
) -> None:
    async with signing_in(nats_url, redis_url, provider) as edge, browser(edge) as http:
        where = await visit_provider(http, "")
        refused = await http.get(where, headers={"Accept": "text/html"})
        assert refused.status_code == 400 and "Die Anmeldung hat nicht geklappt" in refused.text
        assert "default-src 'none'" in refused.headers["content-security-policy"]
        assert (await http.get("/api/me")).json()["kind"] is None


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("/karte?x=1#y", "/karte?x=1#y"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("\\\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("/auth/login", "/"),
        ("/x\r\nSet-Cookie: a=b", "/"),
        ("", "/"),
    ],
)
async def test_after_the_sign_in_one_stays_here(
    nats_url: str, redis_url: str, provider: OidcProvider, wanted: str, expected: str
) -> None:
    async with signing_in(nats_url, redis_url, provider) as edge, browser(edge) as http:
        assert (await sign_in(http, "anna", wanted)).headers["location"] == expected


async def test_keys_are_fetched_once_and_again_when_a_token_has_a_new_one(
    nats_url: str, redis_url: str, provider: OidcProvider, without_pause: None
) -> None:
    async with signing_in(nats_url, redis_url, provider) as edge:
        for _ in range(5):
            assert await status_with(edge.http, provider.token()) == 200
        assert provider.asked["/jwks"] == 1
        before = provider.token()
        provider.rotate()
        assert await status_with(edge.http, provider.token()) == 200
        assert provider.asked["/jwks"] == 2
        assert await status_with(edge.http, before) == 401


async def test_made_up_keys_do_not_make_the_edge_ask_and_ask(
    nats_url: str, redis_url: str, provider: OidcProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_module, "_REFETCH_PAUSE_S", 1e9)
    key = RSAKey.generate_key(2048).as_dict(private=True)
    async with signing_in(nats_url, redis_url, provider) as edge:
        assert await status_with(edge.http, provider.token()) == 200
        for n in range(20):
            made_up = RSAKey.import_key({**key, "kid": f"made-up-{n}"})
            assert await status_with(edge.http, provider.token(key=made_up)) == 401
        assert provider.asked["/jwks"] == 1
        assert provider.asked["/.well-known/openid-configuration"] == 1


async def test_known_keys_count_while_the_provider_is_away(
    nats_url: str,
    redis_url: str,
    provider: OidcProvider,
    monkeypatch: pytest.MonkeyPatch,
    without_pause: None,
) -> None:
    async with signing_in(nats_url, redis_url, provider, outbound_max_retries=0) as edge:
        assert await status_with(edge.http, provider.token()) == 200
        provider.is_broken = True
        monkeypatch.setattr(provider_module, "_MAX_AGE_S", 0.0)
        assert await status_with(edge.http, provider.token()) == 200
        assert provider.asked["/.well-known/openid-configuration"] > 1


async def test_a_sign_in_goes_on_while_the_provider_is_asked_for_its_addresses(
    nats_url: str,
    redis_url: str,
    provider: OidcProvider,
    monkeypatch: pytest.MonkeyPatch,
    without_pause: None,
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def redeeming() -> None:
        begun.set()
        assert go_on.wait(30)

    provider.redeeming = redeeming
    monkeypatch.setattr(provider_module, "_MAX_AGE_S", 0.0)
    async with (
        signing_in(nats_url, redis_url, provider, outbound_read_timeout_s=30) as edge,
        browser(edge) as http,
    ):
        ending = asyncio.create_task(http.get(await visit_provider(http, "anna")))
        assert await asyncio.to_thread(begun.wait, 30)
        asked = provider.asked["/.well-known/openid-configuration"]
        assert await status_with(edge.http, provider.token()) == 200
        assert provider.asked["/.well-known/openid-configuration"] > asked
        go_on.set()
        assert (await ending).status_code == 303


async def test_a_provider_that_was_never_there_is_told(
    nats_url: str, redis_url: str, provider: OidcProvider
) -> None:
    provider.is_broken = True
    async with signing_in(nats_url, redis_url, provider, outbound_max_retries=0) as edge:
        refused = await edge.http.get("/api/tools", headers=bearer(provider.token()))
        assert refused.status_code == 503 and "retry-after" in refused.headers
        assert problem(refused)["code"] == "provider_unavailable"
        assert (await edge.http.get("/auth/login")).status_code == 503
        assert (await edge.http.get("/api/me")).status_code == 200
        assert (await edge.http.get("/readyz")).status_code == 200


async def test_only_tokens_for_this_audience_of_this_issuer_and_of_now_count(
    nats_url: str, redis_url: str, provider: OidcProvider
) -> None:
    now = int(time.time())
    async with signing_in(nats_url, redis_url, provider, oidc_audience="api://ask") as edge:
        good = {"aud": "api://ask"}
        for claims, expected in (
            (good, 200),
            (good | {"aud": ["other", "api://ask"]}, 200),
            ({}, 401),
            (good | {"iss": "http://127.0.0.1:1"}, 401),
            (good | {"iss": None}, 401),
            (good | {"exp": now - 60}, 401),
            (good | {"exp": None}, 401),
            (good | {"nbf": now + 300}, 401),
            (good | {"sub": None}, 401),
            (good | {"sub": 7}, 401),
        ):
            assert await status_with(edge.http, provider.token(**claims)) == expected, claims


@pytest.mark.parametrize("claim", ["nonce", "aud", "iss", "azp"])
async def test_the_id_token_has_to_be_for_this_sign_in(
    nats_url: str, redis_url: str, provider: OidcProvider, claim: str
) -> None:
    async with signing_in(nats_url, redis_url, provider) as edge, browser(edge) as http:
        # What the person is told about claims last wins in the token.
        provider.claims = {claim: "another"}
        assert (await sign_in(http, "anna")).status_code == 400
        assert (await http.get("/api/me")).json()["kind"] is None


async def status_with(http: httpx.AsyncClient, token: str) -> int:
    return (await http.get("/api/tools", headers=bearer(token))).status_code
