"""All formats on one server, until Ctrl-C.

python -m recorded --port 8090          # prints its address
python -m recorded -- ask up            # a command that gets its live answers from here, and its end
"""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import Sequence

from recorded.environment import environment
from recorded.server import Options, RecordedServer

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


async def _serve(port: int, delay_s: float, command: Sequence[str]) -> int:
    """The exit code of the command; without one it serves for ever."""
    async with RecordedServer(port, Options(delay_s=delay_s)) as server:
        if not command:
            print(server.url, flush=True)  # noqa: T201
            await asyncio.Event().wait()
        print(f"Live services simulated at {server.url}\n", flush=True)  # noqa: T201
        # In a group of its own it hears a Ctrl-C once, from here.
        process = await asyncio.create_subprocess_exec(
            *command, env={**os.environ, **environment(server.url)}, process_group=0
        )
        loop = asyncio.get_running_loop()
        for number in _PASSED_ON:
            loop.add_signal_handler(number, _pass_on, process, number)
        return await process.wait()


def _pass_on(process: Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(number)


def main() -> None:
    parser = argparse.ArgumentParser(prog="recorded", description="Speaks the formats of the live services.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--delay-s", type=float, default=0.0, help="seconds before every answer")
    parser.add_argument("command", nargs="*", help="is run meanwhile, after --")
    given = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(asyncio.run(_serve(given.port, given.delay_s, given.command)))


if __name__ == "__main__":
    main()
