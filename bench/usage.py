"""What one turn takes of everything: processor time, messages, bytes, disk. For `bench/sizes.py`.

    python bench/usage.py                services, and the raw chain beside them as the yardstick
    python bench/usage.py --replicas     also the chain on three nats-servers, with one and three replicas

Figures are differences of what the kernel (/proc), NATS and Redis count, divided by the turns of a round; the
median of the rounds. They are kept in artefacts/usage.json.
"""

import argparse
import asyncio
import json
import secrets
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import nats
import psutil
import uvloop
from contracts.subjects import STREAMS
from nats.js import JetStreamContext
from redis.asyncio import Redis
from rich.console import Console
from rich.table import Table

import chain
from ask import servers
from ask.ports import Ports
from ask.stack import Stack
from drivers import ChainDriver, HttpDriver, at_once
from turns import IN_FLIGHT, Processor, clients, services, start_chain

KEPT = Path("artefacts") / "usage.json"
NATS, REDIS = servers.NATS, servers.REDIS
REPLICAS = 3
SESSION_TURNS = 5
ATTEMPTS = 3
PATIENCE_S = 60.0

Figures = dict[str, float]
"""By name: `cpu` and `chain` are ms, `stored` messages, `rate` turns/s, the others bytes or counts."""


async def settled(js: JetStreamContext) -> Figures:
    """What the streams hold when no more is stored: a reply comes before its log is."""
    before: Figures = {}
    while before != (found := await _streams(js)):
        before = found
        await asyncio.sleep(0.2)
    return found


async def _streams(js: JetStreamContext) -> Figures:
    found: Figures = {}
    for stream in STREAMS:
        state = (await js.stream_info(stream.name)).state
        found |= {f"stored {stream.name}": float(state.last_seq), f"kept {stream.name}": float(state.bytes)}
    return found


async def of_redis(redis: Redis) -> Figures:
    info = await redis.info()
    return {
        "redis commands": info["total_commands_processed"],
        "redis in": info["total_net_input_bytes"],
        "redis out": info["total_net_output_bytes"],
        "redis kept": info["used_memory_dataset"],
    }


def of_kernel(processes: Mapping[str, psutil.Process]) -> Figures:
    """Reads and writes of NATS are those of its sockets and of its files."""
    found: Figures = {}
    for name in (NATS, REDIS):
        io = processes[name].io_counters()
        found |= {
            f"{name} read": io.read_chars,
            f"{name} written": io.write_chars,
            f"{name} disk": io.write_bytes,
        }
    return found


def median(rounds: list[Figures]) -> Figures:
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


