"""The supervisor's side of the guardian (see `ask.guardian`)."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_PROGRAM = Path(__file__).with_name("guardian.py")


class Guard:
    """Whatever is watched ends with this process, however it ends.

    `keep_open` are file descriptors that the guardian holds until its work is done, e.g. of a lock file.
    """

    def __init__(self, keep_open: Sequence[int] = ()) -> None:
        self._keep_open = tuple(keep_open)
        self._pids: set[int] = set()
        self._guardian = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(_PROGRAM)],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=self._keep_open,
        )

    @property
    def pid(self) -> int:
        return self._guardian.pid

    def watch(self, pid: int) -> None:
        """`pid` leads a process group of its own."""
        self._pids.add(pid)
        self._tell(f"+{pid}\n")

    def forget(self, pid: int) -> None:
        """The process has ended; its pid may soon be somebody else's."""
        self._pids.discard(pid)
        self._tell(f"-{pid}\n")

    def _tell(self, line: str) -> None:
        try:
            self._write(line)
        except BrokenPipeError:
            # Somebody has killed the guardian; its successor needs the whole list.
            self.close()
            self._guardian = self._start()
            for pid in self._pids:
                self._write(f"+{pid}\n")

    def _write(self, line: str) -> None:
        assert self._guardian.stdin is not None
        self._guardian.stdin.write(line.encode())

    def close(self) -> None:
        """What is still watched is ended now; returns when it is gone."""
        assert self._guardian.stdin is not None
        self._guardian.stdin.close()
        self._guardian.wait()
