"""`ask` as a process of its own, see `forked`."""

import subprocess
from collections.abc import Mapping
from tempfile import TemporaryFile

import forked

LOADED = (
    *("ask.main", "ask.chat", "ask.deadview", "ask.declaring", "ask.docs", "ask.feedback", "ask.mcpbridge"),
    *("ask.top", "ask.turn"),
)
TIMEOUT_S = 60.0


def ask(
    *arguments: str,
    environment: Mapping[str, str],
    typed: str = "",
    loaded: tuple[str, ...] = LOADED,
    timeout_s: float = TIMEOUT_S,
) -> subprocess.CompletedProcess[str]:
    """Returns when the command has ended; threads may ask at the same time. Raises `TimeoutError`."""
    with TemporaryFile() as said, TemporaryFile() as out, TemporaryFile() as err:
        said.write(typed.encode())
        said.seek(0)
        run = forked.start(
            "ask.main", *arguments, loaded=loaded, environment=environment, files=(said, out, err)
        )
        try:
            code = run.ended(timeout_s)
        except TimeoutError:
            run.kill()
            raise
        for file in (out, err):
            file.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read().decode(), err.read().decode())
