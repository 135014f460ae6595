/** What holds of the actions on a map, whichever library draws it. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { userEvent } from "vitest/browser";
import type { Coord, Extent } from "../../src/geometry.js";
import { MapActions } from "../../src/map-actions.js";
import { LIGHT } from "../../src/palette.js";
import { FEDERAL_GRID } from "../../src/tile-grids.js";
import { colourOf, open, SIZE, START, type Opened } from "./bench.js";
import { mapLibre } from "./maplibre-bench.js";
import { openLayers } from "./openlayers-bench.js";
import { asked, newService } from "./service.js";

const BLUE = colourOf(LIGHT.badge);
const RED = colourOf(LIGHT.mark);
const WHITE = [255, 255, 255] as const;
/** Of the map service. */
const EASTERN = [220, 0, 0] as const;
const WESTERN = [0, 0, 220] as const;
/** Metres a pixel at zoom level 15 of the actions, and the extent of the map there. */
const RESOLUTION_15 = 2.5;
const [EAST, NORTH] = START;
/** A line that is thinner than two pixels may be mixed with what is below. */
const THIN = 72;
/** A service that says nothing for so long is told to be silent, whether it is or not. */
const SILENCE_MS = 8_000;
const PATIENCE = { timeout: 20_000, interval: 50 };

const waitFor = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, PATIENCE);

function squareOf([east, north]: Coord, size: number): Extent {
  return [east - size, north - size, east + size, north + size];
}

function outline([minEast, minNorth, maxEast, maxNorth]: Extent, tag: string) {
  const ring = [
    [minEast, minNorth],
    [maxEast, minNorth],
    [maxEast, maxNorth],
    [minEast, maxNorth],
    [minEast, minNorth],
  ];
  return { type: "Feature", properties: { tag }, geometry: { type: "Polygon", coordinates: [ring] } };
}

function addOutline(id: string, extent = squareOf(START, 200), more: object = {}) {
  return { type: "addLayer", payload: { id, type: "geojson", source: { data: outline(extent, id), ...more } } };
}

function addWms(id: string, url: string, parameters: object = { LAYERS: "zones" }) {
  return { type: "addLayer", payload: { id, type: "wms", source: { url, ...parameters } } };
}

function addTable(id: string, features: readonly object[]) {
  return { type: "addFeatures", payload: { id, label: id, count: features.length, features: { type: "FeatureCollection", features } } };
}

function point(id: string, coordinates: Coord) {
  return { type: "Feature", id, properties: { label: `Number ${id}` }, geometry: { type: "Point", coordinates } };
}

const marker = (id: string, coord: Coord = START) => ({ type: "addMarker", payload: { id, coord, label: `The ${id}` } });
const view = (center: Coord, zoom = 15) => ({ type: "setView", payload: { center, zoom } });

function distance(one: Coord, other: Coord): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1]);
}

