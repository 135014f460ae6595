import { describe, expect, it } from "vitest";
import { DARK, LIGHT, type Palette } from "../src/palette.js";

/** As in WCAG 2.2, of a colour like `#20262b`. */
function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(...colors: [string, string]): number {
  const [dark, light] = colors.map(luminance).toSorted((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

describe.each([
  ["light", LIGHT],
  ["dark", DARK],
])("what is written on the empty map in %s", (_, palette: Palette) => {
  it.each(["lineLabel", "ink", "quietInk"] as const)("as %s can be read", (ink) => {
    expect(contrast(palette[ink], palette.ground)).toBeGreaterThanOrEqual(4.5);
  });
});
