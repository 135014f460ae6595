"""The system in containers. Needs a Docker engine with our images: `make test-deploy`."""

import asyncio
import time
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from docker_compose import Project

from ask.ports import Ports

_START_TIMEOUT_S = 180.0
_ANSWER_TIMEOUT_S = 120.0


SIZES = pytest.StashKey[dict[str, float]]()
"""Megabytes over the base, by image."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The sizes, for whoever reads along."""
    for name, size in config.stash.get(SIZES, {}).items():
        terminalreporter.write_line(f"{name:16} {size:5.0f} MB over the base")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure shows what the containers said last."""
    report = yield
    system = getattr(item, "funcargs", {}).get("system")
    if report.failed and isinstance(system, Running):
        report.sections.append(("containers", system.project.logs()))
    return report


class Running:
    """A started project, and how to talk to it."""

    def __init__(self, project: Project, http: httpx.AsyncClient) -> None:
        self.project = project
        self.http = http

    async def healthy(self) -> None:
        """Until every container with a health check says so."""
        async with asyncio.timeout(_START_TIMEOUT_S):
            while self.project.unhealthy():
                await asyncio.sleep(0.5)

    async def become_somebody(self) -> None:
        """The same visitor in every request: turns belong to who has asked."""
        answered = await self.http.post("/api/session")
        assert answered.status_code == 201, answered.text
        self.http.headers["Authorization"] = f"Bearer {answered.json()['token']}"

    async def say(self, session: str, key: str | None = None, **asked: str) -> httpx.Response:
        """The answer to a message; one that the edge could not take is sent again, under the same key."""
        headers = {"Idempotency-Key": key or str(uuid4())}
        async with asyncio.timeout(2 * _ANSWER_TIMEOUT_S):
            while True:
                try:
                    answered = await self.http.post(
                        "/api/chat", json={"sessionId": session, **asked}, headers=headers
                    )
                    if answered.status_code not in (429, 502, 503):
                        return answered
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.3)


def _remove(project: Project) -> None:
    """Again after a while: the engine lets go of a network some time after its last container has ended."""
    for pause_s in (1, 2, 4, 8):
        try:
            project("down", "--volumes", "--timeout", "1")
            return
        except AssertionError:
            time.sleep(pause_s)
    project("down", "--volumes", "--timeout", "1")


@contextmanager
def project(folder: Path, *files: str) -> Iterator[Project]:
    """Started; and gone with its volumes afterwards."""
    started = Project(f"ask-test-{uuid4().hex[:8]}", folder, Ports().take(), files)
    try:
        try:
            started("up", "-d")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{started.logs()}") from None
        yield started
    finally:
        _remove(started)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Running]:
    """The Compose files that the module names in FILES."""
    with project(tmp_path_factory.mktemp("compose"), *request.module.FILES) as started:
        async with httpx.AsyncClient(base_url=started.url, timeout=_ANSWER_TIMEOUT_S) as http:
            running = Running(started, http)
            try:
                await running.healthy()
            except TimeoutError:
                raise AssertionError(f"{started.unhealthy()}\n{started.logs()}") from None
            await running.become_somebody()
            yield running
