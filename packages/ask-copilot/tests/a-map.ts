/** A map without a drawing, and actions for it. */

import { ActionBus, type Camera, type Viewpoint } from "@ask-sogis/map-actions";
import { MapModel } from "../src/map/model.svelte";

export const limits = { mayLoad: async (url: string) => url.startsWith("https://geo.so.ch/") };
export const HOME: Viewpoint = { center: [2600000, 1200000], resolution: 10 };
export const THERE: Viewpoint = { center: [2610000, 1228000], resolution: 1 };
export const view = (east: number) => ({ type: "setView", payload: { center: [east, 1228000], zoom: 17, crs: "EPSG:2056" } });
export const marker = (id: string) => ({ type: "addMarker", payload: { id, coord: [2605899, 1229278], style: "pin-default" } });
export const wms = (id: string, label = id) => ({
  type: "addLayer",
  payload: { id, type: "wms", source: { url: "https://geo.so.ch/api/wms", LAYERS: id }, visible: true, label },
});
export const tileGrid = { origin: [2420000, 1350000], resolutions: [4000, 2000], matrixIds: ["0", "1"], tileSize: 256 };
export const outline = {
  type: "addLayer",
  payload: {
    id: "outline",
    type: "geojson",
    source: {
      data: {
        type: "Polygon",
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 0],
          ],
        ],
      },
      style: "highlight",
    },
  },
};

export function mapWith(camera: Partial<Camera> = {}): { map: MapModel; bus: ActionBus; jumps: unknown[]; shown: number[] } {
  const jumps: unknown[] = [];
  const shown: number[] = [];
  let place: Viewpoint = HOME;
  const whole: Camera = {
    show: async ({ center }) => {
      shown.push(center[0]);
      place = { center, resolution: 1 };
    },
    jump: (viewpoint) => {
      jumps.push(viewpoint);
      place = viewpoint;
    },
    where: () => place,
    sees: ([east]) => Math.abs(east - place.center[0]) <= 1_000,
    pixelOf: () => null,
    ...camera,
  };
  const map = new MapModel(async () => whole);
  return { map, bus: new ActionBus(map, limits), jumps, shown };
}
