"""Attacks by another user of the same machine, on what `ask up` has started."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest_asyncio

from ask.stack import Stack

from .conftest import Told


@pytest_asyncio.fixture
async def stack(tmp_path: Path) -> AsyncIterator[Stack]:
    async with Stack(tmp_path / "data", services=[]) as started:
        yield started


async def _said(url: str, *lines: str) -> str:
    """What a server answers to a client without any secret."""
    port = int(url.rpartition(":")[2].partition("/")[0])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write("".join(f"{line}\r\n" for line in lines).encode())
        async with asyncio.timeout(10):
            answer = await reader.readline()
            while answer.startswith(b"INFO "):
                answer = await reader.readline()
        return answer.decode().strip()
    finally:
        writer.close()
        await writer.wait_closed()


async def test_servers_answer_nobody_without_a_password(stack: Stack, attack: Told) -> None:
    nats = await _said(stack.nats_url, 'CONNECT {"verbose": false}', "SUB > 1", "PING")
    attack("listen to every subject of NATS", nats)
    redis = await _said(stack.redis_url, "KEYS *")
    attack("list the keys of Redis", redis)
    assert "Authorization Violation" in nats
    assert "NOAUTH" in redis


async def test_no_password_is_seen_by_others(stack: Stack, attack: Told) -> None:
    secrets = [url.split("@")[0].rpartition(":")[2] for url in (stack.nats_url, stack.redis_url)]
    pids = [process.pid for process in stack.processes.values() if process.pid is not None]
    arguments = [" ".join(psutil.Process(pid).cmdline()) for pid in pids]
    seen = [line for line in arguments if any(secret in line for secret in secrets)]
    attack("read passwords in the list of processes", f"{len(seen)} of {len(arguments)} processes")
    open_files = [
        str(path.relative_to(stack.data_dir))
        for path in (stack.data_dir, *stack.data_dir.rglob("*"))
        if path.is_file()
        and path.stat().st_mode & 0o077
        and any(secret.encode() in path.read_bytes() for secret in secrets)
    ]
    mode = stack.data_dir.stat().st_mode & 0o777
    attack("read passwords, questions and plans in the data folder", f"mode {mode:04o}, {open_files}")
    assert (seen, open_files, mode) == ([], [], 0o700)
