"""One server that speaks the formats of the real services, under their paths, from the packaged data.

`geo.so.ch` and `api3.geo.admin.ch` share no path, so one base URL stands for both. A format is a module of
this folder with `routes() -> list[Route]`; handlers find what can be switched in `request.app.state.options`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from threading import Thread
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import parse_qs

from recorded.featureinfo import FeatureInfoOptions
from recorded.oereb import OerebOptions
from recorded.ogc_features import OgcOptions
from servicekit.http import AsgiApp, HttpServer
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse

MODULES: tuple[str, ...] = (
    "search_v2",
    "data_service",
    "federal",
    "weblayers",
    "oereb",
    "height",
    "featureinfo",
    "legend",
    "landreg",
    "ogc_features",
)
"""The formats, by name of their module."""


@dataclass
class Options:
    """What a test may change while the server runs."""

    search_backend: Literal["postgresql", "solr"] = "postgresql"
    sublayers: Literal["dataproduct_id", "ident"] = "dataproduct_id"
    """How the newer back end names the members of groups: both are in use."""
    facades: frozenset[str] = frozenset()
    """The ids of groups that the map service draws as one layer."""
    bfs_numbers: Literal["int", "text"] = "int"
    """How the data service writes `bfs_nr`: both have been seen."""
    data_service_counts: bool = True
    """Whether it says how many features there are: older versions do not."""
    delay_s: float = 0.0
    """Before every answer."""
    busy_for: int = 0
    """So many requests are turned away first."""
    instead: dict[str, AsgiApp] = field(default_factory=dict)
    """What answers in the place of the format, by a part of the path."""
    featureinfo: FeatureInfoOptions = field(default_factory=FeatureInfoOptions)
    ogc: OgcOptions = field(default_factory=OgcOptions)
    oereb: OerebOptions = field(default_factory=OerebOptions)


@dataclass(frozen=True)
class Seen:
    """A request that came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str] = field(default_factory=dict)
    """Names in lower case."""


class RecordedServer:
    """An async context manager; `url` is the base of all services."""

    def __init__(self, port: int = 0, options: Options | None = None) -> None:
        self.options = options or Options()
        self.seen: list[Seen] = []
        self._app = Starlette(routes=[route for name in MODULES for route in _format(name).routes()])
        self._app.state.options = self.options
        self._http = HttpServer(self, "127.0.0.1", port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.port}"

    def reset(self) -> None:
        """As if it had just been started."""
        self.options = self._app.state.options = Options()
        self.seen.clear()

    def asked(self, path: str) -> list[Seen]:
        """The requests whose path has this in it."""
        return [seen for seen in self.seen if path in seen.path]

    async def __aenter__(self) -> Self:
        await self._http.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.stop()

    async def __call__(
        self,
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[Any]],
        send: Callable[[Any], Awaitable[None]],
    ) -> None:
        query = parse_qs(scope["query_string"].decode(), keep_blank_values=True)
        self.seen.append(
            Seen(
                scope["method"],
                scope["path"],
                {name: values[-1] for name, values in query.items()},
                {name.decode().lower(): value.decode("latin-1") for name, value in scope["headers"]},
            )
        )
        if self.options.delay_s:
            await asyncio.sleep(self.options.delay_s)
        if self.options.busy_for > 0:
            self.options.busy_for -= 1
            await PlainTextResponse("busy", 503)(scope, receive, send)
            return
        path = scope["path"]
        instead = (app for part, app in self.options.instead.items() if part in path)
        await next(instead, self._app)(scope, receive, send)


@contextmanager
def in_background() -> Iterator[RecordedServer]:
    """A server in a thread of its own, for tests that share one: starting and stopping takes its time."""
    server = RecordedServer()
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(10)
        yield server
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def _format(name: str) -> Any:
    return import_module(f"recorded.{name}")
