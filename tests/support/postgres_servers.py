"""Real PostgreSQL servers: those of Debian, and the one of the wheel that brings pgvector."""

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from edge_process import free_port

_START_TIMEOUT_S = 30
_UNPRIVILEGED = ("postgres", "nobody")
_ATTEMPTS = 3
MISSING = "PostgreSQL is not installed: apt-get install postgresql"
MISSING_VECTOR = (
    "no PostgreSQL with pgvector: apt-get install postgresql-NN-pgvector, or pip install pgserver; "
    "for root in a folder that others may look into"
)


def installations() -> list[Path]:
    """Folders with `initdb` and `postgres` that we may run, the newest version of Debian first."""
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parent.name), reverse=True
    )
    wheel = importlib.util.find_spec("pgserver")
    bundled = [Path(str(wheel.origin)).parent / "pginstall" / "bin"] if wheel and wheel.origin else []
    return [path for path in (*debian, *bundled) if _may_run(path / "initdb")]


def has_vector(binaries: Path) -> bool:
    found = subprocess.run(
        [binaries / "pg_config", "--sharedir"], capture_output=True, text=True, check=False
    ).stdout.strip()
    here = binaries.parent / "share" / "postgresql"
    return any((Path(share) / "extension" / "vector.control").exists() for share in (found, here) if share)


def _may_run(program: Path) -> bool:
    try:
        _run([program, "--version"], user=_other_user())
    except (FileNotFoundError, PermissionError):
        return False
    return True


def _other_user() -> str | None:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in _UNPRIVILEGED if name in known)


@dataclass(frozen=True)
class Server:
    """`url` is that of an empty database, `pid` that of the process that is parent to all others."""

    url: str
    pid: int


@contextmanager
def running(binaries: Path) -> Iterator[str]:
    """The URL of an empty database on a server of its own, which keeps nothing safe."""
    with served(binaries, {"fsync": "off"}) as server:
        yield server.url


@contextmanager
def served(binaries: Path, settings: Mapping[str, str]) -> Iterator[Server]:
    """A server of its own in a temporary folder."""
    user = _other_user()
    # Not pytest's own folders: those belong to root, and the server may not look into them.
    folder = Path(tempfile.mkdtemp(prefix="ask-postgres-"))
    try:
        if user is not None:
            shutil.chown(folder, user)
        data = folder / "data"
        _run(
            [binaries / "initdb", "-D", data, "-U", "ask", "-A", "trust", "-E", "UTF8", "--no-sync"],
            user=user,
        )
        yield from _served(binaries, folder, data, user, settings)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _served(
    binaries: Path, folder: Path, data: Path, user: str | None, settings: Mapping[str, str]
) -> Iterator[Server]:
    given = "".join(f" -c {name}={value}" for name, value in settings.items())
    for attempt in range(1, _ATTEMPTS + 1):
        port = free_port()
        options = f"-h 127.0.0.1 -p {port} -c unix_socket_directories=''{given}"
        try:
            started: list[str | Path] = ["-w", "-t", str(_START_TIMEOUT_S), "-l", folder / "log", "start"]
            _run([binaries / "pg_ctl", "-D", data, "-o", options, *started], user=user)
            break
        except subprocess.CalledProcessError:
            if attempt == _ATTEMPTS:
                raise
    try:
        pid = int((data / "postmaster.pid").read_text().splitlines()[0])
        yield Server(f"postgresql://ask@127.0.0.1:{port}/postgres", pid)
    finally:
        _run([binaries / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"], user=user)


def _run(command: list[str | Path], *, user: str | None) -> None:
    subprocess.run(
        command,
        user=user,
        check=True,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=2 * _START_TIMEOUT_S,
    )
