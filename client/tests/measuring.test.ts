import { describe, expect, it } from "vitest";
import type { Coord } from "@ask-sogis/map-actions";
import { areaOf, isCrossed, lengthOf, ofArea, ofLength, written } from "../src/map/measuring";

const at = (east: number, north: number): Coord => [2_600_000 + east, 1_228_000 + north];
const FIELD = [at(0, 0), at(30, 0), at(30, 40), at(0, 40)];

describe("what is measured", () => {
  it("is the way from point to point, and back to the first one around an area", () => {
    expect(lengthOf({ kind: "distance", points: FIELD.slice(0, 3) })).toBe(70);
    expect(lengthOf({ kind: "area", points: FIELD })).toBe(140);
    expect(lengthOf({ kind: "area", points: FIELD.slice(0, 2) })).toBe(30);
    expect(lengthOf({ kind: "distance", points: [] })).toBe(0);
  });

  it("is an area whichever way round, and exact far from the origin", () => {
    expect(areaOf(FIELD)).toBe(1200);
    expect(areaOf(FIELD.toReversed())).toBe(1200);
    expect(areaOf([at(0, 0), at(0.1, 0), at(0, 0.1)])).toBeCloseTo(0.005, 6);
    expect(areaOf(FIELD.slice(0, 2))).toBe(0);
  });

  it("crosses itself, or only touches", () => {
    expect(isCrossed(FIELD)).toBe(false);
    expect(isCrossed([FIELD[0]!, FIELD[2]!, FIELD[1]!, FIELD[3]!])).toBe(true);
    expect(isCrossed(FIELD.slice(0, 3))).toBe(false);
    // A bay is no crossing.
    expect(isCrossed([at(0, 0), at(40, 0), at(40, 40), at(20, 10), at(0, 40)])).toBe(false);
  });
});

describe("a quantity", () => {
  it.each([
    [ofLength(0), "0 m"],
    [ofLength(84.27), "84.3 m"],
    [ofLength(999.9), "999.9 m"],
    [ofLength(1_234.4), "1.234 km"],
    [ofLength(123_456), "123.5 km"],
    [ofArea(1_204), "1\u202f204 m²"],
    [ofArea(12_345), "1.235 ha"],
    [ofArea(790_000_000), "790 km²"],
  ])("is written in its unit: %j", (quantity, text) => {
    expect(written(quantity, "de").replace("\u00a0", " ")).toBe(text);
  });

  it("has the comma of the language", () => {
    expect(written(ofLength(1_234.4), "fr")).toBe("1,234\u00a0km");
  });
});