describe.each([openLayers("EPSG:2056"), openLayers("EPSG:3857"), mapLibre])("on a map of $name", (bench) => {
  let map: Opened;

  async function apply(...actions: object[]): Promise<void> {
    const results = await map.actions.apply(actions);
    expect(results.map(({ status, reason }) => reason ?? status)).toEqual(actions.map(() => "applied"));
  }

  const ids = async (): Promise<string[]> => (await map.layers()).map(({ id }) => id);

  beforeEach(async () => void (map = await open(bench)));
  afterEach(() => map.close());

  describe("the view", () => {
    it("goes to a place, and is there when it is told", async () => {
      const place: Coord = [2_606_500, 1_229_100];
      await apply(view(place));
      expect(distance(map.center(), place)).toBeLessThan(1);
      expect(map.resolution() / RESOLUTION_15).toBeCloseTo(1, 1);
    });

    it("goes there at once where nothing is to move", async () => {
      const still = vi.spyOn(window, "matchMedia").mockReturnValue({ matches: true } as MediaQueryList);
      const place: Coord = [2_606_500, 1_229_100];
      try {
        await apply(view(place));
      } finally {
        still.mockRestore();
      }
      expect(distance(map.center(), place)).toBeLessThan(1);
    });

    it("is there in the end where nothing is drawn, as on a hidden page", async () => {
      const place: Coord = [2_606_500, 1_229_100];
      const drawn = vi.spyOn(window, "requestAnimationFrame").mockReturnValue(0);
      try {
        await apply(view(place));
        expect(distance(map.center(), place)).toBeLessThan(1);
        const extent: Extent = [2_606_000, 1_228_500, 2_608_000, 1_229_000];
        await apply({ type: "setView", payload: { center: START, zoom: 20, extent } });
        expect(distance(map.center(), [2_607_000, 1_228_750])).toBeLessThan(5);
      } finally {
        drawn.mockRestore();
      }
    });

    it("shows all of an extent and little more", async () => {
      const extent: Extent = [2_606_000, 1_228_500, 2_608_000, 1_229_000];
      await apply({ type: "setView", payload: { center: START, zoom: 20, extent } });
      expect(distance(map.center(), [2_607_000, 1_228_750])).toBeLessThan(5);
      for (const corner of [extent.slice(0, 2), extent.slice(2)] as unknown as Coord[]) {
        const [x, y] = map.pixelOf(corner);
        expect(Math.min(x, SIZE.width - x, y, SIZE.height - y)).toBeGreaterThan(30);
      }
      const wanted = 2_000 / (SIZE.width - 64);
      expect(map.resolution() / wanted).toBeGreaterThan(0.99);
      expect(map.resolution() / wanted).toBeLessThan(1.2);
    });

    it("comes no closer to a small extent than the zoom level says", async () => {
      await apply({ type: "setView", payload: { center: START, zoom: 15, extent: [...START, ...START] } });
      expect(map.resolution() / RESOLUTION_15).toBeCloseTo(1, 1);
      expect(distance(map.center(), START)).toBeLessThan(1);
    });

    it("goes there also when the map gets another size on the way", async () => {
      const place: Coord = [2_606_500, 1_229_100];
      const arrived = apply(view(place));
      await waitFor(() => expect(distance(map.center(), START)).toBeGreaterThan(1));
      map.element.style.width = "240px";
      await arrived;
      expect(distance(map.center(), place)).toBeLessThan(1);
    });

    it("is told with the context", async () => {
      const place: Coord = [2_606_500, 1_229_100];
      await apply(view(place));
      const context = map.actions.context!;
      expect(distance(context.center, place)).toBeLessThan(1);
      expect(context.scale / (RESOLUTION_15 * (96 / 0.0254))).toBeCloseTo(1, 2);
      const [west, south, east, north] = context.extent;
      expect((east - west) / (SIZE.width * RESOLUTION_15)).toBeCloseTo(1, 2);
      expect((north - south) / (SIZE.height * RESOLUTION_15)).toBeCloseTo(1, 2);
    });

    it("keeps clear of what lies over the map", async () => {
      const [covered, middle] = [100, 100 + (SIZE.width - 100) / 2];
      map.cover(covered);
      await apply(view([2_606_500, 1_229_100]));
      expect(map.pixelOf([2_606_500, 1_229_100])[0]).toBeCloseTo(middle, -0.5);
      expect(map.adapter.camera.sees([2_606_500 - 140 * RESOLUTION_15, 1_229_100])).toBe(false);
      const extent: Extent = [2_606_000, 1_228_500, 2_608_000, 1_229_000];
      await apply({ type: "setView", payload: { center: START, zoom: 20, extent } });
      expect(map.pixelOf([2_607_000, 1_228_750])[0]).toBeCloseTo(middle, -0.5);
      expect(map.pixelOf([2_606_000, 1_228_750])[0]).toBeGreaterThan(covered + 30);
      await waitFor(() => {
        const [west, , east] = map.actions.context!.extent;
        expect((east - west) / (300 * map.resolution())).toBeCloseTo(1, 2);
      });
    });

    it("knows what it sees, and where on the page that is", async () => {
      await apply(view(START));
      const { camera } = map.adapter;
      expect(camera.sees(START)).toBe(true);
      expect(camera.sees([EAST + (SIZE.width / 2 - 4) * RESOLUTION_15, NORTH])).toBe(false);
      const [x, y] = camera.pixelOf([EAST + 100 * RESOLUTION_15, NORTH])!;
      expect(x).toBeCloseTo(SIZE.width / 2 + 100, -0.5);
      expect(Math.abs(y - SIZE.height / 2)).toBeLessThan(4);
      expect(camera.pixelOf([EAST + 10_000, NORTH])).toBeNull();
    });

    it("is taken back, to the place and the scale of before", async () => {
      await apply(view([2_606_500, 1_229_100], 14));
      const before = [map.center(), map.resolution()] as const;
      await apply(view(START, 17));
      expect(await map.actions.undo()).toBe(true);
      expect(distance(map.center(), before[0])).toBeLessThan(0.2);
      expect(map.resolution() / before[1]).toBeCloseTo(1, 4);
    });

    it("is no step when it stays where it is", async () => {
      await apply(view(START));
      const steps = map.actions.undoable;
      await apply(view(START));
      expect(map.actions.undoable).toBe(steps);
    });
  });

  describe("layers", () => {
    it("are drawn where they are", async () => {
      await apply(view(START), addOutline("square"));
      await waitFor(() => {
        for (const edge of [
          [EAST - 200, NORTH],
          [EAST + 200, NORTH + 80],
          [EAST, NORTH - 200],
          [EAST + 50, NORTH + 200],
        ] as Coord[]) {
          expect(map.shows(edge, BLUE)).toBe(true);
        }
      });
      expect(map.shows([EAST + 300, NORTH], BLUE)).toBe(false);
      expect(map.shows(START, BLUE)).toBe(false);
    });

    it("that mark a thing are in the colour of marks, above all others, and not in the context", async () => {
      await apply(view(START), addOutline("parcel", undefined, { style: "highlight" }), addOutline("other"));
      await waitFor(() => expect(map.shows([EAST - 200, NORTH], RED)).toBe(true));
      expect(map.shows([EAST - 200, NORTH], BLUE)).toBe(false);
      expect(await ids()).toEqual(["parcel", "other"]);
      expect(map.actions.context!.layers.map(({ id }) => id)).toEqual(["other"]);
    });

    it("lie in their order, which can be changed", async () => {
      await apply(addOutline("a"), addOutline("b"), addOutline("c"));
      expect(await ids()).toEqual(["a", "b", "c"]);
      await apply(addOutline("d"));
      expect(await ids()).toEqual(["d", "a", "b", "c"]);
      await apply({ type: "moveLayer", payload: { id: "c", order: 3 } });
      expect(await ids()).toEqual(["c", "d", "a", "b"]);
      expect(map.actions.context!.layers.map(({ id }) => id)).toEqual(["b", "a", "d", "c"]);
    });

    it("that mark things keep their order too", async () => {
      await apply(addOutline("lower", undefined, { style: "highlight" }));
      await apply(addOutline("upper", undefined, { style: "highlight" }));
      expect(await ids()).toEqual(["upper", "lower"]);
      await apply({ type: "clearMap" });
      await map.actions.undo();
      expect(await ids()).toEqual(["upper", "lower"]);
    });

    it("are drawn over those that are below", async () => {
      const edge: Coord = [EAST - 200, NORTH];
      const isCovered = (): void => expect([map.shows(edge, BLUE), map.shows(edge, WESTERN)]).toEqual([false, true]);
      await apply(view(START), addOutline("square"));
      await waitFor(() => expect(map.shows(edge, BLUE)).toBe(true));
      await apply(addWms("picture", newService()));
      await waitFor(isCovered);
      await apply({ type: "moveLayer", payload: { id: "square", order: 1 } });
      await waitFor(() => expect(map.shows(edge, BLUE)).toBe(true));
      await apply({ type: "moveLayer", payload: { id: "square", order: 0 } });
      await waitFor(isCovered);
    });

    it("are hidden, made lighter and taken away", async () => {
      await apply(view(START), addOutline("square"), addOutline("other"));
      await apply({ type: "setLayerOpacity", payload: { id: "square", opacity: 0.25 } });
      expect(await map.layers()).toEqual([
        { id: "square", visible: true, opacity: 0.25 },
        { id: "other", visible: true, opacity: 1 },
      ]);
      await apply({ type: "removeLayer", payload: { id: "other" } });
      await waitFor(() => expect(map.shows([EAST - 200, NORTH], [194, 214, 220])).toBe(true));
      await apply({ type: "setLayerVisibility", payload: { id: "square", visible: false } });
      expect(await map.layers()).toEqual([{ id: "square", visible: false, opacity: 0.25 }]);
      await waitFor(() => expect(map.shows([EAST - 200, NORTH], WHITE)).toBe(true));
      await apply({ type: "removeLayer", payload: { id: "square" } });
      expect(await map.layers()).toEqual([]);
    });

    it("with the same id are replaced", async () => {
      await apply(view(START), addOutline("square"));
      await apply(addOutline("square", squareOf(START, 100)));
      await waitFor(() => expect(map.shows([EAST - 100, NORTH], BLUE)).toBe(true));
      await waitFor(() => expect(map.shows([EAST - 200, NORTH], BLUE)).toBe(false));
      await apply(addWms("square", newService()));
      await waitFor(() => expect(map.shows([EAST - 100, NORTH], WESTERN)).toBe(true));
    });

    it("that are no shapes draw nothing, and harm no others", async () => {
      const bad = { type: "Polygon", coordinates: [EAST, NORTH] };
      const worse = { type: "Blob", coordinates: [EAST, NORTH] };
      const mixed = {
        type: "LineString",
        coordinates: [
          [EAST, NORTH, 1],
          [EAST + 9, NORTH],
          [EAST, NORTH + 9, 2],
          [EAST, NORTH],
        ],
      };
      const named = { ...outline(squareOf(START, 50), "x"), id: { toString: 1 }, properties: { geometry: "POINT(1 2)" } };
      const many = { type: "FeatureCollection", features: [...Array<object>(150_000).fill({ type: "Feature", geometry: null }), named] };
      const layers = [bad, worse, mixed, named, many].map((data, n) => ({
        type: "addLayer",
        payload: { id: `bad ${n}`, type: "geojson", source: { data } },
      }));
      await map.actions.apply([view(START), ...layers]);
      await apply(addOutline("square"), marker("m"));
      expect(await map.markers()).toBe(1);
      await waitFor(() => expect(map.shows([EAST - 200, NORTH], BLUE)).toBe(true));
    });
  });

  describe("pictures of a map service", () => {
    it("are asked for as the service understands it", async () => {
      const url = newService();
      await apply(view(START), addWms("zones", `${url}?map=cadastre`, { LAYERS: "zones", FORMAT: "image/jpeg" }));
      const [first] = await waitFor(async () => {
        const all = await asked(url);
        expect(all.length).toBeGreaterThan(0);
        return all;
      });
      expect(first).toMatchObject({
        map: "cadastre",
        SERVICE: "WMS",
        REQUEST: "GetMap",
        VERSION: "1.3.0",
        LAYERS: "zones",
        FORMAT: "image/jpeg",
        STYLES: "",
      });
      expect(first!["TRANSPARENT"]!.toLowerCase()).toBe("true");
      expect(first!["BBOX"]!.split(",").map(Number).every(Number.isFinite)).toBe(true);
      expect(first!["CRS"]).toBe(bench === mapLibre ? "EPSG:3857" : "EPSG:2056");
    });

    it("are asked for in another version, however its name is written", async () => {
      const url = newService();
      await apply(view(START), addWms("zones", url, { layers: "zones", version: "1.1.1", styles: "dark" }));
      const [first] = await waitFor(async () => {
        const all = await asked(url);
        expect(all.length).toBeGreaterThan(0);
        return all;
      });
      expect(first).toMatchObject({ VERSION: "1.1.1", LAYERS: "zones", STYLES: "dark", SRS: expect.any(String) });
      expect(first).not.toHaveProperty("version");
      expect(first).not.toHaveProperty("CRS");
    });

    it("lie where they belong", async () => {
      await apply(view(START, 14), addWms("zones", newService()));
      await waitFor(() => {
        for (const north of [-500, 0, 500]) {
          expect(map.shows([EAST - 100, NORTH + north], WESTERN)).toBe(true);
          expect(map.shows([EAST + 100, NORTH + north], EASTERN)).toBe(true);
        }
      });
    });

    it("say whose they are, as text whatever that is", async () => {
      await apply({
        type: "addLayer",
        payload: { ...addWms("a", newService()).payload, attribution: "Office & <img src=x onerror=alert(1)>" },
      });
      await waitFor(() => expect(map.element.textContent).toContain("Office & <img src=x onerror=alert(1)>"));
      expect(map.element.querySelector("img[src='x']")).toBeNull();
    });

    it("tell how they come", async () => {
      await apply(addWms("zones", newService()));
      await waitFor(() =>
        expect(map.states).toEqual([
          ["zones", "loading"],
          ["zones", "loaded"],
        ]),
      );
    });

    it.each(["broken", "empty"] as const)("tell that they do not come: %s", async (kind) => {
      const silent = vi.spyOn(console, "error").mockReturnValue();
      await apply(addWms("zones", newService(kind)));
      await waitFor(() =>
        expect(map.states).toEqual([
          ["zones", "loading"],
          ["zones", "silent"],
        ]),
      );
      // They are not only waited for in vain.
      expect(map.times[1]! - map.times[0]!).toBeLessThan(SILENCE_MS);
      expect(silent).not.toHaveBeenCalled();
      silent.mockRestore();
    });
  });

  describe("pictures that come late", () => {
    it("are asked for again", async () => {
      const silent = vi.spyOn(console, "error").mockReturnValue();
      await apply(view(START), addWms("zones", newService("late")));
      await waitFor(() => expect(map.shows([EAST - 100, NORTH], WESTERN)).toBe(true));
      await waitFor(() => expect(map.states.map(([, state]) => state)).toEqual(["loading", "silent", "loading", "loaded"]));
      silent.mockRestore();
    });
  });

  describe("what marks places", () => {
    it("is drawn, and taken away", async () => {
      await apply(view(START), marker("house"), marker("tree", [EAST + 250, NORTH]));
      expect(await map.markers()).toBe(2);
      // The pin stands on its place, its middle is above it.
      await waitFor(() => expect(map.shows([EAST, NORTH + 14 * RESOLUTION_15], RED)).toBe(true));
      // Something is written above the pin.
      await waitFor(() => expect(map.shows([EAST, NORTH + 58 * RESOLUTION_15], colourOf(LIGHT.ink))).toBe(true));
      await apply({ type: "removeMarker", payload: { id: "house" } });
      expect(await map.markers()).toBe(1);
      await waitFor(() => expect(map.shows([EAST, NORTH + 14 * RESOLUTION_15], WHITE)).toBe(true));
      await apply(addOutline("parcel", undefined, { style: "highlight" }), addOutline("layer"));
      await apply({ type: "removeMarker", payload: { id: "*" } });
      expect(await map.markers()).toBe(0);
      expect(await ids()).toEqual(["layer"]);
    });

    it("are features, of which one stands out", async () => {
      const other: Coord = [EAST + 200, NORTH];
      await apply(view(START), addTable("schools", [point("1", START), point("2", other), { type: "Feature", id: "3", geometry: null }]));
      expect(await map.features()).toBe(2);
      await waitFor(() => expect(map.shows(START, BLUE) && map.shows(other, BLUE)).toBe(true));
      const nothing = { candidates: [], lifted: null };
      map.adapter.emphasise({ highlighted: { table: "schools", feature: "2" }, ...nothing });
      await waitFor(() => expect(map.shows(other, RED)).toBe(true));
      expect(map.shows(START, BLUE)).toBe(true);
      map.adapter.emphasise({ highlighted: null, ...nothing });
      await waitFor(() => expect(map.shows(other, BLUE)).toBe(true));
      await apply({ type: "removeFeatures", payload: { id: "*" } });
      expect(await map.features()).toBe(0);
      await waitFor(() => expect(map.shows(START, WHITE)).toBe(true));
    });

    it("are features that have their names close by", async () => {
      await apply(addTable("schools", [point("1", START)]));
      map.adapter.camera.jump({ center: START, resolution: 2.2 });
      const name: Coord = [EAST, NORTH - 16 * 2.2];
      await waitFor(() => expect(map.shows(name, colourOf(LIGHT.ink), THIN)).toBe(true));
      map.adapter.camera.jump({ center: START, resolution: 2.8 });
      await waitFor(() => expect(map.shows([EAST, NORTH - 16 * 2.8], colourOf(LIGHT.ink), THIN)).toBe(false));
    });

    it("are places to choose from, and what is pointed at elsewhere", async () => {
      await apply(view(START));
      const at = (coord: Coord, size: number) => ({ coord, extent: null, geometry: outline(squareOf(coord, size), "").geometry });
      const other: Coord = [EAST + 250, NORTH];
      map.adapter.emphasise({
        highlighted: null,
        candidates: [at(START, 80), { coord: other, extent: null, geometry: null }],
        lifted: null,
      });
      await waitFor(() => expect(map.shows([EAST + 80, NORTH], RED, THIN) && map.shows([EAST + 18, NORTH], BLUE)).toBe(true));
      await waitFor(() => expect(map.shows([other[0] + 18, NORTH], BLUE)).toBe(true));
      map.adapter.emphasise({ highlighted: null, candidates: [], lifted: at(START, 150) });
      await waitFor(() => expect(map.shows([EAST + 150, NORTH], RED)).toBe(true));
      await waitFor(() => expect(map.shows([EAST + 18, NORTH], BLUE)).toBe(false));
      map.adapter.emphasise({ highlighted: null, candidates: [], lifted: { coord: other, extent: null, geometry: null } });
      await waitFor(() => expect(map.shows([other[0] + 16 * RESOLUTION_15, NORTH], RED)).toBe(true));
      map.adapter.emphasise({ highlighted: null, candidates: [], lifted: null });
      await waitFor(() => expect(map.shows([other[0] + 16 * RESOLUTION_15, NORTH], RED)).toBe(false));
    });
  });

  describe("together", () => {
    it("all is taken away by clearing the map, and comes back with undo", async () => {
      await apply(addOutline("square"), marker("house"), addTable("schools", [point("1", START)]));
      await apply({ type: "clearMap" });
      expect([await ids(), await map.markers(), await map.features()]).toEqual([[], 0, 0]);
      expect(await map.actions.undo()).toBe(true);
      expect([await ids(), await map.markers(), await map.features()]).toEqual([["square"], 1, 1]);
    });

    it("what was done at once is taken back at once, with the view", async () => {
      const place: Coord = [2_606_500, 1_229_100];
      const before = map.center();
      await apply(addOutline("square"), view(place), marker("house"));
      expect(map.actions.undoable).toBe(1);
      expect(await map.actions.undo()).toBe(true);
      expect([await ids(), await map.markers()]).toEqual([[], 0]);
      expect(distance(map.center(), before)).toBeLessThan(1);
      expect(await map.actions.undo()).toBe(false);
    });

    it("a preview is drawn, and leaves nothing", async () => {
      const before = [map.center(), map.resolution()] as const;
      await map.actions.preview([addOutline("square"), marker("house"), view([2_606_500, 1_229_100])]);
      expect([await ids(), await map.markers()]).toEqual([["square"], 1]);
      expect(distance(map.center(), [2_606_500, 1_229_100])).toBeLessThan(1);
      await map.actions.endPreview();
      expect([await ids(), await map.markers()]).toEqual([[], 0]);
      expect(distance(map.center(), before[0])).toBeLessThan(0.2);
      expect(map.resolution() / before[1]).toBeCloseTo(1, 4);
      expect(map.actions.undoable).toBe(0);
    });

    it("the background changes, and is taken back", async () => {
      expect(map.backgrounds()).toEqual(["sw"]);
      await apply({ type: "setBackground", payload: { background: "ortho" } });
      expect(map.backgrounds()).toEqual(["ortho"]);
      await apply({ type: "setBackground", payload: { background: "none" } });
      expect(map.backgrounds()).toEqual([]);
      await map.actions.undo(2);
      expect(map.backgrounds()).toEqual(["sw"]);
      const [missing] = await map.actions.apply([{ type: "setBackground", payload: { background: "color" } }]);
      expect(missing!.reason).toBe("no_background");
    });

    it("without backgrounds none can be set", async () => {
      map.close();
      map = await open(bench, { hasBackgrounds: false });
      const results = await map.actions.apply([{ type: "setBackground", payload: { background: "none" } }, marker("house")]);
      expect(results.map(({ reason }) => reason)).toEqual(["no_background", undefined]);
      expect(map.backgrounds()).toEqual(["sw"]);
    });

    it("what is refused is told, and what comes after it is done", async () => {
      const results = await map.actions.apply([
        { type: "fly" },
        { type: "setView", payload: { center: [0, 0], zoom: 3 } },
        addWms("zones", "javascript:alert(1)"),
        { type: "removeLayer", payload: { id: "missing" } },
        { type: "removeMarker", payload: { id: "missing" } },
        marker("house"),
        addOutline("square"),
      ]);
      expect(results.map(({ status, reason }) => reason ?? status)).toEqual([
        ...["unknown_action", "outside", "unsafe_url", "unknown_layer", "unknown_marker"],
        ...["applied", "applied"],
      ]);
      expect([await ids(), await map.markers()]).toEqual([["square"], 1]);
    });

    it("a click tells its place", async () => {
      await apply(view(START));
      await userEvent.click(map.element, { position: { x: SIZE.width / 2 + 100, y: SIZE.height / 2 - 50 } });
      await waitFor(() => expect(map.clicks).toHaveLength(1));
      const [x, y] = map.pixelOf(map.clicks[0]!);
      expect([x, y].map((each) => Math.round(each / 2) * 2)).toEqual([SIZE.width / 2 + 100, SIZE.height / 2 - 50]);
      expect(distance(map.clicks[0]!, [EAST + 250, NORTH + 125])).toBeLessThan(12);
    });

    it("the end leaves the map as it was", async () => {
      await apply(
        view(START),
        addOutline("square"),
        addWms("zones", newService()),
        marker("house"),
        addTable("schools", [point("1", START)]),
      );
      await apply({ type: "setBackground", payload: { background: "ortho" } });
      map.adapter.emphasise({
        highlighted: { table: "schools", feature: "1" },
        candidates: [{ coord: START, extent: null, geometry: null }],
        lifted: null,
      });
      expect(map.inventory()).not.toEqual(map.before);
      map.stop();
      map.actions.end();
      expect(map.inventory()).toEqual(map.before);
      await waitFor(() => expect(map.shows([EAST - 200, NORTH], WHITE)).toBe(true));
    });
  });

  it("what was on its way at the end comes no more, and another one can take the map", async () => {
    await apply(addOutline("a"), marker("m"));
    const going = map.actions.apply([view([EAST + 2_000, NORTH]), addOutline("late")]);
    map.actions.end();
    expect((await going)[1]).toMatchObject({ status: "failed", reason: "map_unavailable" });
    expect(await ids()).toEqual([]);
    const next = new MapActions(map.adapter);
    await next.apply([view(START), addOutline("b"), marker("m")]);
    expect(await ids()).toEqual(["b"]);
    await waitFor(() => expect(map.shows([EAST + 200, NORTH], BLUE, THIN)).toBe(true));
    // What the first one has left is not tidied up behind the second one.
    await waitFor(async () => expect(await map.markers()).toBe(1));
  });

  it("says of itself when it changes, and of nothing else", async () => {
    let changes = 0;
    const actions = new MapActions(map.adapter, { layerHosts: ["https://geo.example.org"], changed: () => void changes++ });
    const foreign = addWms("w", "https://elsewhere.example.org/wms");
    expect(await actions.apply([foreign])).toMatchObject([{ status: "failed", reason: "foreign_host" }]);
    expect(await actions.apply(null as unknown as unknown[])).toEqual([]);
    expect(changes).toBe(0);
    await actions.apply([marker("m")]);
    expect([changes, actions.undoable]).toEqual([1, 1]);
  });

  it("the end leaves backgrounds alone of which several were visible", async () => {
    map.close();
    map = await open(bench, { areBothVisible: true });
    await apply({ type: "setBackground", payload: { background: "ortho" } });
    expect(map.backgrounds()).toEqual(["ortho"]);
    map.actions.end();
    expect(map.backgrounds()).toEqual(["sw", "ortho"]);
  });

  it("tiles in LV95 are drawn or refused", async () => {
    const url = newService();
    const template = `${url}/{TileMatrix}/{TileCol}/{TileRow}.png`;
    const source = { url: template, tileGrid: FEDERAL_GRID };
    const [result] = await map.actions.apply([{ type: "addLayer", payload: { id: "tiles", type: "wmts", source } }]);
    if (bench === mapLibre) {
      expect(result!.reason).toBe("not_drawable");
      expect(await asked(url)).toEqual([]);
      return;
    }
    expect(result!.status).toBe("applied");
    await apply(view(START));
    // At 2.5 metres a pixel a tile is 640 metres wide, and they count from the corner in the north-west.
    const level = FEDERAL_GRID.resolutions.indexOf(RESOLUTION_15);
    const [column, row] = [Math.floor((EAST - 2_420_000) / 640), Math.floor((1_350_000 - NORTH) / 640)];
    await waitFor(async () => expect((await asked(url)).map(({ path }) => path)).toContain(`/${level}/${column}/${row}.png`));
    await waitFor(() => expect(map.shows(START, [0, 160, 0])).toBe(true));
    await waitFor(() => expect(map.states.at(-1)).toEqual(["tiles", "loaded"]));
  });
});
