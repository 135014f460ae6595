"""The whole system on one machine: the servers, and every service as processes of its own.

`ask up` shows it to a person; tests and benchmarks drive it directly:

    async with Stack(data_dir=folder, port=0, workers={"tools-geo": 3}) as stack:
        stack.url, stack.processes["planner"].pid
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ask import credentials, folder, logs, outside, servers
from ask.children import ForkServer, Launcher, Program, launch
from ask.credentials import Credentials
from ask.errors import AskError
from ask.events import Watcher, how_it_ended, ignore
from ask.folder import FolderLock, Note
from ask.guard import Guard
from ask.permissions import ADMIN
from ask.ports import Ports, is_free
from ask.process import Process, StartFailed
from ask.servers import Durability
from ask.services import (
    EDGE,
    SERVICES,
    Service,
    environment_of,
    needed,
    preloadable,
    process_names,
    program_of,
)
from ask.settings import API_KEYS, DOCUMENTS
from ask.texts import text

_ATTEMPTS = 3
_LOG_CHECK_S = 10.0
_SERVER_GRACE_S = 5.0


class Stack:
    """Starts in `start`, ends in `stop`; raises `AskError` and leaves nothing running when it cannot start.

    `port` 0 takes a free one. `nats_url` and `redis_url` name servers that run already; without them the
    stack starts its own, of that `durability`, with files in `data_dir`, where prints and documents are kept
    too unless `prints_url` and `docs_index` say where. Its own servers have passwords, kept there as well.
    `passwords` are those of the users of a given NATS with permissions.
    `edge_secret` is what the edge signs with; without it there is one of the folder.
    `workers` gives the number of processes by service, `environment` further variables for all services.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        nats_url: str | None = None,
        passwords: Mapping[str, str] | None = None,
        redis_url: str | None = None,
        durability: Durability = "process",
        prints_url: str | None = None,
        docs_index: str | None = None,
        api_keys_file: Path | None = None,
        edge_secret: str | None = None,
        workers: Mapping[str, int] | None = None,
        environment: Mapping[str, str] | None = None,
        services: Sequence[Service] = SERVICES,
        watcher: Watcher = ignore,
        start_timeout_s: float = 60.0,
        stop_grace_s: float = 10.0,
    ) -> None:
        self.data_dir = data_dir.absolute()
        self.logs_dir = self.data_dir / "logs"
        self.host = host
        self.port = port
        self._chooses_port = port == 0
        self.processes: dict[str, Process] = {}
        self._given_nats_url = nats_url
        self._passwords = dict(passwords or {})
        self._given_redis_url = redis_url
        self._durability = durability
        self.prints_url = prints_url or (self.data_dir / "prints").as_uri()
        self.docs_index = docs_index or str(self.data_dir / DOCUMENTS)
        self._api_keys_file = api_keys_file or self.data_dir / API_KEYS
        self._edge_secret = edge_secret
        self._workers = dict(workers or {})
        self._environment = dict(environment or {})
        self._services = needed(services, os.environ | self._environment)
        self._watcher = watcher
        self._start_timeout_s = start_timeout_s
        self._stop_grace_s = stop_grace_s
        self._ports = Ports()
        self._remembered: dict[str, int] = {}
        self._credentials = Credentials()
        self._lock = FolderLock(self.data_dir)
        self._guard: Guard | None = None
        self._fork_server: ForkServer | None = None
        self._log_care: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where the edge listens, as seen from this machine."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::", "") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def nats_url(self) -> str:
        """With the password of a user who may do everything, unless it was given."""
        return self._given_nats_url or self._own_nats_url(
            f"{ADMIN.name}:{self._credentials.nats[ADMIN.name]}@"
        )

    def _own_nats_url(self, who: str = "") -> str:
        return f"nats://{who}127.0.0.1:{self._remembered[servers.NATS]}"

    @property
    def redis_url(self) -> str:
        """With its password, unless it was given."""
        own = f"redis://:{self._credentials.redis}@127.0.0.1"
        return self._given_redis_url or f"{own}:{self._remembered[servers.REDIS]}/0"

    @property
    def edge_secret(self) -> str:
        """What replicas of the edge need to know each other's sessions by."""
        return self._edge_secret or self._credentials.edge_secret

    @property
    def expected(self) -> int:
        """How many processes there will be."""
        own = [self._given_nats_url, self._given_redis_url].count(None)
        return own + sum(self._workers.get(service.name, 1) for service in self._services)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Until every process is ready. Raises `AskError`."""
        self._guard = Guard((await self._lock.acquire(),))
        try:
            self._claim_port()
            self._remembered = folder.read(self.data_dir).ports
            self._prepare_folder()
            if sys.platform == "linux":  # elsewhere system libraries may not survive a fork
                self._fork_server = ForkServer(preloadable(self._services), self._environment, self._guard)
                await self._fork_server.start()
            await self._start_servers()
            await self._start_services()
            folder.write(self.data_dir, self._note(running=True))
        except BaseException:
            await self.stop()
            raise
        self._log_care = asyncio.create_task(self._care_for_logs())

    async def stop(self, grace_s: float | None = None) -> None:
        """End everything: first the services, then the servers. A second call may have less patience."""
        if self._guard is None:
            return
        if self._log_care is not None:
            self._log_care.cancel()
        patience_s = self._stop_grace_s if grace_s is None else grace_s
        own_servers = [p for p in self.processes.values() if p.name in (servers.NATS, servers.REDIS)]
        await _stop([p for p in self.processes.values() if p not in own_servers], patience_s)
        await _stop(own_servers, min(patience_s, _SERVER_GRACE_S))
        if self._fork_server is not None:
            await self._fork_server.stop()
        if self._guard is not None:
            with suppress(OSError):  # somebody has deleted the folder
                folder.write(self.data_dir, self._note(running=False))
            self._guard.close()
            self._guard = None
            self._lock.release()

    def kill(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to a process; it is started again like after any crash, see `wait_ready`."""
        self.processes[name].kill(number)

    async def wait_ready(self, name: str, timeout_s: float = 30.0) -> None:
        """Until a killed process answers again. Raises `TimeoutError`."""
        await self.processes[name].wait_ready(timeout_s)

    # -- starting ----------------------------------------------------------------------------------

    def _claim_port(self) -> None:
        if self._chooses_port:
            return
        try:
            free = is_free(self.port, self.host)
        except OSError as error:
            raise AskError(text("bad_host", host=self.host, port=self.port, reason=error.strerror)) from None
        if not free:
            raise AskError(text("port_taken", port=self.port, other=self.port + 1))
        # Nobody else here is given it until the edge listens there.
        self._ports.take(self.port)

    def _prepare_folder(self) -> None:
        try:
            self._credentials = credentials.load(self.data_dir)
            if self._given_nats_url is None:
                self._passwords = self._credentials.nats
            self.logs_dir.mkdir(parents=True, exist_ok=True)
            for old in self.logs_dir.glob("*.log"):
                logs.set_aside(old)
        except OSError as error:
            raise AskError(text("unwritable", folder=self.logs_dir, reason=error.strerror)) from None

    async def _start_servers(self) -> None:
        own: dict[str, Path] = {}
        if self._given_nats_url is None:
            own[servers.NATS] = servers.find_nats()
        if self._given_redis_url is None:
            own[servers.REDIS] = servers.find_redis()
        await _together(self._run(name, partial(self._server, name, binary)) for name, binary in own.items())
        await outside.declare_streams(self.nats_url, self._passwords, self._environment)
        if self._given_redis_url is not None:
            await outside.ping_redis(self.redis_url)

    def _server(self, name: str, binary: Path) -> Program:
        """With the port of last time if it is free: clients that still look for it will find it."""
        port = self._remembered[name] = self._ports.take(self._remembered.get(name))
        own_folder = self.data_dir / name.removesuffix("-server")
        if name == servers.NATS:
            return servers.nats_program(binary, port, own_folder, self._credentials.nats, self._durability)
        return servers.redis_program(binary, port, own_folder, self._credentials.redis, self._durability)

    async def _start_services(self) -> None:
        await _together(
            self._run(name, partial(self._service, service, name))
            for service in self._services
            for name in process_names(service.name, self._workers.get(service.name, 1))
        )

    def _service(self, service: Service, name: str) -> Program:
        health_port = self._ports.take()
        if service.name == EDGE and self._chooses_port and not (self.port and is_free(self.port, self.host)):
            self.port = self._ports.take()
        is_user = not self._passwords.keys().isdisjoint((service.name, *service.parts))
        variables = environment_of(
            service,
            nats_url=self._own_nats_url() if is_user and not self._given_nats_url else self.nats_url,
            redis_url=self.redis_url,
            prints_url=self.prints_url,
            docs_index=self.docs_index,
            health_port=health_port,
            host=self.host,
            port=self.port,
            edge_secret=self.edge_secret,
            api_keys_file=str(self._api_keys_file),
            passwords=self._passwords,
        )
        return program_of(service, name, health_port, variables | self._environment)

    async def _run(self, name: str, make: Callable[[], Program]) -> None:
        """Start a process; one that ends at once gets other ports and another try. Raises `AskError`."""
        assert self._guard is not None
        launcher: Launcher = launch if self._fork_server is None else self._fork_server.launch
        log = self.logs_dir / f"{name}.log"
        for attempt in range(1, _ATTEMPTS + 1):
            process = self.processes[name] = Process(make(), log, self._guard, self._watcher, launcher)
            try:
                await process.start(self._start_timeout_s)
                return
            except StartFailed as failure:
                if failure.exit_code is None or attempt == _ATTEMPTS:
                    raise AskError(_explain(failure, self._start_timeout_s)) from None
            await asyncio.sleep(0.2 * attempt)

    # -- ending ------------------------------------------------------------------------------------

    def _note(self, *, running: bool) -> Note:
        if not running:
            return Note(ports=self._remembered)
        return Note(
            pid=os.getpid(),
            url=self.url,
            nats_url=self.nats_url,
            redis_url=self.redis_url,
            ports=self._remembered,
            metrics={
                name: f"http://127.0.0.1:{port}/metrics"
                for name, process in self.processes.items()
                if (port := process.program.environment.get("HEALTH_PORT"))
            },
        )

    async def _care_for_logs(self) -> None:
        while True:
            await asyncio.sleep(_LOG_CHECK_S)
            for log in self.logs_dir.glob("*.log"):
                logs.shorten(log)


def _explain(failure: StartFailed, timeout_s: float) -> str:
    said = logs.last_line(failure.log)
    if failure.exit_code is None:
        return text("start_timeout", name=failure.name, timeout_s=round(timeout_s), log=failure.log)
    end = how_it_ended(failure.exit_code)
    return text("start_failed", name=failure.name, end=end, log=failure.log, said=said or "-")


async def _stop(processes: Sequence[Process], grace_s: float) -> None:
    await asyncio.gather(*(process.stop(grace_s) for process in processes))


async def _together(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run side by side; the first failure ends the others and is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for each in work:
                group.create_task(each)
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
