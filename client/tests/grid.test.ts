import { describe, expect, it } from "vitest";
import type { Padding } from "../src/map/drawing";
import type { Extent } from "@ask-sogis/map-actions";
import { gridLines, type GridLine } from "../src/map/grid";

const WIDTH = 1440;
const HEIGHT = 900;
const EXTENT: Extent = [2605013, 1228837, 2605013 + WIDTH, 1228837 + HEIGHT];
const labelled = (lines: readonly GridLine[]) => lines.filter(({ text }) => text !== null);

describe("the grid", () => {
  it("has lines at round kilometres, far enough apart to be told apart", () => {
    for (const resolution of [0.1, 0.25, 0.5, 1, 2.5, 5, 20, 50, 250]) {
      const [east, north] = [2607000, 1228000];
      const { columns, rows } = gridLines([east, north, east + WIDTH * resolution, north + HEIGHT * resolution], resolution, [0, 0, 0, 0]);
      for (const lines of [columns, rows]) {
        expect(lines.length).toBeGreaterThan(2);
        const gap = Math.abs(lines[1]!.at - lines[0]!.at);
        expect(gap).toBeGreaterThanOrEqual(90);
        expect(gap).toBeLessThan(230);
      }
    }
  });

  it("writes its numbers as on the national map, at their places", () => {
    const { columns, rows } = gridLines(EXTENT, 1, [0, 0, 0, 0]);
    expect(columns[0]).toEqual({ at: 87, text: "2\u202f605\u202f100" });
    expect(rows.find(({ text }) => text === "1\u202f229\u202f000")?.at).toBe(HEIGHT - 163);
  });

  it.each<[string, Padding]>([
    ["the chat", [0, 52, 0, 444]],
    ["the layers beside it", [0, 352, 0, 444]],
    ["the sheet of a phone", [0, 52, 456, 0]],
    ["the layers over the sheet", [386, 52, 140, 0]],
  ])("has no numbers under %s, nor under the scale", (_, padding) => {
    const [above, right, below, left] = padding;
    const { columns, rows } = gridLines(EXTENT, 1, padding);
    expect(columns).toHaveLength(14);
    expect(labelled(columns)).not.toEqual([]);
    for (const { at } of labelled(columns)) {
      expect(at).toBeGreaterThanOrEqual(left);
      expect(at + 48).toBeLessThanOrEqual(WIDTH - right);
    }
    expect(rows).toHaveLength(9);
    expect(labelled(rows)).not.toEqual([]);
    for (const { at } of labelled(rows)) {
      expect(at).toBeGreaterThan(above + 16);
      expect(at).toBeLessThan(HEIGHT - below - 50);
    }
  });
});
