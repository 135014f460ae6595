import { describe, expect, it } from "vitest";
import type { MapModel } from "../src/map/model.svelte";
import { HOME, mapWith, marker, outline, view, wms } from "./a-map";

const undo = (steps?: number) => ({ type: "undo", payload: steps === undefined ? {} : { steps } });
const shown = (map: MapModel) => [...map.layers.map(({ id }) => id), ...map.markers.map(({ id }) => id)];

describe("undo", () => {
  it("takes back all that one batch has changed, the view too", async () => {
    const { map, bus, jumps } = mapWith();
    await bus.apply([wms("l")]);
    await bus.apply([view(2610000), marker("a"), wms("k")]);
    expect(await bus.apply([undo()])).toEqual([{ type: "undo", status: "applied" }]);
    expect([shown(map), jumps]).toEqual([["l"], [HOME]]);
    await bus.apply([undo()]);
    expect([shown(map), map.undoable, jumps]).toEqual([[], 0, [HOME]]);
  });

  it("takes batches of the same answer back together, and not those of another one", async () => {
    const { map, bus } = mapWith();
    await bus.apply([wms("a")], "one");
    await bus.apply([wms("b")], "one");
    await bus.apply([wms("c")], "two");
    await bus.apply([undo()], "three");
    expect(shown(map)).toEqual(["b", "a"]);
    await bus.apply([undo()], "four");
    expect(shown(map)).toEqual([]);
  });

  it("takes back what was done by hand, a gesture at once", async () => {
    const { map, bus } = mapWith();
    await bus.apply([wms("l"), wms("k")]);
    for (const opacity of [0.9, 0.6, 0.3]) map.change("l", { opacity }, "slider");
    map.settle();
    map.change("l", { opacity: 0.1 }, "slider");
    map.move("k", 0);
    map.remove("l");
    const opacities = async () => {
      await map.undo();
      return map.layers.map(({ id, opacity }) => [id, opacity]);
    };
    expect(await opacities()).toEqual([
      ["k", 1],
      ["l", 0.1],
    ]);
    expect(await opacities()).toEqual([
      ["l", 0.1],
      ["k", 1],
    ]);
    expect(await opacities()).toEqual([
      ["l", 0.3],
      ["k", 1],
    ]);
    expect(await opacities()).toEqual([
      ["l", 1],
      ["k", 1],
    ]);
    expect(map.undoable).toBe(1);
  });

  it("leaves the view alone when the step had not moved it", async () => {
    const { map, bus, jumps } = mapWith();
    await bus.apply([view(2610000)]);
    map.lay("ortho");
    await map.undo();
    expect([map.background, jumps]).toEqual(["sw", []]);
  });

  it("goes several steps back, or as many as there are, to where the first of them began", async () => {
    const { map, bus, jumps } = mapWith();
    await bus.apply([marker("a")]);
    await bus.apply([view(2610000)]);
    await bus.apply([view(2620000), marker("b")]);
    await bus.apply([undo(20)]);
    expect([shown(map), map.undoable, jumps]).toEqual([[], 0, [HOME]]);
  });

  it("brings back a map that was cleared", async () => {
    const { map, bus } = mapWith();
    await bus.apply([wms("l"), outline, marker("a")]);
    await bus.apply([{ type: "clearMap", payload: {} }]);
    await bus.apply([undo()]);
    expect(shown(map)).toEqual(["l", "outline", "a"]);
  });

  it("is refused when there is nothing to take back, as after what has changed nothing", async () => {
    const { map, bus } = mapWith();
    const nothing = [
      { type: "clearMap", payload: {} },
      { type: "setBackground", payload: { background: "sw" } },
      { type: "removeMarker", payload: { id: "*" } },
      { type: "removeFeatures", payload: { id: "features-x" } },
      { type: "removeLayer", payload: { id: "l" } },
      view(HOME.center[0]),
    ];
    const { bus: still } = mapWith({ show: async () => undefined });
    await bus.apply(nothing.slice(0, -1));
    await still.apply(nothing);
    map.removeMarks();
    map.lay("sw");
    map.change("l", { opacity: 0.5 });
    const refused = [{ type: "undo", status: "failed", reason: "nothing_to_undo" }];
    expect([await bus.apply([undo()]), await still.apply([undo()])]).toEqual([refused, refused]);
  });

  it.each([0, 1.5, 21, "2", null])("does not take back %j steps", async (steps) => {
    const { bus } = mapWith();
    await bus.apply([marker("a")]);
    expect(await bus.apply([{ type: "undo", payload: { steps } }])).toMatchObject([{ reason: "invalid_payload" }]);
  });

  it("does not lead from the map of a link to another one", async () => {
    const { map, bus } = mapWith();
    await bus.apply([wms("l")]);
    const shared = map.snapshot();
    map.remove("l");
    map.restore(shared);
    expect([shown(map), map.undoable]).toEqual([["l"], 0]);
  });

  it("is exact, whatever was done", async () => {
    const { map, bus } = mapWith();
    let seed = 7;
    const dice = (sides: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % sides;
    const id = (): string => "abc"[dice(3)]!;
    const doings: (() => unknown)[] = [
      () => bus.apply([wms(id()), marker(id())]),
      () => map.change(id(), { opacity: dice(4) / 4 }),
      () => map.change(id(), { visible: dice(2) === 0 }),
      () => map.move(id(), dice(3)),
      () => map.remove(id()),
      () => map.lay(dice(2) ? "ortho" : "sw"),
      () => map.removeMarks(),
      () => bus.apply([{ type: "clearMap", payload: {} }]),
    ];
    const look = () => JSON.stringify([map.background, map.layers, map.markers]);
    const seen: string[] = [look()];
    for (let n = 0; n < 400 && map.undoable < 45; n++) {
      await doings[dice(doings.length)]!();
      while (seen.length <= map.undoable) seen.push(look());
    }
    expect(map.undoable).toBe(45);
    for (let left = map.undoable; left > 0; left--) {
      expect(look()).toBe(seen[left]);
      await map.undo();
    }
    expect(look()).toBe(seen[0]);
  });

  it("remembers the last fifty steps", async () => {
    const { map } = mapWith();
    for (let n = 0; n < 60; n++) map.lay(n % 2 ? "sw" : "ortho");
    expect(map.undoable).toBe(50);
  });
});
