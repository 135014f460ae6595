import { describe, expect, it } from "vitest";
import { resolutionOfScale } from "@ask-sogis/map-actions";
import { ratio, rows, scaleBar, scaleOfSeen, SCALES } from "../src/map/printing";

const MM_PX = 96 / 25.4;

describe("a map on paper", () => {
  it("has so many metres a pixel that a millimetre is what the scale says", () => {
    // 1 mm at 1:25 000 are 25 m.
    expect(resolutionOfScale(25_000) * MM_PX).toBeCloseTo(25, 9);
    expect(resolutionOfScale(500) * MM_PX).toBeCloseTo(0.5, 9);
  });

  it("shows at least what was seen", () => {
    // 1000 m wide on 200 mm of paper is 1:5000, whatever the height.
    expect(scaleOfSeen([400, 300], 2.5, [200 * MM_PX, 250 * MM_PX])).toBe(5_000);
    expect(scaleOfSeen([300, 500], 2.5, [200 * MM_PX, 250 * MM_PX])).toBe(5_000);
    const odd = scaleOfSeen([413, 300], 2.5, [200 * MM_PX, 250 * MM_PX]);
    expect(odd).toBe(5_200);
    expect(resolutionOfScale(odd) * 200 * MM_PX).toBeGreaterThanOrEqual(413 * 2.5);
  });

  it("has its legends in rows that are as high as their highest", () => {
    const sizes = [
      [100, 40],
      [80, 90],
      [60, 20],
      [500, 10],
    ] as const;
    const { corners, height } = rows(sizes, 200, 20);
    expect(corners).toEqual([
      [0, 0],
      [120, 0],
      [0, 110],
      // Wider than all there is: it has a row of its own.
      [0, 150],
    ]);
    expect(height).toBe(160);
    expect(rows([], 200, 20)).toEqual({ corners: [], height: 0 });
  });

  it("has a scale before the paper has a size, and none that no map has", () => {
    expect(scaleOfSeen([400, 300], 2.5, [0, 0])).toBe(1_800_000);
    expect(scaleOfSeen([4, 3], 0.1, [700, 900])).toBe(400);
    expect(scaleOfSeen([4000, 3000], 500, [700, 900])).toBe(1_800_000);
  });

  it.each([
    [500, 20, 40],
    [1_000, 20, 20],
    [2_500, 100, 40],
    [5_200, 200, 200 / 5.2],
    [25_000, 1_000, 40],
    [100_000, 2_000, 20],
  ])("has a bar at 1:%i of %i m", (scale, metres, mm) => {
    const bar = scaleBar(scale, 40);
    expect(bar.metres).toBe(metres);
    expect(bar.mm).toBeCloseTo(mm, 6);
  });

  it("never has a bar that is too long, nor one that is hard to see", () => {
    for (const scale of [...SCALES, 400, 3_700, 1_800_000]) {
      const { mm } = scaleBar(scale, 40);
      expect(mm).toBeLessThanOrEqual(40 + 1e-9);
      expect(mm).toBeGreaterThanOrEqual(15);
    }
  });

  it("is written as one says it", () => {
    expect(SCALES.map(ratio).slice(0, 2)).toEqual(["1:500", "1:1\u202f000"]);
    expect(ratio(1_800_000)).toBe("1:1\u202f800\u202f000");
  });
});
