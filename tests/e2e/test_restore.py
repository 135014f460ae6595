"""What docs/deploy.md says of backup and restore, rehearsed: copied while it runs, deleted, put back."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pages
import psycopg
import pytest
from cantons import SOLOTHURN
from postgres_servers import MISSING, installations
from postgres_servers import running as postgres

from .research import check_research
from .running import Conversation, System, action_types, layer_ids, option, running, until
from .shell import Shell
from .test_new_intents import check_pdf, link_in, only_step, plan_of

PAGE = pages.ROOT / "docs" / "deploy.md"
COMMANDS = "\n".join(block.text for block in pages.blocks(PAGE) if block.language == "sh")
DOCUMENT = """---
id: igelweg
title: Merkblatt zum Igelweg
date: 2024-05-06
---
Die Durchgänge für Igel in Zäunen müssen mindestens 13 Zentimeter hoch sein.
"""
QUESTION = "Suche Dokumente: Wie hoch müssen die Durchgänge für Igel in Zäunen sein?"


def command(pattern: str) -> str:
    """The one command of the page that matches."""
    (found,) = [line for line in COMMANDS.splitlines() if re.search(pattern, line)]
    return found


def run(line: str, folder: Path, **variables: str) -> None:
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, env=os.environ | variables, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, f"{line}: {done.stderr}"


def run_in(volume: Path, pattern: str, folder: Path) -> None:
    """A command of the page for what runs in a container: `volume` is its /data, `folder` is where we are."""
    prefix, inner = command(pattern).split(" -- ")
    assert prefix.startswith("kubectl -n ask exec ")
    line = inner.replace("/data", shlex.quote(str(volume)))
    done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, timeout=60)
    # GNU tar tells by 1 that a file grew, which the page allows.
    assert done.returncode == 0 or "file changed as we read it" in done.stderr, f"{line}: {done.stderr}"


def unpack(archive: Path, volume: Path) -> None:
    """As the page puts the files of Redis back, and says of the others that it is the same."""
    volume.mkdir(parents=True)
    line = command(r"tar .*-xz < redis\.tar\.gz").replace("redis.tar.gz", shlex.quote(str(archive)))
    run(line.split(" -- ")[1].replace("/data", shlex.quote(str(volume))), archive.parent)


@dataclass(frozen=True)
class Index:
    """Where documents are before, and where they will be after."""

    before: str
    after: str
    is_file: bool = False

    def copy(self, folder: Path) -> None:
        if self.is_file:
            line = command("VACUUM INTO").replace(".venv/bin/python", shlex.quote(sys.executable))
        else:
            line = command("^pg_dump")
        run(line, folder, DOCS_INDEX=self.before)

    def destroy(self) -> None:
        if self.is_file:
            Path(self.before).unlink()
            return
        with psycopg.connect(self.after, autocommit=True) as connection:
            connection.execute("DROP DATABASE before WITH (FORCE)")

    def restore(self, folder: Path) -> None:
        if self.is_file:
            shutil.copy(folder / "copy.sqlite", self.after)
        else:
            run(command("^pg_restore"), folder, DOCS_INDEX=self.after)


@pytest.fixture(params=["file", "postgres"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Index]:
    if request.param == "file":
        yield Index(str(tmp_path / "before.sqlite"), str(tmp_path / "after.sqlite"), is_file=True)
        return
    found = [binaries for binaries in installations() if (binaries / "pg_restore").exists()]
    if not found:
        pytest.skip(MISSING)
    with pytest.MonkeyPatch.context() as patch, postgres(found[0]) as url:
        # Those of the server: older ones refuse it.
        patch.setenv("PATH", f"{found[0]}{os.pathsep}{os.environ['PATH']}")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE before")
            connection.execute("CREATE DATABASE after")
        server = url.rpartition("/")[0]
        yield Index(f"{server}/before", f"{server}/after")


async def back_up(system: System, index: Index, copies: Path) -> None:
    data = system.stack.data_dir
    with system.frozen("nats-server"):  # all at one moment, like a snapshot
        run_in(data / "nats" / "store", r"jetstream > jetstream\.tar\.gz", copies)

    name, value = re.findall(r"config set (\S+) (\d+)'", command("config set .* 0'"))[0]
    await system.redis.config_set(name, value)
    field = re.findall(r"grep (\w+)$", command("info persistence"))[0]

    async def rewrites_nothing() -> bool:
        return int((await system.redis.info("persistence"))[field]) == 0

    await until(rewrites_nothing)
    run_in(data / "redis", r"appendonlydir > redis\.tar\.gz", copies)
    run_in(data / "prints", r"> prints\.tar\.gz", copies)
    index.copy(copies)


def restore(index: Index, copies: Path, data: Path) -> None:
    unpack(copies / "jetstream.tar.gz", data / "nats" / "store")
    unpack(copies / "redis.tar.gz", data / "redis")
    unpack(copies / "prints.tar.gz", data / "prints")
    index.restore(copies)


async def test_what_was_copied_while_it_ran_is_there_in_another_system(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies, first, second = tmp_path / "copies", tmp_path / "first", tmp_path / "second"
    copies.mkdir()
    (tmp_path / "igelweg.md").write_text(DOCUMENT, encoding="utf-8")
    monkeypatch.setenv("EMBEDDING_MODEL", "none")
    ingest = "docs", "ingest", str(tmp_path / "igelweg.md"), "--index", index.before
    ingested = await Shell(first, tmp_path).ask(*ingest)
    assert ingested.code == 0, ingested.err

    async with running(first, DOCS_INDEX=index.before) as system:
        talk, choosing = system.conversation(), system.conversation()
        loaded = await talk.say("Lade die Gewässerschutzkarte")
        link = link_in(only_step(await talk.say(plan_of(SOLOTHURN)), "cadastral_plan"))
        offered = await choosing.say("Mache einen ÖREB-Auszug für Parzelle 168 in Messen")
        plan = (await system.http.get(link)).content
        told = await system.events(loaded["requestId"])

        await back_up(system, index, copies)

        await system.ready()
        assert (await talk.say("Lade den Waldplan"))["overallStatus"] == "ok"
    shutil.rmtree(first)
    index.destroy()

    restore(index, copies, second / "data")
    async with running(second, DOCS_INDEX=index.after) as system:
        talk = Conversation(system.http, talk.session_id)
        choosing = Conversation(system.http, choosing.session_id)

        taken = await choosing.choose(option(offered, 0))
        assert (taken["requestId"], taken["overallStatus"]) == (offered["requestId"], "ok")
        assert action_types(taken["steps"][0])[-1] == "showOerebExtract"

        assert told and await system.events(loaded["requestId"]) == told
        fetched = await system.http.get(link)
        check_pdf(fetched)
        assert fetched.content == plan

        unknown = await talk.say("Entferne den Waldplan")
        assert unknown["overallStatus"] == "needs_clarification"
        removed = await talk.say("Entferne den Gewässerschutzlayer")
        step = only_step(removed, "remove_layer")
        assert [action["payload"]["id"] for action in step["mapActions"]] == layer_ids(loaded["steps"][0])

        (answered,) = (await talk.say(QUESTION))["steps"]
        assert {source["id"] for source in check_research(answered)["sources"]} == {"igelweg"}
        assert "13 Zentimeter" in answered["message"]
        assert (await system.js.stream_info("DEAD")).state.messages == 0
