/** What only maps of OpenLayers do. */

import OlMap from "ol/Map.js";
import { clearUserProjection, setUserProjection, transform } from "ol/proj.js";
import View from "ol/View.js";
import { expect, it, vi } from "vitest";
import { LIGHT } from "../../src/palette.js";
import { MapActions } from "../../src/index.js";
import { OpenLayersMap } from "../../src/openlayers/index.js";
import { colourOf, open, START } from "./bench.js";
import { openLayers } from "./openlayers-bench.js";

const [EAST, NORTH] = START;
const RED = colourOf(LIGHT.mark);

it("a view in another projection is drawn in that", async () => {
  const map = await open(openLayers("EPSG:2056"));
  const { map: drawn } = map.adapter as OpenLayersMap;
  const data = { type: "LineString", coordinates: [[EAST + 200, NORTH - 400], [EAST + 200, NORTH + 400]] }; // prettier-ignore
  await map.actions.apply([
    { type: "addLayer", payload: { id: "line", type: "geojson", source: { data, style: "highlight" } } },
    { type: "addMarker", payload: { id: "pin", coord: START } },
  ]);
  drawn.setView(new View({ projection: "EPSG:3857", center: transform([...START], "EPSG:2056", "EPSG:3857"), resolution: 10 }));
  const isRed = (coord: readonly number[]): boolean => {
    drawn.renderSync();
    const [x, y] = drawn.getPixelFromCoordinate(transform([...coord], "EPSG:2056", "EPSG:3857")).map(Math.round) as [number, number];
    const { data } = map.picture().getImageData(x - 1, y, 3, 1);
    return [0, 4, 8].some((at) => RED.every((value, n) => Math.abs(data[at + n]! - value) < 72));
  };
  await vi.waitFor(() => expect(isRed([EAST + 200, NORTH + 300])).toBe(true), 20_000);
  expect(await map.markers()).toBe(1);
  expect(map.actions.context!.center[0]).toBeCloseTo(EAST, 0);
  map.close();
});

/** A map of its own, of 400 by 300 pixels. */
function mapOf(view: View | Promise<{ center: number[]; resolution: number; projection: string }>): OlMap {
  const target = document.createElement("div");
  Object.assign(target.style, { width: "400px", height: "300px" });
  document.body.append(target);
  return new OlMap({ target, view, controls: [] });
}

const goThere = { type: "setView", payload: { center: START, zoom: 15 } };

it("a view that comes later is not missed", async () => {
  const map = mapOf(Promise.resolve({ center: [...START], resolution: 10, projection: "EPSG:2056" }));
  const actions = new MapActions(new OpenLayersMap(map));
  expect(actions.context).toBeNull();
  await vi.waitFor(() => expect(actions.context?.center).toEqual(START), 5_000);
});

it.each(["EPSG:4326", "EPSG:32632"])("a view in %s is led to the place", async (projection) => {
  const map = mapOf(new View({ projection, center: transform([EAST + 5_000, NORTH], "EPSG:2056", projection), zoom: 10 }));
  const actions = new MapActions(new OpenLayersMap(map));
  expect(await actions.apply([goThere])).toMatchObject([{ status: "applied" }]);
  const [east, north] = transform(map.getView().getCenter()!, projection, "EPSG:2056");
  expect(Math.hypot(east! - EAST, north! - NORTH)).toBeLessThan(1);
});

it("a page that says all places in degrees is understood", async () => {
  setUserProjection("EPSG:4326");
  try {
    const map = mapOf(new View({ center: [7.6, 47.3], zoom: 12 }));
    const actions = new MapActions(new OpenLayersMap(map));
    expect(await actions.apply([goThere, { type: "addMarker", payload: { id: "m", coord: START } }])).toMatchObject([
      { status: "applied" },
      { status: "applied" },
    ]);
    const [east, north] = transform(map.getView().getCenter()!, "EPSG:4326", "EPSG:2056");
    expect(Math.hypot(east! - EAST, north! - NORTH)).toBeLessThan(1);
    expect(actions.context!.center).toEqual(START);
  } finally {
    clearUserProjection();
  }
});

it("a view that is turned sees what is on the screen", async () => {
  const map = mapOf(new View({ projection: "EPSG:2056", center: [...START], resolution: 1, rotation: Math.PI / 2 }));
  const { camera } = new OpenLayersMap(map);
  map.renderSync();
  // 400 pixels from north to south, 300 from east to west.
  expect([camera.sees([EAST, NORTH + 180]), camera.sees([EAST + 180, NORTH])]).toEqual([true, false]);
  expect(camera.free()).toEqual([400, 300]);
});

it("an extent is shown whole also on a map that is not on the screen yet", async () => {
  const map = mapOf(new View({ projection: "EPSG:2056", center: [...START], resolution: 10 }));
  const target = map.getTargetElement()!;
  target.style.display = "none";
  map.updateSize();
  const actions = new MapActions(new OpenLayersMap(map));
  const extent = [EAST - 1_000, NORTH - 500, EAST + 1_000, NORTH + 500];
  await actions.apply([{ type: "setView", payload: { center: START, zoom: 20, extent } }]);
  target.style.display = "";
  map.updateSize();
  expect(map.getView().getResolution()! / (2_000 / (400 - 64))).toBeCloseTo(1, 1);
});
