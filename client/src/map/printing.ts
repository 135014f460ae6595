/** The map on paper: scales and their bars. Pure. */

import { grouped } from "@ask-sogis/copilot/texts/numbers";
import { resolutionOfScale, type Size } from "@ask-sogis/map-actions";

export type Orientation = "portrait" | "landscape";

export const SCALES = [500, 1_000, 2_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000] as const;
/** Its outline, in a box of 32 by 46. */
export const NORTH_ARROW = "M16 4 23 24 16 19 9 24Z";
/** What the map can show. */
const FINEST = 400;
const COARSEST = 1_800_000;

/** The largest scale, in two digits, in which all that is seen finds place on the paper; sizes are in pixels of the page. */
export function scaleOfSeen([width, height]: Size, resolution: number, [paperWidth, paperHeight]: Size): number {
  if (!(paperWidth > 0 && paperHeight > 0)) return COARSEST;
  const exact = (Math.max(width / paperWidth, height / paperHeight) * resolution) / resolutionOfScale(1);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(exact)) - 1);
  // What is only a rounding error larger is not.
  return Math.max(FINEST, Math.min(Math.ceil(exact / unit - 1e-6) * unit, COARSEST));
}

/** The longest bar of a round length that is not longer than some millimetres of paper. */
export function scaleBar(scale: number, longestMm: number): { metres: number; mm: number } {
  const longest = (longestMm / 1000) * scale;
  const power = 10 ** Math.floor(Math.log10(longest));
  const metres = ([5, 2, 1].find((step) => step * power <= longest) ?? 1) * power;
  return { metres, mm: (metres / scale) * 1000 };
}

/** Where things find place beside each other, row by row, and how high that is in all. */
export function rows(sizes: readonly Size[], width: number, gap: number): { corners: readonly Size[]; height: number } {
  let [x, y, below] = [0, 0, 0];
  const corners = sizes.map(([wide, high]): Size => {
    if (x > 0 && x + wide > width) [x, y] = [0, below + gap];
    const corner: Size = [x, y];
    x += wide + gap;
    below = Math.max(below, y + high);
    return corner;
  });
  return { corners, height: below };
}

/** `1:25 000` */
export function ratio(scale: number): string {
  return `1:${grouped(scale)}`;
}
