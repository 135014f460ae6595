"""Starts Python programs as forks of a process that has their modules loaded already.

Runs as a process of its own: `python -m ask.forkserver <module> ...` loads the modules, then reads orders
from the socket that is its standard input. Order and answers are lines of JSON: `Order`, then `{"pid": 1}`
at once and `{"pid": 1, "code": -9}` when that process has ended. The end of the socket is its own end.

It has one thread and never an event loop: what is forked is a program that has not begun.
"""

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypedDict

import setproctitle


class Order(TypedDict):
    """`argv` as `python <argv>` would have it: `-m module ...` or `file.py ...`."""

    argv: list[str]
    environment: dict[str, str]
    log: str


def preload(modules: Iterable[str]) -> None:
    """What cannot be loaded fails in the program that needs it, with its own words in its own log."""
    gc.disable()
    for module in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(module)
        # A program is run, not imported; only what it imports is wanted.
        sys.modules.pop(module, None)
    gc.freeze()


def serve(channel: socket.socket) -> Order | None:
    """Comes back in every process that was forked, with what it shall be; and at the end, with nothing."""
    woken, waker = socket.socketpair()
    waker.setblocking(False)
    default = signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker.fileno())
    try:
        for line in _orders(channel, woken):
            pid = os.fork()
            if pid == 0:
                order: Order = json.loads(line)
                return order
            _lead_a_group(pid)
            _say(channel, {"pid": pid})
        return None
    finally:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, default)
        for own in (woken, waker, channel):
            own.close()


def _orders(channel: socket.socket, woken: socket.socket) -> Iterator[bytes]:
    """Tells of ends meanwhile."""
    unread = b""
    while True:
        ready, _, _ = select.select((channel, woken), (), ())
        if woken in ready:
            woken.recv(4096)
            _reap(channel)
        if channel in ready:
            received = channel.recv(65_536)
            if not received:
                return
            *lines, unread = (unread + received).split(b"\n")
            yield from lines


def _reap(channel: socket.socket) -> None:
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            pid, status = ended
            _say(channel, {"pid": pid, "code": os.waitstatus_to_exitcode(status)})


def _lead_a_group(pid: int) -> None:
    """Said by both of parent and child: whoever is first, the group is there when its pid is known."""
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)


def _say(channel: socket.socket, message: dict[str, int]) -> None:
    with contextlib.suppress(OSError):  # nobody listens any more: the next read is the end
        channel.sendall(json.dumps(message).encode() + b"\n")


def become(order: Order) -> None:
    """Be the program, as if it had been started by itself."""
    _lead_a_group(os.getpid())
    nothing = os.open(os.devnull, os.O_RDONLY)
    log = os.open(order["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(log)
    # First of all, since it takes the memory of arguments and environment.
    setproctitle.setproctitle(" ".join((Path(sys.executable).name, *order["argv"])))
    os.environ.clear()
    os.environ.update(order["environment"])
    gc.enable()
    first, *rest = order["argv"]
    if first == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [first, *rest]
        sys.path[0] = str(Path(first).parent)
        runpy.run_path(first, run_name="__main__")


def main() -> None:
    preload(sys.argv[1:])
    order = serve(socket.socket(fileno=os.dup(0)))
    if order is not None:
        become(order)


if __name__ == "__main__":
    main()
