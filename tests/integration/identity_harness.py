"""Edges that ask who somebody is, and their clients."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from oidc_provider import CLIENT_ID, OidcProvider
from servicekit.apikeys import ApiKey, ApiKeys, Scope, new_key

from ask.ports import Ports

from .edge_harness import TRUSTING_NOBODY, RunningEdge, running

SECRET = "integration-secret-of-32-characters-or-more"
OTHER_SECRET = "another-secret-of-32-characters-or-more!"


def made_key(
    name: str, *scopes: Scope, expires_in: timedelta | None = timedelta(days=1)
) -> tuple[ApiKey, str]:
    now = datetime.now(UTC)
    return new_key(name, scopes or ("chat", "tools"), now, now + expires_in if expires_in else None)


def write_keys(path: Path, *keys: ApiKey) -> None:
    """As `ask keys` does it: nobody sees half of a file."""
    beside = path.with_suffix(".new")
    beside.write_bytes(ApiKeys(keys=keys).to_json())
    beside.replace(path)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def token_of(edge: RunningEdge) -> str:
    """Somebody new without a name."""
    answered = await edge.http.post("/api/session")
    assert answered.status_code == 201, answered.text
    return str(answered.json()["token"])


@asynccontextmanager
async def browser(edge: RunningEdge, **options: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A client with cookies of its own."""
    base_url = f"http://127.0.0.1:{edge.port}"
    async with httpx.AsyncClient(base_url=base_url, timeout=20, verify=TRUSTING_NOBODY, **options) as http:
        yield http


@asynccontextmanager
async def asking(nats_url: str, redis_url: str, auth: str, **settings: Any) -> AsyncIterator[RunningEdge]:
    """An edge with AUTH."""
    settings.setdefault("edge_secret", SECRET)
    async with running(nats_url, redis_url, auth=auth, **settings) as edge:
        yield edge


@asynccontextmanager
async def signing_in(
    nats_url: str, redis_url: str, provider: OidcProvider, auth: str = "oidc", **settings: Any
) -> AsyncIterator[RunningEdge]:
    """An edge that signs people in at a provider."""
    port = Ports().take()
    public_url = f"http://127.0.0.1:{port}"
    provider.allow(public_url)
    oidc = {"oidc_issuer": provider.issuer, "oidc_client_id": CLIENT_ID, "public_url": public_url}
    async with asking(nats_url, redis_url, auth, **(oidc | {"port": port} | settings)) as edge:
        yield edge


async def visit_provider(http: httpx.AsyncClient, user: str, next_path: str = "/") -> str:
    """Begin to sign in, and press a button of the provider; where it sends the browser then."""
    begun = await http.get("/auth/login", params={"next": next_path})
    assert begun.status_code == 303, begun.text
    page = await http.get(begun.headers["location"])
    assert page.status_code == 200 and "<button" in page.text, page.text
    pressed = await http.post(begun.headers["location"], data={"user": user})
    assert pressed.status_code == 302, pressed.text
    return str(pressed.headers["location"])


async def sign_in(http: httpx.AsyncClient, user: str, next_path: str = "/") -> httpx.Response:
    """All of it; the answer that sets the cookie."""
    return await http.get(await visit_provider(http, user, next_path))


def frames(text: str) -> list[dict[str, Any]]:
    """The data of all events of a stream."""
    lines = (line for line in text.splitlines() if line.startswith("data: "))
    return [json.loads(line.removeprefix("data: ")) for line in lines]
