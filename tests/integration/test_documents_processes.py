"""The index of documents between processes: workers that start at once, an ingest that is killed."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from contracts import subjects
from contracts.items import Document, Relevance
from contracts.messages import Outcome, ToolCalled, ToolResult
from forked import Fork, start_service
from servicekit.bus import Bus
from servicekit.settings import ServiceSettings

from tools_docs.corpus import SAMPLE
from tools_docs.gateways import Overview
from tools_docs.sqlite.reading import SqliteIndex

_PATIENCE_S = 180.0


def _environment(**values: str) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "DOCS_"))}
    return plain | {"NO_COLOR": "1"} | values


def _ingest(folder: Path, index: Path) -> list[str]:
    return [sys.executable, "-m", "ask.main", "docs", "ingest", str(folder), "--index", str(index)]


def _overview(index: Path) -> Overview | None:
    async def look() -> Overview:
        opened = SqliteIndex(index)
        try:
            return await opened.overview()
        finally:
            await opened.close()

    with contextlib.suppress(Exception):
        return asyncio.run(look())
    return None


def _write(folder: Path, number: int) -> None:
    folder.mkdir()
    for n in range(number):
        text = f"# Bericht {n}\n\n## Teil\n\nDer Igel Nummer {n} überquert die Strasse.\n\n## Ende\n\nGut so."
        (folder / f"{n:04}.md").write_text(text, encoding="utf-8")


def test_workers_that_start_at_once_make_one_sample(tmp_path: Path) -> None:
    index = tmp_path / "documents.sqlite"
    program = (
        "import asyncio, sys\n"
        "from tools_docs.indexes import Library\n"
        "async def main():\n"
        "    library = Library(sys.argv[1], connections=1)\n"
        "    await library.open()\n"
        "    print((await library.index.overview()).documents)\n"
        "    await library.close()\n"
        "asyncio.run(main())\n"
    )
    workers = [
        subprocess.Popen([sys.executable, "-c", program, str(index)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    said = [worker.communicate(timeout=_PATIENCE_S)[0].strip() for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 4
    assert len(set(said)) == 1 and int(said[0]) >= 60
    overview = _overview(index)
    assert overview is not None
    assert overview.sources == {SAMPLE: int(said[0])}


def _killed_ingest(folder: Path, index: Path) -> Overview:
    """What is there of an ingest that was killed when it had begun."""
    process = subprocess.Popen(_ingest(folder, index), env=_environment(), stdout=subprocess.DEVNULL)
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until and process.poll() is None:
        overview = _overview(index)
        if overview is not None and overview.documents:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    overview = _overview(index)
    assert overview is not None
    return overview


def test_an_ingest_that_is_killed_leaves_whole_documents_and_the_next_one_finishes(tmp_path: Path) -> None:
    folder, number = tmp_path / "akten", 150
    _write(folder, number)
    for n in range(10):
        index = tmp_path / f"documents-{n}.sqlite"
        overview = _killed_ingest(folder, index)
        if overview.documents < number:
            break
        # Killed too late, on a busy machine.
    assert 0 < overview.documents < number
    assert overview.passages == 2 * overview.documents
    done = subprocess.run(
        _ingest(folder, index),
        env=_environment(),
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=True,
    )
    assert (
        f"{number - overview.documents} Dokumente neu, 0 geändert, {overview.documents} unverändert"
        in done.stdout
    )
    after = _overview(index)
    assert after is not None
    assert (after.documents, after.passages) == (number, 2 * number)


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """An index of one document, and an ingest that has just begun to add 299 others."""
    folder, index = tmp_path / "akten", tmp_path / "documents.sqlite"
    _write(folder, 300)
    first = _ingest(folder / "0000.md", index)
    subprocess.run(first, env=_environment(), check=True, stdout=subprocess.DEVNULL)
    process = subprocess.Popen(_ingest(folder, index), env=_environment(), stdout=subprocess.DEVNULL)
    yield index, process
    process.kill()
    process.wait()


async def test_readers_see_whole_documents_while_an_ingest_writes(
    growing: tuple[Path, subprocess.Popen[bytes]],
) -> None:
    index, process = growing
    reader = SqliteIndex(index)
    seen = []
    try:
        while process.poll() is None:
            overview = await reader.overview()
            assert overview.passages == 2 * overview.documents
            seen.append(overview.documents)
            # Who looks all the time only takes the processor from who writes.
            await asyncio.sleep(0.01)
        overview = await reader.overview()
    finally:
        await reader.close()
    assert seen == sorted(seen)
    assert overview.documents == 300


# -- a running service ----------------------------------------------------------------------------


class Caller:
    """Calls tools over the bus, as the orchestrator does."""

    def __init__(self, nats_url: str) -> None:
        self.bus = Bus("orchestrator", ServiceSettings(nats_url=nats_url))
        self._results: dict[str, asyncio.Future[ToolResult]] = {}
        self._number = 0

    async def __aenter__(self) -> "Caller":
        await self.bus.connect()
        events = await self.bus.jetstream.subscribe(subjects.TOOL_RESULT, ordered_consumer=True)

        async def listen() -> None:
            async for message in events.messages:
                result = ToolResult.from_json(message.data)
                if waiting := self._results.get(result.request_id):
                    waiting.set_result(result)

        self._listening = asyncio.create_task(listen())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.cancel()
        await self.bus.broker.stop()

    async def call(self, capability: str, **args: Any) -> Outcome:
        self._number += 1
        request_id = f"r{self._number}"
        self._results[request_id] = asyncio.get_running_loop().create_future()
        await self.bus.publish(
            ToolCalled(
                request_id=request_id,
                session_id="s",
                deadline=datetime.now(UTC) + timedelta(seconds=30),
                step=0,
                capability=capability,
                args=args,
            )
        )
        async with asyncio.timeout(30):
            return (await self._results[request_id]).outcome


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "data" / "documents.sqlite"


@pytest.fixture
def service(nats_url: str, place: Path, tmp_path: Path) -> Iterator[list[Fork]]:
    """Two workers on one index, both ready."""
    log = tmp_path / "service.log"
    environment = _environment(NATS_URL=nats_url, DOCS_INDEX=str(place))
    with log.open("wb") as output:
        workers = [start_service("tools_docs.app", environment, output) for _ in range(2)]
    until = time.monotonic() + _PATIENCE_S
    while log.read_text(encoding="utf-8").count('"ready"') < len(workers) and time.monotonic() < until:
        time.sleep(0.05)
    yield workers
    for worker in workers:
        worker.terminate()
    ended = [worker.ended(20) for worker in workers]
    assert ended == [0, 0], log.read_text(encoding="utf-8")


async def test_the_running_service_finds_judges_and_answers_from_what_is_ingested(
    service: list[Fork], nats_url: str, place: Path, tmp_path: Path
) -> None:
    async with Caller(nats_url) as caller:
        question = "Bis wann müssen die Grundwasserschutzzonen bereinigt sein?"
        outcome = await caller.call("documents.retrieve", query=question, limit=5)
        documents = [item for item in outcome.items if isinstance(item, Document)]
        assert len(documents) == 5
        verdicts = await asyncio.gather(
            *(
                caller.call("documents.check", query=question, document=json.loads(document.to_json()))
                for document in documents
            )
        )
        judged = {item.id: item for verdict in verdicts for item in verdict.items}
        assert judged.keys() == {document.id for document in documents}
        assert all(isinstance(item, Relevance) and item.reason for item in judged.values())

        folder = tmp_path / "eigene"
        _write(folder, 3)
        await asyncio.to_thread(
            subprocess.run, _ingest(folder, place), env=_environment(), check=True, stdout=subprocess.DEVNULL
        )
        for _ in range(4):
            outcome = await caller.call("documents.retrieve", query="Wo überquert der Igel die Strasse?")
            found = [item for item in outcome.items if isinstance(item, Document)]
            assert {document.id for document in found} == {f"eigene/000{n}.md" for n in range(3)}
        assert (await caller.call("documents.retrieve", query=question)).items == ()
