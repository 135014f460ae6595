import { describe, expect, it } from "vitest";
import { mapWith, marker, outline, wms } from "./a-map";

const opacity = (id: string, value: unknown) => ({ type: "setLayerOpacity", payload: { id, opacity: value } });
const move = (id: string, order: unknown) => ({ type: "moveLayer", payload: { id, order } });
const legend = (id: string) => ({ type: "showLegend", payload: { id } });
const point = (id: string, properties: object = {}) => ({
  type: "Feature",
  id,
  geometry: { type: "Point", coordinates: [2605899, 1229278] },
  properties: { label: `Standort ${id}`, ...properties },
});
const table = (id: string, ...features: object[]) => ({
  type: "addFeatures",
  payload: {
    id,
    label: "Belastete Standorte",
    features: { type: "FeatureCollection", features },
    columns: [{ name: "Fläche", unit: "m²" }],
    count: 7,
  },
});

describe("layers by word", () => {
  it("become transparent", async () => {
    const { map, bus } = mapWith();
    const results = await bus.apply([wms("l"), opacity("l", 0.3), opacity("l", 1.1), opacity("l", "x"), opacity("k", 1)]);
    expect(results.slice(1).map(({ reason }) => reason)).toEqual([undefined, "invalid_payload", "invalid_payload", "unknown_layer"]);
    expect(map.layers[0]?.opacity).toBe(0.3);
  });

  it("go to another place, 0 being the lowest, and outlines stay on top", async () => {
    const { map, bus } = mapWith();
    await bus.apply([wms("a"), wms("b"), wms("c"), outline]);
    const orders: string[] = [];
    for (const [id, order] of [
      ["a", 0],
      ["a", 1],
      ["c", 99],
      ["b", 2],
    ] as const) {
      await bus.apply([move(id, order)]);
      orders.push(map.layers.map((layer) => layer.id).join(" "));
    }
    expect(orders).toEqual(["outline b c a", "outline b a c", "outline c b a", "outline b c a"]);
    const results = await bus.apply([move("x", 0), move("outline", 0), move("a", -1), move("a", 0.5)]);
    expect(results.map(({ reason }) => reason)).toEqual(["unknown_layer", "unknown_layer", "invalid_payload", "invalid_payload"]);
  });

  it("show their legend, if they have one", async () => {
    const { map, bus } = mapWith();
    const explained = wms("l");
    await bus.apply([{ ...explained, payload: { ...explained.payload, legendUrl: "https://geo.so.ch/legend" } }, wms("k")]);
    const results = await bus.apply([legend("k"), legend("x")]);
    expect([results.map(({ reason }) => reason), map.legend]).toEqual([["no_legend", "unknown_layer"], null]);
    await bus.apply([legend("l")]);
    const first = map.legend;
    await bus.apply([legend("l")]);
    expect([first, map.legend === first]).toEqual([{ id: "l" }, false]);
  });
});

describe("found features", () => {
  it("are put on the map, replaced by others of the same id, and removed", async () => {
    const { map, bus } = mapWith();
    await bus.apply([table("a", point("1"), point("2")), table("b", point("1")), table("a", point("3"))]);
    expect(map.features.map(({ id, features }) => [id, features.features.map((each) => each.id)])).toEqual([
      ["b", ["1"]],
      ["a", ["3"]],
    ]);
    const remove = (id: string) => ({ type: "removeFeatures", payload: { id } });
    expect((await bus.apply([remove("a"), remove("never")])).map(({ status }) => status)).toEqual(["applied", "applied"]);
    expect(map.features.map(({ id }) => id)).toEqual(["b"]);
    await bus.apply([remove("*")]);
    expect(map.features).toEqual([]);
  });

  it("keep what can be shown in a table", async () => {
    const { map, bus } = mapWith();
    const bare = { type: "Feature", geometry: null, properties: null };
    await bus.apply([table("a", point("1", { Fläche: 12.5, more: { x: 1 }, none: null }), bare)]);
    const [first, second] = map.features[0]!.features.features;
    expect(first?.properties).toEqual({ label: "Standort 1", Fläche: 12.5 });
    expect(second).toEqual({ type: "Feature", id: "2", geometry: null, properties: { label: "2" } });
    expect([map.features[0]?.count, map.features[0]?.columns]).toEqual([7, [{ name: "Fläche", unit: "m²" }]]);
  });

  const broken = [
    ["no collection", { ...table("a").payload, features: [] }],
    ["no count", { ...table("a").payload, count: "many" }],
    ["the same id twice", table("a", point("1"), point("1")).payload],
    ["a shape that cannot be drawn", table("a", { ...point("1"), geometry: { type: "Point", coordinates: ["a", 1] } }).payload],
    ["a shape of no known kind", table("a", { ...point("1"), geometry: { type: "Circle", coordinates: [1, 2] } }).payload],
    ["a column without a name", { ...table("a").payload, columns: [{ unit: "m" }] }],
  ] as const;
  it.each(broken)("are refused with %s", async (_, payload) => {
    const { bus } = mapWith();
    expect(await bus.apply([{ type: "addFeatures", payload }])).toMatchObject([{ status: "failed", reason: "invalid_payload" }]);
  });

  it("that are gone are touched and highlighted no longer", async () => {
    const { map, bus } = mapWith();
    await bus.apply([table("a", point("1"))]);
    map.mark([2605899, 1229278], { table: "a", feature: "1" });
    map.highlighted = { table: "a", feature: "1" };
    await bus.apply([{ type: "clearMap", payload: {} }]);
    expect([map.features, map.point, map.touched, map.highlighted]).toEqual([[], null, null, null]);
  });
});

describe("marks", () => {
  it("go all at once: markers, outlines and the place that was clicked; layers stay", async () => {
    const { map, bus } = mapWith();
    await bus.apply([wms("l"), outline, marker("a"), marker("b")]);
    map.mark([2605899, 1229278]);
    expect(await bus.apply([{ type: "removeMarker", payload: { id: "*" } }])).toMatchObject([{ status: "applied" }]);
    expect([map.layers.map(({ id }) => id), map.markers, map.point]).toEqual([["l"], [], null]);
  });
});
