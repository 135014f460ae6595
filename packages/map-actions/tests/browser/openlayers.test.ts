/** What only maps of OpenLayers do. */

import { transform } from "ol/proj.js";
import View from "ol/View.js";
import { expect, it, vi } from "vitest";
import { LIGHT } from "../../src/palette.js";
import type { OpenLayersMap } from "../../src/openlayers/index.js";
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
