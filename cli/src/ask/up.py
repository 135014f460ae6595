"""`ask up`: a stack, shown to a person."""

import asyncio
import json
import os
import shlex
import shutil
import signal
import sys
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from time import monotonic

import httpx
from contracts.intents import Intent
from contracts.tools import ToolList
from pydantic import ValidationError
from rich.console import Console
from rich.status import Status
from rich.text import Text

from ask.access import understood
from ask.errors import AskError
from ask.events import Crashed, Event, Ready, how_it_ended
from ask.logs import last_line
from ask.permissions import passwords
from ask.ports import is_local
from ask.services import SERVICES, Service, compacted, needed
from ask.settings import Settings, worker_counts
from ask.stack import Stack
from ask.texts import text

_EXAMPLES_TIMEOUT_S = 2.0
_SHOWN = (Intent.GOTO_ADDRESS, Intent.LOAD_LAYER, Intent.OEREB_EXTRACT)
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def command_name() -> str:
    """How the user can call this command: by name when it is on the PATH, else by its path from here."""
    beside = Path(sys.executable).with_name("ask")
    found = shutil.which("ask")
    if found is not None and Path(found).resolve() == beside.resolve():
        return "ask"
    return os.path.relpath(beside) if beside.is_relative_to(Path.cwd()) else str(beside)


async def examples_of(url: str) -> tuple[str, ...]:
    """A sentence for each of the first things that the system can do; one for any, where it tells nobody."""
    try:
        async with httpx.AsyncClient(base_url=url, timeout=_EXAMPLES_TIMEOUT_S) as http:
            listed = ToolList.from_json((await http.get("/api/tools", headers=understood())).content)
    except (httpx.HTTPError, ValidationError):
        return (text("example"),)
    first = {example.intent: example.text for example in reversed(listed.examples)}
    return tuple(first[intent] for intent in _SHOWN if intent in first) or (text("example"),)


def banner(url: str, logs: str, seconds: float, command: str, examples: Sequence[str]) -> str:
    """All that a newcomer needs: where, what to try, where to look, how to stop."""
    body = json.dumps({"sessionId": "demo", "userMessage": examples[0]}, ensure_ascii=False)
    lines = [
        f"{text('up', url=url)}  ({text('up_ready', seconds=f'{seconds:.1f}')})",
        "",
        text("up_try"),
        *(f'  {command} chat "{example}"' for example in examples),
        text("up_or"),
        f"  curl -s {url}/api/chat -H 'Content-Type: application/json' -d {shlex.quote(body)}",
        "",
        text("up_logs", logs=logs),
        text("up_stop"),
    ]
    return "\n".join(lines)


class _Screen:
    """One line that moves while the stack starts, then a line for everything that happens."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._expected = 0
        self._ready = 0
        self._status: Status | None = None

    def begin(self, expected: int) -> None:
        self._expected = expected
        if self._console.is_terminal:
            self._status = self._console.status(self._progress())
            self._status.start()

    def _progress(self) -> str:
        return text("starting", ready=self._ready, expected=self._expected)

    def end(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None

    def on_event(self, event: Event) -> None:
        match event:
            case Ready(name=name, again=again):
                self._ready += 1
                if self._status is not None:
                    self._status.update(self._progress())
                if again:
                    self.say(text("recovered", name=name), "green")
            case Crashed(name=name, exit_code=code, restart_in_s=seconds, log=log):
                said = last_line(log) if code > 0 else ""
                end = how_it_ended(code) + (f": {said}" if said else "")
                self.say(
                    text("crashed", name=name, end=end, seconds=f"{seconds:.1f}", log=_short(log)), "red"
                )

    def say(self, line: str, style: str = "") -> None:
        # Soft wrap: one event is one line, also in a narrow window or a file.
        self._console.print(Text(line, style=style), soft_wrap=True)


def _short(path: Path) -> str:
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)


async def run(
    settings: Settings,
    environment: Mapping[str, str],
    console: Console,
    services: Sequence[Service] = SERVICES,
) -> None:
    """Start, show, wait for a signal, stop. Raises `AskError` when it cannot start."""
    if environment.get("AUTH", "").strip() in ("", "none") and not is_local(settings.host):
        # The edge would refuse too, when all else has started.
        raise AskError(text("open_to_all", host=settings.host))
    if settings.ask_compact:
        services = compacted(needed(services, environment))
    workers = worker_counts(environment, {service.name: service.scalable for service in services})
    began = monotonic()
    screen = _Screen(console)
    page = settings.where_the_page_is()
    stack = Stack(
        settings.ask_data_dir,
        host=settings.host,
        port=settings.port,
        nats_url=settings.nats_url,
        passwords=passwords(environment) if settings.nats_url else {},
        redis_url=settings.redis_url,
        durability=settings.durability,
        prints_url=settings.prints_url,
        docs_index=settings.docs_index,
        api_keys_file=settings.where_keys_are(),
        edge_secret=settings.edge_secret.get_secret_value() if settings.edge_secret else None,
        workers=workers,
        environment={"CLIENT_DIR": str(page)} if page is not None else {},
        services=services,
        watcher=screen.on_event,
        start_timeout_s=settings.ask_start_timeout_s,
        stop_grace_s=settings.ask_stop_grace_s,
    )
    enough, at_once = _listen_to_signals()
    screen.begin(stack.expected)
    try:
        started = await _unless(enough, stack.start())
    finally:
        screen.end()
    if started:
        seconds = monotonic() - began
        examples = await examples_of(stack.url)
        screen.say(banner(stack.url, _short(stack.logs_dir) + os.sep, seconds, command_name(), examples))
        await enough.wait()
        screen.say("")
        screen.say(text("stopping"))
        ending = asyncio.create_task(stack.stop())
        if not await _unless(at_once, asyncio.shield(ending)):
            await stack.stop(grace_s=0)
        await ending
    screen.say(text("stopped"))


def _listen_to_signals() -> tuple[asyncio.Event, asyncio.Event]:
    """Set by the first signal, and by the second one."""
    enough, at_once = asyncio.Event(), asyncio.Event()

    def heard() -> None:
        (at_once if enough.is_set() else enough).set()

    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        if number is signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
            continue  # started with nohup
        loop.add_signal_handler(number, heard)
    return enough, at_once


async def _unless(event: asyncio.Event, work: Awaitable[None]) -> bool:
    """Whether the work was done; when the event comes first, the work is cancelled and waited for."""
    task = asyncio.ensure_future(work)
    waiting = asyncio.create_task(event.wait())
    await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if task.done():
        await task
        return True
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return False


def main(settings: Settings) -> None:
    """Blocks until a signal. Raises `AskError`."""
    asyncio.run(run(settings, os.environ, Console(highlight=False)))
