"""The client for TypeScript as it is published: installed in an empty folder, with its examples on a running
system."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.e2e.running import System, running

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "packages" / "client"
TIMEOUT_S = 120.0

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def run(*command: str, cwd: Path, **environment: str) -> tuple[int | None, str]:
    """The exit code, and all that was printed."""
    process = await asyncio.create_subprocess_exec(
        "env",
        *(f"{name}={value}" for name, value in environment.items()),
        *command,
        cwd=cwd,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            out, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode, out.decode()


async def done(*command: str, cwd: Path) -> str:
    code, out = await run(*command, cwd=cwd)
    assert code == 0, out
    return out


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    async with running(tmp_path_factory.mktemp("system")) as started:
        yield started


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is in the package, in a folder."""
    if shutil.which("npm") is None:
        pytest.fail("No Node.js: see nodejs.org", pytrace=False)
    folder = tmp_path_factory.mktemp("published")
    await done("npm", "pack", "--pack-destination", str(folder), cwd=PACKAGE)
    (archive,) = folder.glob("*.tgz")
    await done("tar", "-xf", str(archive), cwd=folder)
    return folder / "package"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def project(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples as a project of their own: with the package and what it depends on, and compiled."""
    folder = tmp_path_factory.mktemp("project")
    modules = folder / "node_modules"
    shutil.copytree(published, modules / "@ask-sogis" / "client")
    needed = json.loads((published / "package.json").read_text(encoding="utf-8"))["dependencies"]
    for name in (*needed, "@types/node", "undici-types"):
        shutil.copytree(ROOT / "node_modules" / name, modules / name)
    for source in (ROOT / "examples" / "typescript").glob("*.*"):
        shutil.copy(source, folder)
    await done("node", str(ROOT / "node_modules" / "typescript" / "bin" / "tsc"), cwd=folder)
    return folder


async def example(project: Path, name: str, url: str) -> tuple[int | None, list[str]]:
    code, out = await run("node", f"dist/{name}.mjs", cwd=project, ASK_URL=url)
    return code, out.splitlines()


def files(folder: Path, pattern: str) -> list[Path]:
    return [path for path in folder.rglob(pattern) if path.is_file()]


async def test_there_is_what_programs_need_and_nothing_else(published: Path) -> None:
    names = {path.relative_to(published).as_posix() for path in files(published, "*")}
    modules = {path.stem for path in files(PACKAGE / "src", "*.ts")}
    built = {f"dist/{module}.{kind}" for module in modules for kind in ("js", "d.ts")}
    assert names == {"package.json", "README.md", "LICENSE"} | built


async def test_a_conversation_is_led_to_its_end(project: Path, system: System) -> None:
    code, lines = await example(project, "conversation", system.stack.url)
    assert code == 0, lines
    assert [line.partition(" Messen")[0] for line in lines[:2]] == [
        "Choice: EGRID CH955832730623 – Grundstück 198",
        "Choice: EGRID CH710620327442 – Grundstück 531",
    ]
    actions = ("setView", "addMarker", "addLayer", "showOerebExtract")
    assert lines[2:6] == [f"For the map: {action}" for action in actions]
    assert lines[6:] == ["Asks: geolocation.geocode", "Adresse Langendorfstrasse 19b zentriert."]


async def test_a_question_is_answered_with_its_sources(project: Path, system: System) -> None:
    code, lines = await example(project, "documents", system.stack.url)
    assert code == 0, lines
    assert not lines[0].startswith("No answer")
    assert lines[-1].startswith("[") and "http" in lines[-1]


async def test_a_refusal_is_told_by_its_code(project: Path, system: System) -> None:
    code, (line,) = await example(project, "documents", f"{system.stack.url}/nowhere")
    assert (code, line.partition(":")[0]) == (1, "404 not_found")
