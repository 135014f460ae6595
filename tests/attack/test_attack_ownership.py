"""Somebody who wants what belongs to somebody else, and made-up credentials: on a whole system.

What is not theirs looks exactly as what does not exist.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import re
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import httpx2
import oidc_provider
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from joserfc.jwk import RSAKey
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequestFormParams, ElicitResult
from oidc_provider import CLIENT_ID, OidcProvider

from ask.ports import Ports
from ask.stack import Stack
from edge.auth.derivation import Derivation
from edge.auth.tokens import Signer

pytestmark = pytest.mark.asyncio(loop_scope="module")

Told = Callable[[str, str], None]
SECRET, OTHER_SECRET = "the-secret-of-the-attacked-edges-of-32", "the-secret-of-other-edges-32-characters"
OEREB = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"
PLAN = "Mache mir einen Grundbuchplan des Grundstücks 198 in Messen."
NEVER = "req-0123456789abcdef"
_GONE = {"date", "content-length", "set-cookie"}


@dataclass(frozen=True)
class Target:
    stack: Stack
    provider: OidcProvider

    @asynccontextmanager
    async def somebody(self, token: str | None = None) -> AsyncIterator[httpx.AsyncClient]:
        """A client without a name, or with that token."""
        async with httpx.AsyncClient(base_url=self.stack.url, timeout=40) as http:
            if token is None:
                token = (await http.post("/api/session")).json()["token"]
            http.headers["Authorization"] = f"Bearer {token}"
            yield http

    @asynccontextmanager
    async def browser(self) -> AsyncIterator[httpx.AsyncClient]:
        async with httpx.AsyncClient(base_url=self.stack.url, timeout=40) as http:
            yield http


@pytest.fixture(scope="module")
def provider() -> Iterator[OidcProvider]:
    with oidc_provider.running() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def target(provider: OidcProvider, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Target]:
    port = Ports().take()
    url = f"http://127.0.0.1:{port}"
    provider.allow(url)
    environment = {
        "AUTH": "anonymous,keys,oidc",
        "PUBLIC_URL": url,
        "OIDC_ISSUER": provider.issuer,
        "OIDC_CLIENT_ID": CLIENT_ID,
    }
    folder: Path = tmp_path_factory.mktemp("ownership")
    async with Stack(folder / "data", port=port, edge_secret=SECRET, environment=environment) as stack:
        yield Target(stack, provider)


@dataclass(frozen=True)
class Belongings:
    """What A has, and how A asks for it."""

    http: httpx.AsyncClient
    session: str
    turn: str
    choice: str
    print_path: str


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def theirs(target: Target) -> AsyncIterator[Belongings]:
    async with target.somebody() as http:
        offered = (await say(http, "theirs", OEREB)).json()
        plan = (await say(http, "theirs", PLAN)).json()
        (path,) = re.findall(r"/api/prints/\w+", plan["steps"][0]["message"])
        choice = offered["steps"][0]["choices"][0]["id"]
        yield Belongings(http, "theirs", offered["requestId"], choice, path)


async def say(http: httpx.AsyncClient, session: str, message: str, **more: Any) -> httpx.Response:
    answered = await http.post("/api/chat", json={"sessionId": session, "userMessage": message}, **more)
    assert answered.status_code == 200, answered.text
    return answered


def seen(answered: httpx.Response, *own: str) -> tuple[Any, ...]:
    """All that a client can tell one answer from another by, without what it has asked for itself."""
    headers = sorted((k, v) for k, v in answered.headers.items() if k not in _GONE)
    text = json.dumps([answered.status_code, headers, answered.text])
    for name in own:
        text = text.replace(name, "…")
    return (text,)


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/api/chat/{turn}", {}),
        ("DELETE", "/api/chat/{turn}", {}),
        ("GET", "/api/chat/{turn}/stream", {}),
        ("GET", "/api/chat/{turn}/stream", {"Last-Event-ID": "1"}),
        ("GET", "/api/chat/{turn}/stream?after=0", {}),
    ],
)
async def test_a_turn_of_somebody_else_is_as_one_that_never_was(
    target: Target, theirs: Belongings, attack: Told, method: str, path: str, headers: dict[str, str]
) -> None:
    async with target.somebody() as http:
        refused = await http.request(method, path.format(turn=theirs.turn), headers=headers)
        unknown = await http.request(method, path.format(turn=NEVER), headers=headers)
    attack(f"{method} {path} of another principal {headers or ''}", str(refused.status_code))
    assert refused.status_code == 404 and refused.json()["code"] == "turn_not_found"
    assert seen(refused, theirs.turn) == seen(unknown, NEVER)
    assert (await theirs.http.get(f"/api/chat/{theirs.turn}")).status_code == 200


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_a_print_of_somebody_else_is_as_one_that_never_was(
    target: Target, theirs: Belongings, attack: Told, method: str
) -> None:
    never = f"/api/prints/{'0' * 32}"
    async with target.somebody() as http, target.browser() as nobody:
        refused = await http.request(method, theirs.print_path)
        unknown = await http.request(method, never)
        assert (await nobody.request(method, theirs.print_path)).status_code == 404
    attack(f"{method} the print of another principal", str(refused.status_code))
    assert refused.status_code == 404
    assert seen(refused, theirs.print_path) == seen(unknown, never)
    assert (await theirs.http.get(theirs.print_path)).content.startswith(b"%PDF-")


async def test_a_running_turn_of_somebody_else_is_neither_stopped_nor_heard(
    target: Target, attack: Told
) -> None:
    async with target.somebody() as owner, target.somebody() as thief:
        target.stack.kill("tools-oereb", signal.SIGSTOP)
        try:
            body = {"sessionId": "running", "userMessage": OEREB}
            async with owner.stream("POST", "/api/chat/stream", json=body) as stream:
                turn = stream.headers["ask-request-id"]
                running = await owner.get(f"/api/chat/{turn}")
                assert running.status_code == 202 and "running" not in json.dumps(running.json()["steps"])
                assert "sessionId" not in running.text
                stopped = await thief.delete(f"/api/chat/{turn}")
                heard = await thief.get(f"/api/chat/{turn}/stream")
                target.stack.kill("tools-oereb", signal.SIGCONT)
                told = (await stream.aread()).decode()
        finally:
            target.stack.kill("tools-oereb", signal.SIGCONT)
    attack("stop or hear a running turn of another principal", f"{stopped.status_code}, {heard.status_code}")
    assert (stopped.status_code, heard.status_code) == (404, 404)
    assert '"needs_user_choice"' in told and '"cancelled"' not in told


async def test_a_choice_of_somebody_else_is_an_unknown_one(
    target: Target, theirs: Belongings, attack: Told
) -> None:
    never = theirs.choice.replace(theirs.turn, NEVER)
    async with target.somebody() as http:
        for path in ("/api/chat", "/api/chat/stream"):
            found = []
            for choice in (theirs.choice, never):
                answered = await http.post(path, json={"sessionId": theirs.session, "choiceId": choice})
                request_id = answered.headers["ask-request-id"]
                assert theirs.turn not in answered.text and "EGRID" not in answered.text
                times = r'"(at|id)":"[^"]*"'
                found.append(re.sub(times, "", answered.text.replace(request_id, "…")))
            attack(f"{path} with the choice of another principal", "as an unknown one")
            assert found[0] == found[1]
        interrupt = theirs.choice.rpartition(".")[0]
        answer = {"interruptId": interrupt, "status": "resolved", "payload": {"choiceId": theirs.choice}}
        run = {"threadId": theirs.session, "runId": "r", "messages": [], "resume": [answer]}
        told = await http.post("/api/ag-ui/map", json=run)
        attack("AG-UI resume with the choice of another principal", str(told.status_code))
        assert "EGRID" not in told.text and theirs.turn not in told.headers["ask-request-id"]
    # It is still open for A.
    chosen = await theirs.http.get(f"/api/chat/{theirs.turn}")
    assert chosen.json()["overallStatus"] == "needs_user_choice"


async def test_the_name_of_a_session_opens_nothing(target: Target, theirs: Belongings, attack: Told) -> None:
    async with target.somebody() as http:
        spoken = (await say(http, theirs.session, "die zweite")).json()
        attack("«die zweite» in the session of another principal", spoken["overallStatus"])
        assert "EGRID" not in json.dumps(spoken)
        first = await say(http, theirs.session, "Wechsle zum Luftbild", headers={"Idempotency-Key": "k"})
        same = await say(theirs.http, "keyed", "Wechsle zum Luftbild", headers={"Idempotency-Key": "k"})
        stolen = await say(http, "keyed", "Wechsle zum Luftbild", headers={"Idempotency-Key": "k"})
        ids = {each.json()["requestId"] for each in (first, same, stolen)}
        attack("the Idempotency-Key of another principal", "a turn of one's own")
        assert len(ids) == 3
        run = {"runId": "r-1", "threadId": "keyed", "messages": [said("Leere die Karte")]}
        own = await theirs.http.post("/api/ag-ui/map", json=run)
        other = await http.post("/api/ag-ui/map", json=run)
        attack("thread and run of another principal", "a run of one's own")
        assert own.headers["ask-request-id"] != other.headers["ask-request-id"]
        deleted = await http.request("DELETE", "/api/chat", json={"sessionId": theirs.session})
        attack("delete the session of another principal", f"{deleted.status_code}, nothing of it is gone")
        assert deleted.status_code == 204
    assert (await theirs.http.get(f"/api/chat/{theirs.turn}")).status_code == 200


def said(message: str) -> dict[str, str]:
    return {"id": "m-1", "role": "user", "content": message}


async def test_what_mcp_clients_carry_is_sealed_for_them(target: Target, attack: Told) -> None:
    async with target.somebody() as one, target.somebody() as two:
        tokens = [str(http.headers["Authorization"]) for http in (one, two)]
    for order, expected in (([0, 0], True), ([0, 1], False)):
        senders = Senders([tokens[n] for n in order])
        async with httpx2.AsyncClient(transport=senders, timeout=40) as http:
            transport = streamable_http_client(f"{target.stack.url}/mcp", http_client=http)
            async with Client(transport, mode="auto", elicitation_callback=second, cache=None) as client:
                senders.calls = 0
                if expected:
                    result = await client.call_tool("ask", {"message": OEREB})
                    assert not result.is_error and "EGRID" in str(result.structured_content)
                else:
                    with pytest.raises(MCPError, match="requestState"):
                        await client.call_tool("ask", {"message": OEREB})
    attack("the MCP state of another principal", "Invalid or expired requestState")


async def test_a_conversation_over_mcp_belongs_to_whoever_began_it(
    target: Target, theirs: Belongings, attack: Told
) -> None:
    async with target.somebody() as http:
        sender = Senders([str(http.headers["Authorization"])])
        async with httpx2.AsyncClient(transport=sender, timeout=40) as raw:
            transport = streamable_http_client(f"{target.stack.url}/mcp", http_client=raw)
            async with Client(transport, mode="auto", cache=None) as client:
                result = await client.call_tool("ask", {"message": "die zweite", "sessionId": theirs.session})
    attack("MCP ask with the sessionId of another principal", "a session of one's own")
    assert "EGRID" not in str(result.structured_content)


class Senders(httpx2.AsyncHTTPTransport):
    """Calls of tools come with one token after the other; the last one stays."""

    def __init__(self, tokens: list[str]) -> None:
        super().__init__()
        self._tokens = tokens
        self.calls = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        is_call = b'"tools/call"' in request.content if request.method == "POST" else False
        request.headers["Authorization"] = self._tokens[min(self.calls, len(self._tokens) - 1)]
        self.calls += is_call
        return await super().handle_async_request(request)


async def second(context: object, params: Any) -> ElicitResult:
    assert isinstance(params, ElicitRequestFormParams)
    options = params.requested_schema["properties"]["choice"]["oneOf"]
    return ElicitResult(action="accept", content={"choice": options[1]["const"]})


def encoded(part: object) -> str:
    raw = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def by_hand(provider: OidcProvider, header: dict[str, Any], sign: Callable[[bytes], bytes]) -> str:
    """A token that no library makes."""
    now = int(time.time())
    claims = {"iss": provider.issuer, "aud": CLIENT_ID, "sub": "anna", "iat": now, "exp": now + 600}
    head = f"{encoded(header)}.{encoded(claims)}"
    return f"{head}.{encoded(sign(head.encode()))}"


def forgeries(provider: OidcProvider) -> Iterator[tuple[str, str]]:
    """What an attacker sends as a token, and what the attack is called."""
    key, kid, now = RSAKey.generate_key(2048), provider.keys[0].kid, int(time.time())
    public = provider.keys[0].as_pem(private=False)
    good = provider.token()
    head, body, signature = good.split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    for alg in ("none", "None", "NONE", "nOnE"):
        yield f"alg {alg}", by_hand(provider, {"alg": alg, "kid": kid}, lambda _: b"")
    for name, secret in (("public key", public), ("empty key", b""), ("client id", CLIENT_ID.encode())):
        yield (
            f"HS256 with the {name}",
            by_hand(
                provider,
                {"alg": "HS256", "kid": kid},
                lambda text, secret=secret: hmac.digest(secret, text, hashlib.sha256),  # type: ignore[misc]
            ),
        )
    with_key = {"alg": "RS256", "kid": kid, "jwk": key.as_dict(private=False)}
    with_address = {"alg": "RS256", "kid": "x", "jku": "http://127.0.0.1:1/jwks"}
    disguised = RSAKey.import_key({**key.as_dict(private=True), "kid": str(kid)})
    yield "own key under a known name", provider.token(key=disguised)
    yield "own key in the header (jwk)", by_hand(provider, with_key, own(key))
    yield "own key by address (jku)", by_hand(provider, with_address, own(key))
    for odd in ("../../etc/passwd", "' OR 1=1", "", 7, None, ["x"], {"a": 1}):
        yield f"kid {odd!r}", by_hand(provider, {"alg": "RS256", "kid": odd}, own(key))
    yield "unknown critical header", by_hand(provider, {"alg": "RS256", "kid": kid, "crit": ["x"]}, own(key))
    yield "other claims under a signature", f"{head}.{encoded(claims | {'sub': 'beat'})}.{signature}"
    yield "no signature", f"{head}.{body}."
    yield "expired", provider.token(exp=now - 60)
    yield "not yet", provider.token(nbf=now + 600)
    yield "for another audience", provider.token(aud="another")
    yield "for no audience", provider.token(aud=None)
    yield "of another issuer", provider.token(iss="https://evil.example")
    yield "of this issuer with a slash", provider.token(iss=f"{provider.issuer}/")
    yield "for ever", provider.token(exp=None)
    yield "of nobody", provider.token(sub=None)
    yield "JSON that is none", f"{encoded(b'{')}.{body}.{signature}"
    nested = b'{"alg":"RS256","x":' + b"[" * 4_900
    digits = b'{"alg":' + b"1" * 4_900 + b"}"
    for name, odd_header in (("nested", b"[" * 5_000), ("nested inside", nested), ("a long number", digits)):
        yield f"a header that is {name}", f"{encoded(odd_header)}.{body}.{signature}"
    yield "a header of 7 KB", by_hand(provider, {"alg": "RS256", "kid": "x" * 5_000}, own(key))
    anonymous = Signer(Derivation(OTHER_SECRET.encode()).key("anonymous"))
    yield "an anonymous token of another edge", anonymous.sign({"owner": "anonymous-0"}, 600)[0]
    expired = Signer(Derivation(SECRET.encode()).key("anonymous"), lambda: time.time() - 1_000)
    yield "an expired anonymous token", expired.sign({"owner": "anonymous-0"}, 600)[0]
    for label in ("sign-in", "oidc-state", "sessions", "owners", "mcp-state"):
        for_else = Signer(Derivation(SECRET.encode()).key(label))
        yield f"a token signed for {label}", for_else.sign({"owner": "anonymous-0"}, 600)[0]
    yield "a key of another edge", f"ask_0123abcd_{'a' * 43}"
    yield "a key with a wildcard", "ask_*_*"


def own(key: RSAKey) -> Callable[[bytes], bytes]:
    """Signs with a key of the attacker."""
    private: Any = key.private_key
    return lambda text: bytes(private.sign(text, PKCS1v15(), SHA256()))


async def test_forged_tokens_are_worth_nothing(target: Target, attack: Told) -> None:
    async with target.browser() as http:
        good = await http.get("/api/tools", headers={"Authorization": f"Bearer {target.provider.token()}"})
        assert good.status_code == 200
        for name, token in forgeries(target.provider):
            refused = await http.get("/api/tools", headers={"Authorization": f"Bearer {token}"})
            attack(f"token: {name}", str(refused.status_code))
            assert (refused.status_code, refused.json()["code"]) == (401, "invalid_token"), name
            assert "set-cookie" not in refused.headers


async def test_tampered_cookies_are_as_good_as_none(target: Target, attack: Told) -> None:
    async with target.browser() as victim:
        turn = (await say(victim, "s", "Wechsle zum Luftbild")).json()["requestId"]
        cookie = victim.cookies["ask"]
    payload, _, signature = cookie.partition(".")
    facts = json.loads(base64.urlsafe_b64decode(payload + "=="))
    user = Signer(Derivation(OTHER_SECRET.encode()).key("sign-in")).sign({"owner": facts["owner"]}, 600)[0]
    tampered = {
        "longer life": f"{encoded(facts | {'exp': facts['exp'] + 9_999})}.{signature}",
        "no signature": f"{payload}.",
        "signature in other letters": f"{payload}.{signature}=",
        "a piece more": f"{cookie}.x",
        "signed by another edge": user,
        "only the owner": facts["owner"],
        "too long": "x" * 9_000,
        "JSON": json.dumps(facts).replace(" ", "").replace(",", "%2C"),
    }
    for name, value in tampered.items():
        async with target.browser() as http:
            refused = await http.get(f"/api/chat/{turn}", headers={"Cookie": f"ask={value}"})
            attack(f"cookie: {name}", str(refused.status_code))
            assert refused.status_code == 404, name
            # There is a new one, for somebody new.
            fresh, _, _ = refused.cookies["ask"].partition(".")
            assert facts["owner"] not in base64.urlsafe_b64decode(f"{fresh}==").decode()


async def sign_in(http: httpx.AsyncClient, user: str, next_path: str = "/") -> str:
    """To the provider and a button there; where it sends the browser."""
    begun = await http.get("/auth/login", params={"next": next_path})
    pressed = await http.post(begun.headers["location"], data={"user": user})
    return str(pressed.headers["location"])


async def test_nobody_is_signed_in_as_somebody_else(target: Target, attack: Told) -> None:
    async with target.browser() as attacker, target.browser() as victim:
        link = await sign_in(attacker, "beat")
        redeemed = target.provider.asked["/token"]
        caught = await victim.get(link)
        attack("login CSRF: the link of an attacker in a browser", str(caught.status_code))
        assert caught.status_code == 400
        # Also when that browser is about to sign in itself.
        await victim.get("/auth/login")
        assert (await victim.get(link)).status_code == 400
        assert target.provider.asked["/token"] == redeemed
        assert (await victim.get("/api/me")).json()["kind"] == "anonymous"

        own_link = await sign_in(victim, "anna")
        asked = parse_qs(urlsplit(own_link).query)
        stolen = parse_qs(urlsplit(link).query)["code"]
        mixed = f"/auth/callback?{urlencode({'code': stolen[0], 'state': asked['state'][0]})}"
        assert (await victim.get(mixed)).status_code == 400
        attack("the code of an attacker with the state of a browser", "400")

        own_link = await sign_in(victim, "anna")
        assert (await victim.get(own_link)).status_code == 303
        assert (await victim.get("/api/me")).json()["name"] == "Anna Muster"
        async with target.browser() as thief:
            assert (await thief.get(own_link)).status_code == 400
        assert (await victim.get(own_link)).status_code == 400
        attack("a link of a sign-in once more", "400")
        assert (await victim.get("/api/me")).json()["name"] == "Anna Muster"

        out = await victim.post("/auth/logout", headers={"Origin": "https://evil.example"})
        attack("sign-out by the page of another server", str(out.status_code))
        assert out.status_code == 403


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "\\/evil.example",
        "/\t/evil.example",
        "/%0d%0aLocation:https://evil.example\r\n",
        "javascript:alert(1)",
        "http:evil.example",
        " //evil.example",
        "/\u2028/evil.example",
    ],
)
async def test_a_sign_in_leads_nowhere_else(target: Target, attack: Told, wanted: str) -> None:
    async with target.browser() as http:
        ended = await http.get(await sign_in(http, "anna", wanted))
    attack(f"open redirect: next={wanted!r}", ended.headers["location"])
    assert ended.headers["location"] == "/"


@pytest.mark.parametrize(
    "path",
    ["/metrics%0a", "/mcp%0a", "/api/tools%0a", "//api/tools", "/API/tools", "/api%2Ftools", "/api/./tools"],
)
async def test_no_other_spelling_of_a_path_is_open(target: Target, attack: Told, path: str) -> None:
    url = httpx.URL(target.stack.url).copy_with(raw_path=path.encode())
    async with target.browser() as http:
        method = "POST" if "mcp" in path else "GET"
        refused = await http.request(method, url, headers={"Authorization": "Bearer wrong"})
    attack(f"{method} {path} with a wrong token", str(refused.status_code))
    assert refused.status_code in (401, 404)


async def test_who_has_no_scope_sees_no_metrics(target: Target, attack: Told) -> None:
    async with target.somebody() as http, target.somebody(target.provider.token()) as user:
        found = [(await each.get("/metrics")).status_code for each in (http, user)]
    attack("/metrics without the scope", str(found))
    assert found == [404, 404]


async def test_logs_and_answers_name_no_session(target: Target, attack: Told) -> None:
    name = "a-session-that-nobody-else-may-know"
    async with target.somebody() as http:
        asked = await say(http, name, "Wechsle zum Luftbild")
        stream = await http.get(f"/api/chat/{asked.json()['requestId']}/stream?after=0")
    await asyncio.sleep(0.2)
    logs = "".join(path.read_text(errors="replace") for path in target.stack.logs_dir.glob("*.log*"))
    attack("the name of a session in logs and answers", "nowhere")
    assert asked.json()["requestId"] in logs
    for where in (logs, stream.text, asked.text):
        assert name not in where and "sessionId" not in where.replace('"sessionId":null', "")
