"""The page as a visitor uses it: by what is written and named on it, and what is on its map."""

import io
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from PIL import Image
from playwright.async_api import (
    ConsoleMessage,
    FloatRect,
    Locator,
    Page,
    Request,
    Route,
    TimeoutError,
    expect,
)
from tests.e2e.running import System, until

ROOT = Path(__file__).parents[2]

Coord = tuple[float, float]
Color = tuple[int, int, int]

PATIENCE_MS = 20_000
"""When to give up on a busy machine; what is waited for is always an event."""
MAP_HOSTS = {"geo.so.ch", "wmts.geo.admin.ch", "wms.geo.admin.ch"}
LAYER, BACKGROUND = (0, 170, 255), (222, 226, 220)
"""What the map services of these tests paint."""
UNREACHABLE = "Failed to load resource"
"""What the browser says about servers that are away, as map services are in most of these tests."""
PIN = (0xC8, 0x10, 0x2E)


@dataclass(frozen=True)
class View:
    """LV95, and metres a pixel."""

    center: Coord
    resolution: float


@dataclass(frozen=True)
class Box:
    """Pixels of the page."""

    x: float
    y: float
    width: float
    height: float


async def comes_true(condition: Callable[[], Awaitable[bool]]) -> None:
    """Until a condition holds. What a page looks like follows what it says, some frames later."""
    await until(condition, PATIENCE_MS / 1_000)


def patience_of(source: str, name: str) -> int:
    """Milliseconds: how long the page waits for something, which a constant of its sources says."""
    found = re.search(rf"\b{name} = ([\d_]+);", (ROOT / source).read_text())
    assert found, f"{source} has no {name}"
    return int(found[1])


FOR_BACKGROUNDS = {patience_of("client/src/map/tile-health.ts", "SILENCE_MS"): PATIENCE_MS}
"""However late the first tile comes: nobody stands in for its service."""
PATIENT = """(all) => {
  const [soon, limit] = [setTimeout, AbortSignal.timeout];
  window.setTimeout = (then, ms, ...more) => soon(then, all[ms] ?? ms, ...more);
  AbortSignal.timeout = (ms) => limit.call(AbortSignal, all[ms] ?? ms);
}"""
"""For how long the page waits: some milliseconds become others."""


