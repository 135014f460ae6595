import { describe, expect, it } from "vitest";
import { readLayer } from "@ask-sogis/map-actions";
import { grouped, isGroup } from "../src/map/groups";

const layer = (id: string, label?: string, group?: string) => ({
  ...readLayer({ id, type: "wms", source: { url: "https://geo.so.ch/api/wms", LAYERS: id }, label, group }),
  opacity: 1,
});
const shape = (...layers: ReturnType<typeof layer>[]) =>
  grouped(layers).map((entry) => (isGroup(entry) ? [entry.name, ...entry.layers.map(({ id }) => id)] : entry.id));

describe("the list of layers", () => {
  it("has neighbours of the same group in one entry, in their order", () => {
    const water = (id: string) => layer(id, `Name von ${id}`, "Gewässerschutz (Gruppe)");
    expect(shape(water("a"), water("b"), layer("c", "Wald"), water("d"))).toEqual([["Gewässerschutz", "a", "b"], "c", "d"]);
  });

  it("knows groups by the begin of their labels too", () => {
    expect(shape(layer("a", "Waldplan - Typ"), layer("b", "Waldplan – Höhe"), layer("c", "ÖREB: Wald"), layer("d", "ÖREB: Lärm"))).toEqual([
      ["Waldplan", "a", "b"],
      ["ÖREB", "c", "d"],
    ]);
  });

  it("has no group of one layer, nor of layers that are called the same", () => {
    expect(shape(layer("a", "Waldplan - Typ"), layer("b", "Wald"), layer("c", "Wald"), layer("d"))).toEqual(["a", "b", "c", "d"]);
  });

  it("tells two parts of a group apart", () => {
    const names = ["Wald - a", "Wald - b", "Moor", "Wald - c", "Wald - d"];
    const entries = grouped(names.map((name, n) => layer(String(n), name)));
    expect(new Set(entries.filter(isGroup).map(({ key }) => key)).size).toBe(2);
  });
});
