"""The page over a real connection: nothing between client and edge tidies up what was asked for."""

import asyncio
from pathlib import Path

import pytest

from .edge_harness import RunningEdge, running


async def ask(edge: RunningEdge, method: str, path: str, *headers: str) -> tuple[bytes, bytes]:
    """Head and body of the answer to a path that is sent as it is."""
    reader, writer = await asyncio.open_connection("127.0.0.1", edge.port)
    lines = (f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers, "", "")
    writer.write("\r\n".join(lines).encode())
    async with asyncio.timeout(30):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    return head, body


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("geheim")
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>Karte</title>")
    (folder / "assets" / "index-Ab12_-cd.js").write_text("let karte")
    (folder / "assets" / "index-Ab12_-cd.js.br").write_text("gepackt")
    return folder


async def test_the_client_is_served_beside_the_api(nats_url: str, redis_url: str, built: Path) -> None:
    async with running(nats_url, redis_url, client_dir=built) as edge:
        head, body = await ask(edge, "GET", "/")
        assert head.startswith(b"HTTP/1.1 200 ") and b"<title>Karte</title>" in body
        head, body = await ask(edge, "HEAD", "/")
        assert head.startswith(b"HTTP/1.1 200 ") and body == b""
        _, body = await ask(edge, "GET", "/assets/index-Ab12_-cd.js", "Accept-Encoding: gzip, br")
        assert body == b"gepackt"
        assert (await edge.http.get("/api/tools")).json() == {"tools": [], "examples": [], "models": []}
        assert (await edge.http.get("/docs")).status_code == 200
        for path in (
            "/../secret.txt",
            "/assets/../../secret.txt",
            "/assets/../index.html",
            "/assets/%2e%2e/%2e%2e/secret.txt",
            "/assets/..%2f..%2fsecret.txt",
            "/assets/..\\..\\secret.txt",
            "/assets/%00",
            f"/{built}/../secret.txt",
        ):
            head, body = await ask(edge, "GET", path)
            assert head.startswith((b"HTTP/1.1 404 ", b"HTTP/1.1 400 ")), path
            assert b"geheim" not in body and b"Karte" not in body, path
