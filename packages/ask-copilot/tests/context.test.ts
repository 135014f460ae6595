import { describe, expect, it } from "vitest";
import { mapWith, view, wms } from "./a-map";

describe("what goes along with a message", () => {
  it("is where the map is, how large, and what it shows, the lowest layer first", async () => {
    const { map, bus } = mapWith();
    map.viewpoint = { center: [2605000, 1228000], resolution: 2.5 };
    map.free = [800, 400];
    await bus.apply([wms("a", "Wald"), wms("b", "Moor")]);
    map.change("b", { visible: false, opacity: 0.4 });
    map.mark([2605100, 1228100]);
    expect(map.context).toEqual({
      center: [2605000, 1228000],
      extent: [2604000, 1227500, 2606000, 1228500],
      scale: 9449,
      crs: "EPSG:2056",
      point: [2605100, 1228100],
      layers: [
        { id: "b", label: "Moor", visible: false, opacity: 0.4, order: 0 },
        { id: "a", label: "Wald", visible: true, opacity: 1, order: 1 },
      ],
    });
    map.unmark();
    expect(map.context).not.toHaveProperty("point");
  });

  it("is nothing before the map is there, and not what a preview has led to", async () => {
    const { map, bus } = mapWith();
    expect(map.context).toBeNull();
    map.free = [100, 100];
    map.viewpoint = { center: [2600000, 1200000], resolution: 10 };
    await bus.preview([view(2610000)]);
    map.viewpoint = { center: [2610000, 1228000], resolution: 1 };
    expect(map.context?.center).toEqual([2600000, 1200000]);
  });

  it("names the fifty highest layers at most", async () => {
    const { map, bus } = mapWith();
    map.viewpoint = { center: [2600000, 1200000], resolution: 10 };
    map.free = [100, 100];
    for (let n = 0; n < 60; n++) await bus.apply([wms(`l${n}`)]);
    expect([map.context?.layers.length, map.context?.layers.at(-1)?.id]).toEqual([50, "l59"]);
  });
});