async def measured(turns: int, rounds: int) -> Figures:
    """Of one turn."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        system = await stack.enter_async_context(Stack(folder, services=services()))
        connection = await nats.connect(system.nats_url)
        stack.push_async_callback(connection.close)
        redis = Redis.from_url(system.redis_url)
        stack.push_async_callback(redis.aclose)
        await redis.config_set("maxmemory", 0)
        js = connection.jetstream()
        await chain.declare(js)
        pids = {name: each.pid for name, each in system.processes.items() if each.pid is not None}
        processes = {name: psutil.Process(pid) for name, pid in pids.items()}
        cpu = Processor(pids)
        chain_pids = await start_chain(stack, system.nats_url)
        cpu_chain = Processor(chain_pids | {NATS: pids[NATS]})
        raw = ChainDriver(connection, js)
        await raw.open()

        async def counted() -> Figures:
            kept = await settled(js)
            used = {f"cpu {name}": ms for name, ms in cpu.read().items()}
            return kept | used | await of_redis(redis) | of_kernel(processes)

        found = []
        for number in range(rounds + 1):
            async with clients(system.port) as http:
                before = await counted()
                rate, _ = await at_once([partial(talk, client) for client in http], turns // SESSION_TURNS)
                after = await counted()
            of_chain = await of_the_chain(raw, turns, cpu_chain)
            if number:  # The first one warms up.
                used = {name: (after[name] - before[name]) / turns for name in before}
                found.append(used | of_chain | {"rate": rate * SESSION_TURNS})
        return median(found)


async def talk(client: HttpDriver) -> None:
    """A session of some turns."""
    client.session = f"usage-{secrets.token_hex(6)}"
    for _ in range(SESSION_TURNS):
        await client.turn()


async def of_the_chain(raw: ChainDriver, turns: int, cpu: Processor) -> Figures:
    before = cpu.read()
    rate, _ = await at_once([raw.turn] * IN_FLIGHT, turns)
    after = cpu.read()
    used = {name: (after[name] - before[name]) / turns for name in before}
    return {"chain": sum(used.values()), f"chain {NATS}": used[NATS], "chain rate": rate}


@asynccontextmanager
async def cluster(folder: Path, ports: Ports) -> AsyncIterator[tuple[list[int], list[str]]]:
    """Three nats-servers that know each other, by process id and address."""
    names = range(REPLICAS)
    inner, outer = [ports.take() for _ in names], [ports.take() for _ in names]
    routes = ", ".join(f"nats://127.0.0.1:{port}" for port in inner)
    started = []
    try:
        for n in names:
            config = folder / f"{n}.conf"
            config.write_text(
                f'server_name: "n{n}"\nlisten: "127.0.0.1:{outer[n]}"\n'
                f'jetstream {{ store_dir: "{folder / str(n)}", sync_interval: 1s }}\n'
                f'cluster {{ name: bench, listen: "127.0.0.1:{inner[n]}", routes: [{routes}] }}\n'
            )
            log = (folder / f"{n}.log").open("wb")
            started.append(
                await asyncio.create_subprocess_exec(
                    str(servers.find_nats()), "-c", str(config), stdout=log, stderr=log
                )
            )
        yield [each.pid for each in started], [f"nats://127.0.0.1:{port}" for port in outer]
    finally:
        for each in started:
            each.kill()
            await each.wait()


async def replicated(turns: int, rounds: int) -> Figures:
    """CPU ms of a chain, with one replica and with three: of all three servers, and of the busiest."""
    found: Figures = {}
    for replicas in (1, REPLICAS):
        figures = await again(partial(of_a_cluster, replicas, turns, rounds))
        found |= {f"R{replicas} {name}": value for name, value in figures.items()}
    return found


async def again(measure: Callable[[], Awaitable[Figures]]) -> Figures:
    """The chain stands still for good when a stream changes its leader; then from the beginning."""
    for _ in range(ATTEMPTS - 1):
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                return await measure()
    async with asyncio.timeout(PATIENCE_S):
        return await measure()


async def of_a_cluster(replicas: int, turns: int, rounds: int) -> Figures:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        pids, urls = await stack.enter_async_context(cluster(folder, Ports()))
        connection = await nats.connect(
            urls, error_cb=not_yet, max_reconnect_attempts=-1, reconnect_time_wait=0.2
        )
        stack.push_async_callback(connection.close)
        js = connection.jetstream()
        await until_elected(partial(chain.declare, js, replicas))
        await start_chain(stack, ",".join(urls))
        raw = ChainDriver(connection, js)
        await raw.open()
        cpu = Processor({str(n): pid for n, pid in enumerate(pids)})
        rows = []
        for number in range(rounds + 1):
            before = cpu.read()
            rate, _ = await at_once([raw.turn] * IN_FLIGHT, turns)
            used = [(after - before[name]) / turns for name, after in cpu.read().items()]
            if number:
                rows.append({"sum": sum(used), "most": max(used), "rate": rate})
        return median(rows)


async def not_yet(_: Exception) -> None:
    """A server that has only just been started does not listen."""


async def until_elected(declare: Callable[[], Awaitable[None]]) -> None:
    """A cluster takes streams when it has a leader."""
    for _ in range(100):
        try:
            return await declare()
        except (nats.js.errors.APIError, nats.errors.Error, TimeoutError):
            await asyncio.sleep(0.2)
    raise TimeoutError("no leader")


def show(figures: Figures) -> None:
    table = Table(title="of one turn with one tool", title_justify="left")
    for column in ("", "median"):
        table.add_column(column, justify="right" if column else "left")
    for name, value in figures.items():
        table.add_row(name, f"{value:,.3g}" if value < 100 else f"{value:,.0f}")
    Console(width=100).print(table)


async def run(args: argparse.Namespace) -> Figures:
    found = await measured(args.turns, args.rounds)
    if args.replicas:
        found |= await replicated(args.turns, args.rounds)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what one turn takes of everything.")
    parser.add_argument("--turns", type=int, default=1500, help="in a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--replicas", action="store_true")
    figures = uvloop.run(run(parser.parse_args()))
    show(figures)
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
