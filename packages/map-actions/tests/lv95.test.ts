import { SWITZERLAND } from "../src/geometry.js";
import { describe, expect, it } from "vitest";
import { lv95Of, toLv95, wgs84Of } from "../src/lv95.js";

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

/** Of a degree, along a meridian. */
const METRES = 111_200;
const PRECISE_M = 0.005;

describe("LV95 and WGS84", () => {
  // As PROJ has them.
  it.each([
    [2600000, 1200000, 7.438632421, 46.951082772],
    [2605899, 1229278, 7.516499669, 47.21441071],
    [2485071.58, 1109261.8, 5.95171963, 46.125029491],
    [2833858, 1166000, 10.491686134, 46.60430493],
    [2722758.81, 1087648.19, 9.02121566, 45.929288079],
    [2690000, 1290000, 8.638875438, 47.754378243],
  ])("are the same place to five millimetres: %d, %d", (east, north, longitude, latitude) => {
    const there = lv95Of([longitude, latitude]);
    expect(Math.hypot(there[0] - east, there[1] - north)).toBeLessThan(PRECISE_M);
    const back = wgs84Of([east, north]);
    const shrunk = Math.cos((latitude * Math.PI) / 180);
    expect(Math.hypot((back[0] - longitude) * shrunk, back[1] - latitude) * METRES).toBeLessThan(PRECISE_M);
  });

  // Heights are left out each way, as PROJ does it: 50 metres, across the angle between the two verticals.
  it("are there and back within a millimetre and a half", () => {
    const [west, south, east, north] = SWITZERLAND;
    let most = 0;
    for (let x = west; x <= east; x += 10_000) {
      for (let y = south; y <= north; y += 10_000) {
        const back = lv95Of(wgs84Of([x, y]));
        most = Math.max(most, Math.hypot(back[0] - x, back[1] - y));
      }
    }
    expect(most).toBeLessThan(0.0015);
  });
});
