"""`python -m recorded --port 8090` serves all formats until Ctrl-C; the address is printed first."""

import argparse
import asyncio
import contextlib

from recorded.server import Options, RecordedServer


async def _serve(port: int, delay_s: float) -> None:
    async with RecordedServer(port, Options(delay_s=delay_s)) as server:
        print(server.url, flush=True)  # noqa: T201
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="recorded", description="Speaks the formats of the live services.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--delay-s", type=float, default=0.0, help="seconds before every answer")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(options.port, options.delay_s))


if __name__ == "__main__":
    main()
