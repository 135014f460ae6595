import { describe, expect, it, vi } from "vitest";
import { isOn, nearest, withOutline } from "../src/map/lifting";
import { pointsOf } from "../src/map/previews";
import { mapWith, marker, outline } from "./a-map";

const ring = (west: number, south: number, size: number) => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
  [west, south],
];
const frame = { type: "Polygon", coordinates: [ring(2600000, 1215000, 100), ring(2600040, 1215040, 20)] };
const where = (geometry: object | null) => ({ coord: [2600010, 1215010] as const, extent: null, geometry });
const choice = (id: string, ...mapActions: unknown[]) => ({ id, label: id, confidence: null, mapActions });

describe("a thing on the map", () => {
  it("is where its outline is, and not in its holes", () => {
    expect(isOn(where(frame), [2600090, 1215090], 1)).toBe(true);
    expect(isOn(where(frame), [2600050, 1215050], 1)).toBe(false);
    expect(isOn(where(frame), [2600101, 1215050], 1)).toBe(false);
    const parts = { type: "MultiPolygon", coordinates: [frame.coordinates, [ring(2600200, 1215000, 10)]] };
    expect(isOn(where(parts), [2600205, 1215005], 1)).toBe(true);
  });

  it("is also as near to its point as a finger", () => {
    expect(isOn(where(null), [2600013, 1215014], 5)).toBe(true);
    expect(isOn(where(null), [2600013, 1215014], 4.9)).toBe(false);
  });

  it.each([{ type: "Polygon", coordinates: [[1, 2], 3] }, { type: "Polygon", coordinates: 4 }, { type: "MultiPolygon" }, {}])(
    "is nowhere else when its outline is %j",
    (geometry) => expect(isOn(where(geometry), [1, 1], 1)).toBe(false),
  );

  it("has the outline that is named after it on the map, unless it has one", async () => {
    const { map, bus } = mapWith();
    await bus.apply([{ ...outline, payload: { ...outline.payload, id: "parcel-highlight-CH1" } }]);
    expect(withOutline(where(null), "CH1", map.layers)?.geometry).toEqual(outline.payload.source.data);
    expect(withOutline(where(null), "CH2", map.layers)?.geometry).toBeNull();
    expect(withOutline(null, "CH1", map.layers)).toMatchObject({ coord: [0.5, 0.5], extent: [0, 0, 1, 1] });
    expect(withOutline(null, "CH2", map.layers)).toBeNull();
    expect(withOutline(where(null), "", map.layers)?.geometry).toBeNull();
    expect(withOutline(where(frame), "CH1", map.layers)?.geometry).toBe(frame);
  });
});

describe("the options of a choice", () => {
  const drawn = { ...outline, payload: { ...outline.payload, source: { data: frame, style: "highlight" } } };

  it("are where their markers are, with their outlines", () => {
    const { places, view } = pointsOf([choice("a", marker("m")), choice("b", marker("n"), drawn)]);
    expect(places).toEqual([
      { coord: [2605899, 1229278], extent: null, geometry: null },
      { coord: [2605899, 1229278], extent: [2600000, 1215000, 2600100, 1215100], geometry: frame },
    ]);
    expect(view?.extent).toEqual([2600000, 1215000, 2605899, 1229278]);
  });

  it("are in the middle of their outlines without markers, and none when one is nowhere", () => {
    expect(pointsOf([choice("a", drawn)]).places[0]?.coord).toEqual([2600050, 1215050]);
    expect(pointsOf([choice("a", drawn), choice("b")]).places).toEqual([]);
  });

  it("are chosen by a click on their number; elsewhere a click marks the place", () => {
    const { map } = mapWith();
    const [first, second] = [vi.fn(), vi.fn()];
    map.viewpoint = { center: [2600000, 1200000], resolution: 10 };
    map.candidates = [
      { ...where(null), coord: [2600000, 1200000], choose: first },
      { ...where(null), coord: [2600100, 1200000], choose: second },
    ];
    map.press([2600090, 1200000], null);
    expect([first, second].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
    expect(map.point).toBeNull();
    map.press([2600500, 1200000], null);
    expect(second).toHaveBeenCalledOnce();
    expect(map.point).toEqual([2600500, 1200000]);
    map.pointer = [2600001, 1200001];
    expect(map.pointed).toBe(0);
    map.pointer = null;
    expect(map.pointed).toBe(-1);
  });
});

it("the nearest of some places is the one within reach", () => {
  expect(nearest([], [0, 0], 10)).toBe(-1);
  expect(
    nearest(
      [
        [0, 0],
        [5, 0],
      ],
      [4, 0],
      2,
    ),
  ).toBe(1);
});
