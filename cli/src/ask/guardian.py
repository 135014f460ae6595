"""Ends the processes of a supervisor that has died without ending them itself.

Runs as a process of its own and needs nothing but the standard library. Standard input is a pipe whose other
end only the supervisor holds: `+<pid>` and `-<pid>` keep the list, its end is the end of the supervisor.
"""

import contextlib
import os
import signal
import sys
import time

GRACE_S = 3.0


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def end(pids: list[int], grace_s: float = GRACE_S) -> None:
    """Ask every process group to end, and kill what does not."""
    for wanted in (signal.SIGTERM, signal.SIGKILL):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, wanted)
        until = time.monotonic() + grace_s
        while any(map(alive, pids)) and time.monotonic() < until:
            time.sleep(0.02)


def main() -> None:
    # A supervisor's end may be part of the end of a session: this one stays until its work is done.
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    pids: list[int] = []
    for line in sys.stdin:
        pid = int(line[1:])
        if line.startswith("+"):
            pids.append(pid)
        elif pid in pids:
            pids.remove(pid)
    if pids:
        end(pids)


if __name__ == "__main__":
    main()
