import { describe, expect, it, vi } from "vitest";
import { ActionBus, type MapTarget } from "../src/map/action-bus";
import { MapModel, type Camera } from "../src/map/model.svelte";

const view = (east: number) => ({ type: "setView", payload: { center: [east, 1228000], zoom: 17, crs: "EPSG:2056" } });
const marker = (id: string) => ({ type: "addMarker", payload: { id, coord: [2605899, 1229278], style: "pin-default" } });
const wms = (id: string, label = id) => ({
  type: "addLayer",
  payload: { id, type: "wms", source: { url: "https://geo.so.ch/api/wms", LAYERS: id }, visible: true, label },
});
const tileGrid = { origin: [2420000, 1350000], resolutions: [4000, 2000], matrixIds: ["0", "1"], tileSize: 256 };
const outline = {
  type: "addLayer",
  payload: {
    id: "outline",
    type: "geojson",
    source: { data: { type: "Polygon", coordinates: [[[0, 0], [1, 0], [1, 1], [0, 0]]] }, style: "highlight" },
  },
};

function mapWith(camera: Partial<Camera> = {}): { map: MapModel; bus: ActionBus; jumps: unknown[]; shown: number[] } {
  const jumps: unknown[] = [];
  const shown: number[] = [];
  const whole: Camera = {
    show: async ({ center }) => void shown.push(center[0]),
    jump: (viewpoint) => void jumps.push(viewpoint),
    ...camera,
  };
  const map = new MapModel(async () => whole);
  return { map, bus: new ActionBus(map), jumps, shown };
}

describe("the action bus", () => {
  it("does one action after the other, also across batches and however long one takes", async () => {
    const log: string[] = [];
    const target = {
      apply: async (action: { type: string; payload: { id?: string } }) => {
        log.push(`begin ${action.payload.id}`);
        for (let n = action.payload.id === "slow" ? 5 : 1; n > 0; n--) await Promise.resolve();
        log.push(`end ${action.payload.id}`);
      },
      beginBatch: () => undefined,
    } as unknown as MapTarget;
    const bus = new ActionBus(target);
    await Promise.all([bus.apply([marker("slow"), marker("b")]), bus.apply([marker("c")])]);
    expect(log).toEqual(["begin slow", "end slow", "begin b", "end b", "begin c", "end c"]);
  });

  it("acknowledges each action, and goes on after one that it does not know", async () => {
    const { map, bus } = mapWith();
    const results = await bus.apply([{ type: "teleport", payload: { id: "x" } }, marker("a"), null, { type: "setView", payload: {} }]);
    expect(results).toEqual([
      { type: "teleport", id: "x", status: "failed", reason: "unknown_action" },
      { type: "addMarker", id: "a", status: "applied" },
      { type: "?", status: "failed", reason: "invalid_payload" },
      { type: "setView", status: "failed", reason: "invalid_payload" },
    ]);
    expect(map.markers.map(({ id }) => id)).toEqual(["a"]);
  });

  it.each(["constructor", "__proto__", "toString"])("does not take %s for an action", async (type) => {
    const { bus } = mapWith();
    expect(await bus.apply([{ type, payload: {} }])).toMatchObject([{ status: "failed", reason: "unknown_action" }]);
  });

  it("says that the map is not there instead of waiting for ever", async () => {
    const map = new MapModel(async () => Promise.reject(new Error("no map")));
    expect(await new ActionBus(map).apply([view(2600000), marker("a")])).toMatchObject([
      { status: "failed", reason: "map_unavailable" },
      { status: "applied" },
    ]);
  });

  it("replaces a marker and a layer with the same id", async () => {
    const { map, bus } = mapWith();
    await bus.apply([marker("a"), marker("a"), wms("l", "before"), wms("k"), wms("l", "after")]);
    expect(map.markers).toHaveLength(1);
    expect(map.layers.map(({ label }) => label).toSorted()).toEqual(["after", "k"]);
  });

  it("puts a later batch on top, and keeps the order within a batch", async () => {
    const { map, bus } = mapWith();
    await bus.apply([wms("a1"), wms("a2")]);
    await bus.apply([wms("b1"), wms("b2")]);
    expect(map.listed.map(({ id }) => id)).toEqual(["b1", "b2", "a1", "a2"]);
  });

  it("takes tiles only with a grid, and addresses only of the web", async () => {
    const { bus, map } = mapWith();
    const tiles = (source: object) => ({ type: "addLayer", payload: { id: "t", type: "wmts", source } });
    const url = "https://geo.so.ch/{TileMatrix}/{TileRow}/{TileCol}";
    const results = await bus.apply([
      tiles({ url }),
      tiles({ url, tileGrid: { ...tileGrid, matrixIds: ["0"] } }),
      tiles({ url: "https://geo.so.ch/tiles", tileGrid }),
      tiles({ url: "javascript:alert(1)", tileGrid }),
      { type: "addLayer", payload: { id: "w", type: "wms", source: { url: "data:text/html,x" } } },
      tiles({ url, tileGrid }),
    ]);
    expect(results.map(({ reason }) => reason)).toEqual([
      "invalid_payload",
      "invalid_payload",
      "invalid_payload",
      "unsafe_url",
      "unsafe_url",
      undefined,
    ]);
    expect(map.layers).toHaveLength(1);
  });

  it("lists layers, but not the outline of a thing, which counts as a mark", async () => {
    const { map, bus } = mapWith();
    await bus.apply([wms("l"), outline, marker("a")]);
    expect(map.listed.map(({ id }) => id)).toEqual(["l"]);
    expect(map.marks).toBe(2);
    map.removeMarks();
    expect([map.layers.length, map.marks]).toEqual([1, 0]);
  });

  it("refuses an outline that cannot be drawn", async () => {
    const { bus } = mapWith();
    const broken = (data: unknown) => ({ type: "addLayer", payload: { id: "x", type: "geojson", source: { data } } });
    const results = await bus.apply([broken({ type: "Polygon", coordinates: [[["a", 1]]] }), broken({}), broken("x")]);
    expect(results.every(({ reason }) => reason === "invalid_payload")).toBe(true);
  });

  it("hides only what is there, but removing what is gone is no failure", async () => {
    const { map, bus } = mapWith();
    const hide = { type: "setLayerVisibility", payload: { id: "l", visible: false } };
    const remove = { type: "removeLayer", payload: { id: "l" } };
    const results = await bus.apply([hide, remove, wms("l"), hide]);
    expect(results.map(({ status }) => status)).toEqual(["failed", "applied", "applied", "applied"]);
    expect(map.layers[0]?.visible).toBe(false);
  });

  it("clears the map, and leaves the background", async () => {
    const { map, bus } = mapWith();
    await bus.apply([{ type: "setBackground", payload: { background: "ortho" } }, wms("l"), outline, marker("a")]);
    await bus.apply([{ type: "clearMap", payload: {} }]);
    expect([map.layers, map.markers, map.background]).toEqual([[], [], "ortho"]);
  });
});

