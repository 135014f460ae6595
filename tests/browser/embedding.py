"""A page of somebody else's with a map of its own: the example, as one builds it, on a server of its own."""

import io
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from PIL import Image
from playwright.async_api import ConsoleMessage, Locator, Page, Request, Route, expect
from tests.e2e.running import System

from .screen import LAYER, MAP_HOSTS, ROOT, UNREACHABLE, Color, Coord, View, comes_true, picture_of

EXAMPLE = ROOT / "examples" / "embed"
ENDPOINT = "https://ask.example.org"
"""As the example has it."""
STREETS = "tile.openstreetmap.org"
"""Where the page has its own map from."""
GROUND: Color = (236, 238, 233)
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; worker-src 'self' blob:; font-src 'self'; "
    "connect-src 'self' {endpoint} https://*.so.ch; img-src 'self' data: blob: https:"
)
"""Strict, but for pictures: none of what the packages bring may need more."""
ADAPTER = "document.querySelector('ask-copilot').map"
BADGE: Color = (11, 90, 115)
"""The numbers of the options, on the map."""


def published(into: Path) -> Path:
    """What is in the packages, as a folder of modules; what they need comes from this repository."""
    modules = into / "node_modules"
    modules.mkdir(parents=True)
    for each in (ROOT / "node_modules").iterdir():
        if each.name != "@ask-sogis":
            (modules / each.name).symlink_to(each)
    for package in ("client", "map-actions", "ask-copilot"):
        command = ["npm", "pack", "--silent", "--pack-destination", str(into)]
        folder = ROOT / "packages" / package
        subprocess.run(command, cwd=folder, check=True, timeout=300, stdout=subprocess.PIPE)
        manifest = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        name = manifest["name"]
        archive = into / f"{name.removeprefix('@').replace('/', '-')}-{manifest['version']}.tgz"
        subprocess.run(["tar", "-xf", archive], cwd=into, check=True)
        (modules / name).parent.mkdir(exist_ok=True)
        (into / "package").rename(modules / name)
    return modules


def built(into: Path) -> Path:
    """The pages of the example, with the packages as they are published."""
    published(into)
    page = into / "page"
    shutil.copytree(EXAMPLE, page)
    vite = str(into / "node_modules" / ".bin" / "vite")
    subprocess.run([vite, "build", "--logLevel", "error"], cwd=page, check=True, timeout=300)
    return page / "dist"


class _Pages(SimpleHTTPRequestHandler):
    server: "Server"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        page = self.server.folder / self.path.lstrip("/")
        if page.suffix != ".html":
            return super().do_GET()
        text = page.read_text(encoding="utf-8").replace(ENDPOINT, self.server.endpoint)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY.format(endpoint=self.server.endpoint))
        self.end_headers()
        self.wfile.write(text.encode())
        return None


class Server(ThreadingHTTPServer):
    folder: Path
    endpoint = ENDPOINT
    """Where the copilot really is."""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def served(folder: Path) -> Iterator[Server]:
    """On a free port. Where the copilot is may be said later."""

    def handler(*args: Any) -> _Pages:
        return _Pages(*args, directory=str(folder))

    with Server(("127.0.0.1", 0), handler) as server:
        server.folder = folder
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class Host:
    """The page as its visitor uses it."""

    MAP = f"{ADAPTER}.map"
    """The map of the page itself."""

    def __init__(self, page: Page, system: System, name: str) -> None:
        self.page = page
        self.name = name
        self.system = system
        self.copilot = page.locator("ask-copilot")
        self.pictures: list[dict[str, str]] = []
        """The parameters of every picture that a WMS was asked for."""
        self.sent: list[dict[str, Any]] = []
        """The bodies of all messages and choices."""
        self.bearers: set[str | None] = set()
        """What the copilot has asked with."""
        self.complaints: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(f"page: {error}"))
        page.on("request", self._asked)

    def _heard(self, message: ConsoleMessage) -> None:
        is_expected = message.text.startswith(UNREACHABLE) or "GPU stall" in message.text
        if message.type in ("error", "warning") and not is_expected:
            self.complaints.append(f"console: {message.text}")

    def _asked(self, request: Request) -> None:
        if request.url == f"{self.system.stack.url}/api/chat/stream" and request.method == "POST":
            self.sent.append(dict(request.post_data_json or {}))
            self.bearers.add(request.headers.get("authorization"))

    async def open(self, address: str) -> None:
        await self.page.route(lambda url: urlsplit(url).hostname in {*MAP_HOSTS, STREETS}, self._picture)
        await self.page.goto(address)
        await expect(self.page.get_by_label("Nachricht", exact=True)).to_be_visible()

    async def _picture(self, route: Route) -> None:
        where = urlsplit(route.request.url)
        asked = {k.upper(): v for k, v in parse_qsl(where.query)}
        if where.hostname == STREETS:
            await route.fulfill(body=picture_of(GROUND, (256, 256)), content_type="image/png")
        elif asked.get("REQUEST") == "GetMap":
            self.pictures.append(asked)
            size = (int(asked["WIDTH"]), int(asked["HEIGHT"]))
            headers = {"Access-Control-Allow-Origin": "*"}
            await route.fulfill(body=picture_of(LAYER, size), content_type="image/png", headers=headers)
        else:
            await route.abort()

    @property
    def message(self) -> Locator:
        return self.copilot.get_by_label("Nachricht", exact=True)

    def button(self, name: str) -> Locator:
        return self.copilot.get_by_role("button", name=name, exact=True)

    async def say(self, message: str) -> None:
        await self.message.fill(message)
        await self.message.press("Enter")

    async def answered(self, text: str | re.Pattern[str]) -> None:
        await expect(self.copilot.locator("article").last).to_have_attribute("data-state", "finished")
        await expect(self.copilot.locator("article").last).to_contain_text(text)

    async def view(self) -> View:
        """Where the map of the page is, in LV95."""
        center, resolution = await self.page.evaluate(f"""() => {{
          const {{ center, resolution }} = {ADAPTER}.camera.where();
          return [center, resolution];
        }}""")
        return View(tuple(center), resolution)

    async def is_at(self, center: Coord, within: float = 2.0) -> None:
        async def is_there() -> bool:
            at = (await self.view()).center
            return max(abs(at[0] - center[0]), abs(at[1] - center[1])) <= within

        await comes_true(is_there)

    async def seen(self) -> Image.Image:
        """The map of the page."""
        picture = await self.page.locator("#map").screenshot()
        return Image.open(io.BytesIO(picture)).convert("RGB")

    async def painted(self, color: Color) -> None:
        """Most of the map has a colour."""

        async def is_so() -> bool:
            picture = await self.seen()
            spots = [(x / 8, y / 8) for x in range(1, 8) for y in range(1, 8)]
            found = [picture.getpixel((int(picture.width * x), int(picture.height * y))) for x, y in spots]
            return sum(each == color for each in found) > len(spots) / 2

        await comes_true(is_so)

    async def click_a_number(self) -> None:
        """On the topmost option that is on the map; nothing when there is none."""
        picture = await self.seen()
        spots = ((x, y) for y in range(picture.height) for x in range(picture.width))
        if found := next((spot for spot in spots if picture.getpixel(spot) == BADGE), None):
            # From the upper edge of the dot into it.
            await self.page.locator("#map").click(position={"x": found[0], "y": found[1] + 6})
