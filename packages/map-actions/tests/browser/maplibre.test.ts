/** What holds of MapLibre only: its style may come late, and be replaced. */

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MapActions } from "../../src/index.js";
import { MapLibreMap } from "../../src/maplibre/index.js";
import { newMap, styleOf, witnessOf, type MapLibreWitness } from "./maplibre-bench.js";
import { START } from "./bench.js";
import { newService } from "./service.js";

const PATIENCE = { timeout: 20_000, interval: 50 };
const square = {
  type: "Polygon",
  coordinates: [
    [
      [2_606_800, 1_227_800],
      [2_607_200, 1_227_800],
      [2_607_200, 1_228_200],
      [2_606_800, 1_227_800],
    ],
  ],
};
const outline = { type: "addLayer", payload: { id: "square", type: "geojson", source: { data: square } } };
const marker = { type: "addMarker", payload: { id: "house", coord: START, label: "The house" } };

let map: MapLibreWitness;

beforeEach(() => {
  const element = document.createElement("div");
  Object.assign(element.style, { width: "400px", height: "300px" });
  document.body.append(element);
  // Its style is still on its way.
  map = witnessOf(newMap(element), element, { hasBackgrounds: false });
});

afterEach(() => {
  map.close();
  map.element.remove();
});

async function expectAllDrawn(): Promise<void> {
  expect((await map.layers()).map(({ id }) => id)).toEqual(["square"]);
  expect(await map.markers()).toBe(1);
  expect(map.map.listImages().filter((name) => name.startsWith("ask-"))).toHaveLength(2);
}

it("what is done before the style is there is drawn when it is", async () => {
  const actions = new MapActions(map.adapter);
  const results = await actions.apply([outline, marker]);
  expect(results.map(({ status }) => status)).toEqual(["applied", "applied"]);
  await map.map.once("load");
  await expectAllDrawn();
});

it.each([
  ["changed", true],
  ["loaded anew", false],
])("all is drawn again when the style is %s", async (_, diff) => {
  const actions = new MapActions(map.adapter);
  await map.map.once("load");
  await actions.apply([outline, marker]);
  map.map.setStyle(styleOf("#ffeecc"), { diff });
  await vi.waitFor(expectAllDrawn, PATIENCE);
  expect(map.map.getLayersOrder().slice(0, 3)).toEqual(["paper", "grey", "aerial"]);
  await actions.undo();
  expect((await map.layers()).length).toBe(0);
});

it("a background that has been set stays when the style is loaded anew", async () => {
  await map.map.once("load");
  const adapter = new MapLibreMap(map.map, { backgrounds: { sw: "grey", ortho: "aerial" } });
  const actions = new MapActions(adapter);
  await actions.apply([{ type: "setBackground", payload: { background: "ortho" } }]);
  map.map.setStyle(styleOf("#ffeecc"), { diff: false });
  await map.map.once("style.load");
  expect(map.backgrounds()).toEqual(["ortho"]);
  await actions.undo();
  expect(map.backgrounds()).toEqual(["sw"]);
});

it("what is loaded for the second time is told again", async () => {
  const states: string[] = [];
  map.adapter.listen({ loading: (_, state) => void states.push(state) });
  await map.map.once("load");
  const source = { url: newService(), LAYERS: "zones" };
  await new MapActions(map.adapter).apply([{ type: "addLayer", payload: { id: "zones", type: "wms", source } }]);
  await vi.waitFor(() => expect(states).toEqual(["loading", "loaded"]), PATIENCE);
  map.map.setStyle(styleOf(), { diff: false });
  await vi.waitFor(() => expect(states).toEqual(["loading", "loaded", "loading", "loaded"]), PATIENCE);
});

it("errors that are not ours go where they went before", async () => {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  await map.map.once("load");
  map.map.removeLayer("no layer");
  expect(logged).toHaveBeenCalledTimes(1);
  const heard = vi.fn();
  map.map.on("error", heard);
  map.map.removeLayer("no layer");
  expect(heard).toHaveBeenCalledTimes(1);
  expect(logged).toHaveBeenCalledTimes(1);
  logged.mockRestore();
});

it("the end after that of the map is none", async () => {
  const actions = new MapActions(map.adapter);
  await map.map.once("load");
  await actions.apply([outline]);
  map.map.remove();
  expect(() => actions.end()).not.toThrow();
});