describe("previews", () => {
  it("are put back when they end", async () => {
    const { map, bus, jumps } = mapWith();
    await bus.apply([marker("a"), wms("l")]);
    await bus.preview([marker("choice-1"), wms("choice-l")]);
    expect([map.markers.length, map.layers.length]).toEqual([2, 2]);
    await bus.endPreview();
    expect(map.markers.map(({ id }) => id)).toEqual(["a"]);
    expect(map.layers.map(({ id }) => id)).toEqual(["l"]);
    expect(jumps).toEqual([]);
  });

  it("bring the view back when they have moved it", async () => {
    const { map, bus, jumps } = mapWith();
    map.viewpoint = { center: [2600000, 1200000], resolution: 10 };
    await bus.preview([view(2610000)]);
    await bus.endPreview();
    expect(jumps).toEqual([{ center: [2600000, 1200000], resolution: 10 }]);
  });

  it("end before anything real happens", async () => {
    const { map, bus } = mapWith();
    void bus.preview([marker("choice-1")]);
    await bus.apply([marker("real")]);
    expect(map.markers.map(({ id }) => id)).toEqual(["real"]);
  });

  it("that the pointer has left already are not shown at all", async () => {
    const { map, bus } = mapWith();
    const add = vi.spyOn(map, "apply");
    void bus.preview([marker("choice-1")]);
    void bus.preview([marker("choice-2")]);
    await bus.preview([marker("choice-3")]);
    expect(add).toHaveBeenCalledTimes(1);
    expect(map.markers.map(({ id }) => id)).toEqual(["choice-3"]);
  });
});
