/** How points, lines and areas look, whichever library draws them. Widths and radii in pixels. */

import type { Palette } from "./palette.js";

/** Of places to choose from. */
export const OUTLINED_PX = 1.5;
/** Of what is pointed at elsewhere, and the ring around a point. */
export const LIFTED_PX = 5;
export const RING_PX = 16;

export interface Pen {
  color: string;
  width: number;
}

export interface Look {
  /** Light below the line, so that it is seen on every background. */
  casing: Pen;
  line: Pen;
  fill: string;
  /** The rim is half within the radius. */
  dot: { radius: number; fill: string; rim: Pen };
}

/** The shapes of a layer. */
export function layerLook(isMark: boolean, palette: Palette): Look {
  const line = isMark ? { color: palette.mark, width: 3 } : { color: palette.badge, width: 2 };
  return {
    casing: { color: palette.halo, width: isMark ? 6 : 4 },
    line,
    fill: palette.markFill,
    dot: { radius: 6, fill: palette.markFill, rim: line },
  };
}

/** The outline of a place that is pointed at or to choose. */
export function outlineLook(width: number, palette: Palette): Look {
  return {
    casing: { color: palette.halo, width: width + 3 },
    line: { color: palette.mark, width },
    fill: palette.markFill,
    dot: { radius: 6, fill: palette.markFill, rim: { color: palette.mark, width: 2 } },
  };
}

/** A found feature. */
export function featureLook(isStrong: boolean, palette: Palette): Look {
  const color = isStrong ? palette.mark : palette.badge;
  const width = isStrong ? 3.5 : 2;
  return {
    casing: { color: palette.halo, width: width + 3 },
    line: { color, width },
    fill: isStrong ? palette.markFill : palette.shapeFill,
    dot: { radius: isStrong ? 8 : 6, fill: color, rim: { color: palette.halo, width: 2 } },
  };
}

/** Around a point, on top of each other. */
export function ringLooks(radius: number, palette: Palette): readonly Look["dot"][] {
  const ring = (color: string, width: number) => ({ radius, fill: palette.markFill, rim: { color, width } });
  return [ring(palette.halo, 5), ring(palette.mark, 2)];
}
