import { describe, expect, it, vi } from "vitest";
import { ActionBus, type MapTarget } from "@ask-sogis/map-actions";
import { MapModel } from "../src/map/model.svelte";
import { HOME, limits, mapWith, marker, outline, THERE, tileGrid, view, wms } from "./a-map";

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
      endPreview: async () => undefined,
    } as unknown as MapTarget;
    const bus = new ActionBus(target, limits);
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
    expect(await new ActionBus(map, limits).apply([view(2600000), marker("a")])).toMatchObject([
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

  it("hides and removes only what is there", async () => {
    const { map, bus } = mapWith();
    const hide = { type: "setLayerVisibility", payload: { id: "l", visible: false } };
    const remove = { type: "removeLayer", payload: { id: "l" } };
    const removeMarker = { type: "removeMarker", payload: { id: "a" } };
    const missing = await bus.apply([hide, remove, removeMarker]);
    expect(missing.map(({ reason }) => reason)).toEqual(["unknown_layer", "unknown_layer", "unknown_marker"]);
    const there = await bus.apply([wms("l"), hide, marker("a"), removeMarker]);
    expect(there.every(({ status }) => status === "applied")).toBe(true);
    expect([map.layers[0]?.visible, map.markers]).toEqual([false, []]);
    await bus.apply([remove]);
    expect(map.layers).toEqual([]);
  });

  it("refuses layers whose pictures the page may not load, also in a preview", async () => {
    const { map, bus } = mapWith();
    const foreign = { type: "addLayer", payload: { id: "f", type: "wms", source: { url: "https://maps.example.org/wms" } } };
    expect(await bus.apply([foreign, wms("l")])).toEqual([
      { type: "addLayer", id: "f", status: "failed", reason: "foreign_host" },
      { type: "addLayer", id: "l", status: "applied" },
    ]);
    await bus.preview([foreign, wms("k")]);
    expect(map.shown.layers.map(({ id }) => id)).toEqual(["k", "l"]);
  });

  it("refuses to go where there is no map", async () => {
    const { bus, shown } = mapWith();
    const away = [view(7.5), view(2_419_999), view(2_900_001)];
    const aside = { type: "setView", payload: { center: [2605899, 1229278], zoom: 10, extent: [0, 0, 10, 10] } };
    const results = await bus.apply([...away, aside, view(2_600_000)]);
    expect(results.map(({ reason }) => reason)).toEqual([...Array(4).fill("outside"), undefined]);
    expect(shown).toEqual([2_600_000]);
  });

  it("clears the map, and leaves the background", async () => {
    const { map, bus } = mapWith();
    await bus.apply([{ type: "setBackground", payload: { background: "ortho" } }, wms("l"), outline, marker("a")]);
    await bus.apply([{ type: "clearMap", payload: {} }]);
    expect([map.layers, map.markers, map.background]).toEqual([[], [], "ortho"]);
  });
});

describe("previews", () => {
  const far = (id: string) => ({ type: "addMarker", payload: { id, coord: [2635000, 1244000] } });
  const whole = { center: [2634000, 1244000], zoom: 18 } as const;
  const ids = (map: MapModel) => [map.shown.markers.map(({ id }) => id), map.shown.layers.map(({ id }) => id)];

  it("are on top of what is there until they end, and never part of it", async () => {
    const { map, bus, jumps } = mapWith();
    await bus.apply([marker("a"), wms("l")]);
    const before = map.snapshot();
    await bus.preview([marker("choice-1"), wms("choice-l"), { type: "teleport" }]);
    expect(ids(map)).toEqual([
      ["a", "choice-1"],
      ["choice-l", "l"],
    ]);
    expect(map.snapshot()).toEqual(before);
    await bus.endPreview();
    expect(ids(map)).toEqual([["a"], ["l"]]);
    expect(jumps).toEqual([]);
  });

  it("take nothing back that was changed on the map meanwhile", async () => {
    const { map, bus } = mapWith();
    await bus.apply([wms("l"), wms("k")]);
    await bus.preview([marker("choice-1")]);
    map.lay("ortho");
    map.change("l", { opacity: 0.4 });
    map.remove("k");
    expect(ids(map)).toEqual([["choice-1"], ["l"]]);
    await bus.endPreview();
    expect([map.background, map.layers.map(({ id, opacity }) => [id, opacity])]).toEqual(["ortho", [["l", 0.4]]]);
  });

  it("bring the view back when they have moved it, and say meanwhile that it is there", async () => {
    const { map, bus, jumps } = mapWith();
    await bus.preview([view(2610000)]);
    map.viewpoint = { center: [2610000, 1228000], resolution: 1 };
    expect(map.snapshot().viewpoint).toEqual(HOME);
    await bus.endPreview();
    expect(jumps).toEqual([HOME]);
  });

  it("lead to what is out of sight, and home from the last of several", async () => {
    const { bus, jumps, shown } = mapWith();
    await bus.preview([far("choice-1")], whole);
    await bus.preview([far("choice-2")], whole);
    await bus.preview([view(2610000)]);
    expect(shown).toEqual([2634000, 2610000]);
    await bus.endPreview();
    expect(jumps).toEqual([HOME]);
  });

  it("leave the view alone for what is in sight, or has no place", async () => {
    const { bus, shown } = mapWith();
    await bus.preview([{ type: "addMarker", payload: { id: "choice-1", coord: HOME.center } }], whole);
    await bus.preview([wms("choice-l")], whole);
    expect(shown).toEqual([]);
  });

  it("let the user stay where he has gone meanwhile", async () => {
    let place = HOME;
    const { map, bus, jumps } = mapWith({ show: async () => void (place = THERE), where: () => place });
    const elsewhere = { center: [2620000, 1230000], resolution: 5 } as const;
    await bus.preview([view(2610000)]);
    place = map.viewpoint = elsewhere;
    expect(map.snapshot().viewpoint).toEqual(elsewhere);
    await bus.endPreview();
    expect(jumps).toEqual([]);
  });

  it("end before anything real happens", async () => {
    const { map, bus } = mapWith();
    void bus.preview([marker("choice-1")]);
    await bus.apply([marker("real")]);
    expect(ids(map)).toEqual([["real"], []]);
  });

  it("that the pointer has left already are not shown at all", async () => {
    const { map, bus } = mapWith();
    const preview = vi.spyOn(map, "preview");
    void bus.preview([marker("choice-1")]);
    void bus.preview([marker("choice-2")]);
    await bus.preview([marker("choice-3")]);
    expect(preview).toHaveBeenCalledTimes(1);
    expect(ids(map)).toEqual([["choice-3"], []]);
  });

  it("do no harm to a map that is not there", async () => {
    const map = new MapModel(async () => Promise.reject(new Error("no map")));
    const bus = new ActionBus(map, limits);
    await bus.preview([view(2610000)]);
    expect(await bus.apply([marker("a")])).toMatchObject([{ status: "applied" }]);
  });
});
