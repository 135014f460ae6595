import { describe, expect, it } from "vitest";
import { toLv95 } from "../src/lv95.js";

const degrees = (whole: number, minutes: number, seconds: number) => whole + minutes / 60 + seconds / 3600;

describe("a position of a satellite in LV95", () => {
  it.each([
    ["the old observatory in Bern", 46.951083, 7.438632, 2600000, 1200000],
    // The example and the reference point that swisstopo publishes.
    ["the example of the formulas", degrees(46, 2, 38.87), degrees(8, 43, 49.79), 2699999.76, 1099999.97],
    ["Zimmerwald", degrees(46, 52, 37.54), degrees(7, 27, 54.983), 2602030.68, 1191775.03],
  ])("is right to a metre: %s", (_, latitude, longitude, east, north) => {
    const found = toLv95(latitude, longitude)!;
    expect(Math.hypot(found[0] - east, found[1] - north)).toBeLessThan(1);
  });

  it.each([
    ["Vienna", 48.2082, 16.3738],
    ["Sydney", -33.8688, 151.2093],
    ["the zero of broken devices", 0, 0],
    ["no number", Number.NaN, 7.4],
    ["the corner of what the formulas reach", 45, 5],
  ])("is none: %s", (_, latitude, longitude) => {
    expect(toLv95(latitude, longitude)).toBeNull();
  });
});
