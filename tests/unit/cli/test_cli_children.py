"""Processes forked from one that has loaded their modules."""

import asyncio
import itertools
import json
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from ask.children import Child, ForkServer, Program
from ask.guard import Guard

SHOW = """
import gc, json, os, sys
print(json.dumps({
    "argv": sys.argv,
    "name": __name__,
    "path": sys.path[0],
    "environment": dict(os.environ),
    "pid": os.getpid(),
    "group": os.getpgid(0),
    "input": sys.stdin.read(),
    "collects": gc.isenabled(),
    "files": len(os.listdir("/proc/self/fd")),
}))
print("an error", file=sys.stderr)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux only")


class Forks:
    """A fork server with programs that are written on the spot."""

    def __init__(self, folder: Path, guard: Guard) -> None:
        self.folder = folder
        self.log = folder / "log"
        self._numbers = itertools.count(1)
        (folder / "begins.py").write_text("import used")
        (folder / "used.py").write_text("import os\nloaded_in = os.getpid()")
        modules = ("no_such_module", "begins")
        self.server = ForkServer(modules, {"PYTHONPATH": str(folder), "STACK": "yes"}, guard)

    async def launch(self, code: str, *arguments: str, **environment: str) -> Child:
        script = self.folder / f"program-{next(self._numbers)}.py"
        script.write_text(code)
        return await self.run(sys.executable, str(script), *arguments, **environment)

    async def run(self, *argv: str, **environment: str) -> Child:
        async def ready() -> bool:
            return True

        return await self.server.launch(Program("program", argv, ready, environment), self.log)

    async def said(self, *wanted: str) -> str:
        """The log as soon as it has the words."""
        async with asyncio.timeout(60):
            while not (self.log.exists() and all(words in self.log.read_text() for words in wanted)):
                await asyncio.sleep(0.01)
        return self.log.read_text()

    def server_process(self) -> psutil.Process:
        assert self.server.pid is not None
        return psutil.Process(self.server.pid)


@pytest.fixture
async def forks(tmp_path: Path) -> AsyncIterator[Forks]:
    guard = Guard()
    made = Forks(tmp_path, guard)
    yield made
    await made.server.stop()
    guard.close()


async def code_of(child: Child) -> int:
    return await asyncio.wait_for(child.exited, 60)


async def test_a_program_is_what_it_would_be_by_itself(forks: Forks) -> None:
    child = await forks.launch(SHOW, "one", "--two", OWN="mine")
    assert await code_of(child) == 0
    shown, error = (await forks.said("an error")).splitlines()
    seen = json.loads(shown)
    assert seen["argv"] == [str(forks.folder / "program-1.py"), "one", "--two"]
    assert (seen["name"], seen["path"]) == ("__main__", str(forks.folder))
    assert seen["pid"] == seen["group"] == child.pid
    assert seen["environment"]["OWN"] == "mine"
    assert "STACK" not in seen["environment"], "only what it was told"
    assert seen["input"] == ""
    assert seen["collects"] is True
    assert seen["files"] == 4, "the three of every program, and the folder that is listed"
    assert error == "an error"


async def test_it_has_what_was_loaded_before_and_what_is_run_is_run_anew(forks: Forks) -> None:
    shown = "print('begins' in sys.modules, 'used' in sys.modules)"
    code = f"import sys; {shown}; import used; print(used.loaded_in)"
    assert await code_of(await forks.launch(code)) == 0
    assert forks.log.read_text().split() == ["False", "True", str(forks.server.pid)]


async def test_a_module_is_run_with_its_arguments(forks: Forks) -> None:
    child = await forks.run(sys.executable, "-m", "json.tool", "--help")
    assert await code_of(child) == 0
    assert "usage:" in await forks.said("usage:")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import sys; sys.exit(3)", 3),
        ("import sys; sys.exit('this cannot work')", 1),
        ("raise ValueError('this cannot work')", 1),
        ("import atexit; atexit.register(print, 'this cannot work', flush=True); raise SystemExit(4)", 4),
        ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL),
        ("import signal, os; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    ],
)
async def test_its_end_is_told(forks: Forks, code: str, expected: int) -> None:
    assert await code_of(await forks.launch(code)) == expected
    if "cannot" in code:
        await forks.said("this cannot work")


async def test_many_end_at_once_and_each_end_is_told(forks: Forks) -> None:
    children = [await forks.launch("import time; time.sleep(60)") for _ in range(30)]
    for child in children:
        child.send(signal.SIGKILL)
    assert {await code_of(child) for child in children} == {-signal.SIGKILL}
    assert len({child.pid for child in children}) == 30


async def test_what_is_started_at_once_is_started_once_each(forks: Forks) -> None:
    # One write each: print may write the end of the line by itself, after another one's word.
    code = r"import os; os.write(1, b'hello\n')"
    children = await asyncio.gather(*(forks.launch(code) for _ in range(10)))
    assert [await code_of(child) for child in children] == [0] * 10
    assert forks.log.read_text() == "hello\n" * 10


async def test_a_program_that_is_not_python_is_launched_too(forks: Forks) -> None:
    child = await forks.run("/bin/sh", "-c", 'echo "$OWN"; exit 5', OWN="mine")
    assert await code_of(child) == 5
    assert forks.log.read_text() == "mine\n"
    with pytest.raises(OSError):
        await forks.run("/no/such/program")


async def test_when_the_server_dies_its_programs_end_and_the_next_start_has_another(forks: Forks) -> None:
    child = await forks.launch("import time; time.sleep(60)")
    process, server = psutil.Process(child.pid), forks.server_process()
    server.kill()
    assert await code_of(child) == -signal.SIGKILL
    assert await asyncio.to_thread(psutil.wait_procs, [process], 10) == ([process], [])
    assert await code_of(await forks.launch("import sys; sys.exit(7)")) == 7
    assert forks.server_process() != server


async def test_a_server_that_dies_while_it_is_asked_is_an_error(forks: Forks) -> None:
    await code_of(await forks.launch(""))
    forks.server_process().suspend()
    asked = asyncio.create_task(forks.launch(""))
    await asyncio.sleep(0.05)
    forks.server_process().kill()
    with pytest.raises(OSError):
        await asyncio.wait_for(asked, 10)


async def test_who_is_no_longer_wanted_when_it_starts_is_ended(forks: Forks) -> None:
    await code_of(await forks.launch(""))
    server = forks.server_process()
    server.suspend()
    asked = asyncio.create_task(forks.launch("import time; time.sleep(60)"))
    await asyncio.sleep(0.05)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    server.resume()
    assert await code_of(await forks.launch("import sys; sys.exit(6)")) == 6
    async with asyncio.timeout(60):
        while server.children():
            await asyncio.sleep(0.01)
