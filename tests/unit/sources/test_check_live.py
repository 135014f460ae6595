"""The check of the live sources, on servers of this machine."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from check_live import Row, rows
from misbehaving import refused
from recorded.environment import environment
from recorded.server import RecordedServer, in_background
from starlette.responses import HTMLResponse

from tools_geo import sources as geo
from tools_geo.settings import Settings as GeoSettings

SUPPORT = Path(__file__).parents[2] / "support"


@pytest.fixture
def server() -> Iterator[RecordedServer]:
    with in_background() as started:
        yield started


@dataclass(frozen=True)
class Ended:
    code: int
    out: str


def checked(url: str) -> Ended:
    """The program as `make` starts it."""
    variables = {**os.environ, **environment(url), "PYTHONPATH": str(SUPPORT)}
    command = [sys.executable, "-m", "check_live"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return Ended(done.returncode, done.stdout)


async def rows_of(url: str, monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    for name, value in environment(url).items():
        monkeypatch.setenv(name, value)
    return await rows()


async def test_every_source_is_asked_and_answers(
    server: RecordedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = await rows_of(server.url, monkeypatch)
    assert {row.host for row in found} == {urlsplit(server.url).netloc}
    assert [row.result for row in found] == ["ok"] * len(found)
    assert all(row.first and "<" not in row.first for row in found)
    for name, value in environment(server.url).items():
        if value.startswith(server.url):
            assert server.asked(urlsplit(value).path), name


async def test_a_source_that_fails_is_told_from_the_others(
    server: RecordedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.options.instead = {"/height": HTMLResponse("<p>Wartung")}
    found = await rows_of(server.url, monkeypatch)
    assert {row.name: row.result for row in found if not row.is_ok} == {"Höhe": "unlesbar"}


async def test_a_source_that_finds_nothing_has_failed(
    server: RecordedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    vocabulary, samples = geo.names_of(GeoSettings())
    nowhere = replace(samples, address="Nirgendstrasse 7, Solothurn")
    monkeypatch.setattr(geo, "names_of", lambda _: (vocabulary, nowhere))
    found = await rows_of(server.url, monkeypatch)
    assert {row.name: row.result for row in found if not row.is_ok} == {"Adressen": "kein Treffer"}


def test_the_program_prints_a_table_and_succeeds(server: RecordedServer) -> None:
    ended = checked(server.url)
    assert ended.code == 0
    assert "Solothurn (Gemeinde)" in ended.out and "ÖREB-Auszug für CH955832730623" in ended.out


def test_without_internet_it_says_so_and_fails() -> None:
    with refused() as url:
        ended = checked(url)
    assert ended.code == 1
    assert ended.out.count("nicht erreichbar") == ended.out.count(urlsplit(url).netloc) > 10
