"""The data folder of a running stack: its lock, and what other commands need to know of it."""

import asyncio
import fcntl
import os
from pathlib import Path
from time import monotonic

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from ask.errors import AskError
from ask.guardian import GRACE_S, alive
from ask.texts import text

_LOCK = "up.lock"
_NOTE = "up.json"


class Note(BaseModel):
    """`up.json`. The URLs are there while the stack runs, the ports stay for the next time."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)

    pid: int | None = None
    url: str | None = None
    nats_url: str | None = None
    redis_url: str | None = None
    ports: dict[str, int] = {}
    metrics: dict[str, str] = {}
    """Process -> where it tells its metrics."""


def read(data_dir: Path) -> Note:
    """The note of a folder; an empty one when there is none."""
    try:
        return Note.model_validate_json((data_dir / _NOTE).read_bytes())
    except (OSError, ValidationError):
        return Note()


def write(data_dir: Path, note: Note) -> None:
    """The addresses in it have passwords. Raises `OSError`."""
    write_private(data_dir / _NOTE, note.model_dump_json(indent=2) + "\n")


def write_private(file: Path, content: str) -> None:
    """Readable for its owner only, in one step, and still there after a loss of power. Raises `OSError`."""
    draft = file.with_name(f"{file.name}.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)


def running(data_dir: Path) -> Note | None:
    """The note of the stack that runs in this folder."""
    note = read(data_dir)
    return note if note.pid is not None and alive(note.pid) else None


class FolderLock:
    """One stack a folder: two servers on the same files would destroy them.

    The guardian holds the lock too, so it is free only when the last process has gone.
    """

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._fd: int | None = None

    async def acquire(self) -> int:
        """The file descriptor that holds the lock. Raises `AskError`."""
        try:
            self._data_dir.mkdir(parents=True, exist_ok=True)
            # What users have asked is in here, and what lets one into the servers.
            self._data_dir.chmod(0o700)
            fd = os.open(self._data_dir / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise AskError(text("unwritable", folder=self._data_dir, reason=error.strerror)) from None
        try:
            await self._lock(fd)
        except BaseException:
            os.close(fd)
            raise
        os.truncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        self._fd = fd
        return fd

    async def _lock(self, fd: int) -> None:
        # After a supervisor was killed its guardian needs a moment to end what it has left.
        until = monotonic() + 3 * GRACE_S
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                holder = os.pread(fd, 32, 0).decode().strip()
                if not holder or alive(int(holder)) or monotonic() > until:
                    raise AskError(text("already_up", folder=self._data_dir, pid=holder or "?")) from None
            await asyncio.sleep(0.1)

    def release(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