class Screen:
    """One visitor's page. `system` is what it talks to."""

    def __init__(self, page: Page, system: System) -> None:
        self.page = page
        self.system = system
        self.pictures: list[dict[str, str]] = []
        """The parameters of every picture that a WMS was asked for."""
        self.complaints: list[str] = []
        """Errors of scripts, violations of the policy, dialogs, and requests to strangers."""
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(f"page: {error}"))
        page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        page.on("request", self._asked)

    async def map_is_ready(self) -> None:
        await expect(self.map).to_have_attribute("data-ready", "true")

    # -- what nobody should see --------------------------------------------------------------------

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(UNREACHABLE):
            self.complaints.append(f"console: {message.text}")

    def _asked(self, request: Request) -> None:
        asked = urlsplit(request.url)
        own = f"{asked.scheme}://{asked.netloc}" == self.system.stack.url
        if not own and asked.scheme in ("http", "https", "ws", "wss") and asked.hostname not in MAP_HOSTS:
            self.complaints.append(f"request: {request.url}")

    # -- chat --------------------------------------------------------------------------------------

    @property
    def chat(self) -> Locator:
        return self.page.get_by_role("region", name="Unterhaltung")

    @property
    def message(self) -> Locator:
        return self.page.get_by_role("textbox", name="Nachricht")

    @property
    def stop(self) -> Locator:
        return self.page.get_by_role("button", name="Antwort abbrechen")

    @property
    def send(self) -> Locator:
        return self.page.get_by_role("button", name="Senden")

    @property
    def exchanges(self) -> Locator:
        """Question and answer, the oldest first."""
        return self.chat.get_by_role("article")

    @property
    def said(self) -> Locator:
        """What a screen reader is told."""
        return self.page.get_by_role("main").get_by_role("status").last

    def step(self, text: str) -> Locator:
        """A step of an answer, by what it says."""
        return self.chat.get_by_role("listitem").filter(has_text=text)

    def choice(self, label: str) -> Locator:
        return self.chat.get_by_role("button", name=label)

    async def say(self, message: str) -> None:
        await self.message.fill(message)
        await self.send.click()

    async def idle(self) -> None:
        """Until nothing is being worked on."""
        await expect(self.stop).to_have_count(0)

    async def answered(self, text: str) -> Locator:
        """The step that says so, when its answer is complete."""
        step = self.step(text).last
        await expect(step).to_be_visible()
        await self.idle()
        return step

    # -- map ---------------------------------------------------------------------------------------

    @property
    def map(self) -> Locator:
        """Its `data-` attributes say what the map shows, for tests: the view, and the contents as JSON."""
        return self.page.get_by_role("application", name="Karte.")

    async def map_shows(
        self,
        *,
        layers: list[str] | None = None,
        markers: dict[str, Coord] | None = None,
        center: Coord | None = None,
        resolution: float | None = None,
        background: str | None = None,
    ) -> None:
        """Until the map has these layers (the topmost first) and markers and no others, and is there."""
        wanted = {
            "layers": layers,
            "markers": markers,
            "center": center,
            "resolution": resolution,
            "background": background,
        }
        map_ = await self.map.element_handle()
        try:
            await self.page.wait_for_function(_SHOWS, arg=[map_, wanted])
        except TimeoutError as error:
            shown = json.dumps(await self.map.evaluate("map => ({...map.dataset})"), indent=1)
            raise AssertionError(f"the map shows\n{shown}\nand not\n{json.dumps(wanted)}") from error

    async def layers(self) -> list[str]:
        """The topmost first."""
        found: list[str] = await self.map.evaluate(
            "map => JSON.parse(map.dataset.contents).layers.map(l => l.id)"
        )
        return found

    async def markers(self) -> dict[str, Coord]:
        listed = await self.map.evaluate("map => JSON.parse(map.dataset.contents).markers")
        return {each["id"]: (each["coord"][0], each["coord"][1]) for each in listed}

    async def view(self) -> View:
        dataset = await self.map.evaluate("map => ({...map.dataset})")
        return View((float(dataset["east"]), float(dataset["north"])), float(dataset["resolution"]))

    async def pixel(self, coord: Coord) -> tuple[int, int]:
        """Where a place of the map is on the page: the map itself tells the place under the pointer."""
        free = await self.free_area()
        x, y = round(free.x + free.width / 2), round(free.y + free.height / 2)
        await self.page.mouse.move(x + 1, y)
        await self.page.mouse.move(x, y)
        told = (await self.page.get_by_text(_PLACE).inner_text()).split("/")
        east, north = (int(re.sub(r"\D", "", part)) for part in told)
        resolution = (await self.view()).resolution
        return round(x + (coord[0] - east) / resolution), round(y - (coord[1] - north) / resolution)

    async def free_area(self) -> Box:
        """The part of the map that the chat leaves free: right of it, or above it on a phone."""
        page, chat = self.page.viewport_size, await self.chat.bounding_box()
        assert page is not None and chat is not None
        if chat["width"] > page["width"] * 0.9:
            return Box(0, 0, page["width"], chat["y"])
        left = chat["x"] + chat["width"] if chat["x"] >= 0 else 0
        return Box(left, 0, page["width"] - left, page["height"])

    async def colors(self, box: Box) -> set[Color]:
        """All colours in a part of the page."""
        clip: FloatRect = {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
        picture = Image.open(io.BytesIO(await self.page.screenshot(clip=clip))).convert("RGB")
        counted = picture.getcolors(picture.width * picture.height) or []
        return {(color[0], color[1], color[2]) for _, color in counted if isinstance(color, tuple)}

    async def pin_stands_at(self, coord: Coord) -> None:
        """Until a pin is painted whose point is at a place of the map, clear of what lies over it."""

        async def is_pin() -> bool:
            x, y = await self.pixel(coord)
            free = await self.free_area()
            if not (20 < x - free.x < free.width - 20 and 48 < y - free.y < free.height - 4):
                return False
            # Its stem ends at the place; nothing of it is below.
            above = await self.colors(Box(x - 3, y - 11, 6, 5))
            below = await self.colors(Box(x - 3, y + 5, 6, 5))
            return PIN in above and PIN not in below

        await comes_true(is_pin)

    async def painted(self, color: Color, *, painted: bool = True) -> None:
        """Until a colour covers the middle of the map, or no longer does."""

        async def is_so() -> bool:
            free = await self.free_area()
            spot = Box(free.x + free.width / 2 + 60, free.y + free.height / 2 + 60, 8, 8)
            return (await self.colors(spot) == {color}) is painted

        await comes_true(is_so)

    async def names_are_painted(self) -> None:
        """Until there are names of places on the map: in more shades than an empty ground has."""

        async def are_there() -> bool:
            return len(await self.colors(await self.free_area())) > 20

        await comes_true(are_there)

    async def extent_asked_for(self, layer: str) -> tuple[float, ...]:
        """West, south, east and north of the last picture of a layer."""
        asked = [each for each in self.pictures if each["LAYERS"] == layer]
        assert asked, f"no picture of {layer} was asked for"
        assert asked[-1]["CRS"] == "EPSG:2056"
        return tuple(map(float, asked[-1]["BBOX"].split(",")))

    async def zoom(self, button: str, resolution: float) -> None:
        """Until the map has the level to which a button leads."""
        await self.page.get_by_role("button", name=button).click()
        await self.map_shows(resolution=resolution)

    async def drag(self, by: tuple[float, float]) -> None:
        """Pulls the map by pixels to the right and down."""
        before, free = await self.view(), await self.free_area()
        x, y = free.x + free.width / 2, free.y + free.height / 2
        await self.page.mouse.move(x, y)
        await self.page.mouse.down()
        await self.page.mouse.move(x + by[0], y + by[1], steps=6)
        await self.page.mouse.up()
        await self.until_moved(before)

    async def open_layers(self) -> None:
        await self.page.get_by_role("button", name="Layer öffnen").click()

    async def close_layers(self) -> None:
        await self.page.get_by_role("button", name="Layer schliessen").last.click()

    async def until_moved(self, before: View) -> None:
        """Until the map shows another place."""

        async def is_elsewhere() -> bool:
            return (await self.view()).center != before.center

        await comes_true(is_elsewhere)

    async def a_pin_is_in_sight(self) -> None:
        """Until a pin is painted where the chat leaves the map free."""

        async def is_there() -> bool:
            return PIN in await self.colors(await self.free_area())

        await comes_true(is_there)

    # -- what map services would say ----------------------------------------------------------------

    async def with_map_services(self, *, backgrounds: bool = True) -> None:
        """From here on map services answer: layers are painted in one colour, backgrounds in another."""

        async def answer(route: Route) -> None:
            asked = {k.upper(): v for k, v in parse_qsl(urlsplit(route.request.url).query)}
            is_layer = asked.get("REQUEST") == "GetMap"
            if is_layer:
                self.pictures.append(asked)
            elif not backgrounds:
                return await route.abort()
            size = (int(asked["WIDTH"]), int(asked["HEIGHT"])) if is_layer else (256, 256)
            body = picture_of(LAYER if is_layer else BACKGROUND, size)
            await route.fulfill(body=body, content_type="image/png")
            return None

        await self.page.route(lambda url: urlsplit(url).hostname in MAP_HOSTS, answer)


def picture_of(color: Color, size: tuple[int, int]) -> bytes:
    """A PNG of one colour."""
    buffer = io.BytesIO()
    Image.new("RGB", size, color).save(buffer, "PNG")
    return buffer.getvalue()


_PLACE = re.compile(r"^2\s\d{3}\s\d{3} / 1\s\d{3}\s\d{3}$")
_SHOWS = """([map, wanted]) => {
  const shown = map.dataset, contents = JSON.parse(shown.contents);
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  const near = (a, b) => Math.abs(a - b) <= 0.11;
  const { layers, markers, center, resolution, background } = wanted;
  const found = Object.fromEntries(contents.markers.map(({ id, coord }) => [id, coord]));
  const visible = contents.layers.filter((each) => each.visible).map((each) => each.id);
  return (layers === null || same(visible, layers))
    && (markers === null || (same(Object.keys(found).sort(), Object.keys(markers).sort())
      && Object.entries(markers).every(([id, [e, n]]) => near(found[id][0], e) && near(found[id][1], n))))
    && (center === null || (near(shown.east, center[0]) && near(shown.north, center[1])))
    && (resolution === null || near(shown.resolution, resolution))
    && (background === null || shown.background === background);
}"""
