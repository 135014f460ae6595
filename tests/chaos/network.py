"""A bad network between a service and a server: one proxy for each pair, made worse at will."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field

_CHUNK = 65_536
_SIZED = (b"MSG", b"HMSG", b"PUB", b"HPUB")


@dataclass
class Weather:
    """What the network does. As it is here, it does nothing."""

    latency_s: float = 0.0
    """Added to every packet, in both directions."""
    bytes_per_s: float = float("inf")
    lost_acks: float = 0.0
    """The share of acknowledgements to JetStream that never arrive."""
    late: float = 0.0
    """The share of deliveries of JetStream that come up to `late_s` later, others before them."""
    late_s: float = 3.0
    twice: float = 0.0
    """The share of deliveries that come twice."""

    @property
    def changes_messages(self) -> bool:
        return bool(self.lost_acks or self.late or self.twice)


@dataclass
class Proxy:
    """Forwards connections to a port of this machine."""

    target: int
    dice: random.Random
    is_nats: bool
    weather: Weather = field(default_factory=Weather)
    port: int = 0
    is_partitioned: bool = False
    """Whether new connections are closed at once."""

    def __post_init__(self) -> None:
        self._links: set[_Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Every connection ends as if the other side had died."""
        for link in self._links:
            link.abort()

    def forget(self) -> None:
        """Every connection stays open, and nothing comes through it any more: half-open."""
        for link in self._links:
            link.flows.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_partitioned:
            writer.transport.abort()
            return
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        link = _Link(self, writer, server_writer)
        self._links.add(link)
        both = [
            asyncio.create_task(link.pump(reader, server_writer)),
            asyncio.create_task(link.pump(server_reader, writer)),
        ]
        self._tasks.update(both)
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            link.abort()
            self._links.discard(link)
            self._tasks.difference_update(both)
            for task in both:
                task.cancel()


class _Link:
    """One connection, and the one that it is forwarded to."""

    def __init__(self, proxy: Proxy, *writers: asyncio.StreamWriter) -> None:
        self._proxy = proxy
        self._writers = writers
        self.flows = asyncio.Event()
        self.flows.set()

    def abort(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        packets = frames(reader) if self._proxy.is_nats else chunks(reader)
        with suppress(OSError, asyncio.IncompleteReadError):
            async for packet in packets:
                await self.flows.wait()
                weather = self._proxy.weather
                if weather.latency_s or weather.bytes_per_s < float("inf"):
                    await asyncio.sleep(weather.latency_s + len(packet) / weather.bytes_per_s)
                if not (weather.changes_messages and b"$JS.ACK." in packet[:400]):
                    writer.write(packet)
                elif packet.startswith((b"PUB ", b"HPUB ")):
                    if self._proxy.dice.random() >= weather.lost_acks:
                        writer.write(packet)
                else:
                    self._deliver(packet, writer, weather)
                await writer.drain()

    def _deliver(self, packet: bytes, writer: asyncio.StreamWriter, weather: Weather) -> None:
        dice = self._proxy.dice
        for _ in range(2 if dice.random() < weather.twice else 1):
            if dice.random() >= weather.late:
                writer.write(packet)
                continue
            delay_s = dice.uniform(0, weather.late_s)
            asyncio.get_running_loop().call_later(delay_s, _write, writer, packet)


def _write(writer: asyncio.StreamWriter, packet: bytes) -> None:
    if not writer.transport.is_closing():
        writer.write(packet)


async def chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while data := await reader.read(_CHUNK):
        yield data


async def frames(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Whole messages of the protocol of NATS, and what lies between two of them as it comes."""
    held = b""
    while data := await reader.read(_CHUNK):
        held += data
        begin = sent = 0
        while (end := held.find(b"\r\n", begin)) >= 0:
            words = held[begin:end].split(b" ")
            if words[0] not in _SIZED:
                begin = end + 2
                continue
            after = end + 2 + int(words[-1]) + 2
            if after > len(held):
                break
            if begin > sent:
                yield held[sent:begin]
            yield held[begin:after]
            begin = sent = after
        if begin > sent:
            yield held[sent:begin]
        held = held[begin:]
