/** Where a map is looked at, whichever library draws it. */

import type { View } from "./actions.js";
import type { Coord } from "./geometry.js";

/** The place that is looked at. */
export interface Viewpoint {
  center: Coord;
  /** Metres a pixel. */
  resolution: number;
}

/** In pixels. */
export type Size = readonly [width: number, height: number];

/** Moves the map. */
export interface Camera {
  /** Resolves when the map is there. */
  show(view: View): Promise<void>;
  jump(viewpoint: Viewpoint): void;
  where(): Viewpoint;
  /** Whether a place is where nothing lies over the map. */
  sees(coord: Coord): boolean;
  /** Where on the page a place is that can be seen, in pixels; null elsewhere. */
  pixelOf(coord: Coord): Coord | null;
}

export function isSamePlace(a: Viewpoint, b: Viewpoint): boolean {
  return a.center[0] === b.center[0] && a.center[1] === b.center[1] && a.resolution === b.resolution;
}
