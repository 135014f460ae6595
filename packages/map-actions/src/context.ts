/** What goes along with a message: where the map is, and what it shows. Pure. */

import type { Size, Viewpoint } from "./camera.js";
import type { LayerEntry } from "./contents.js";
import type { Coord, Extent } from "./geometry.js";

interface LayerContext {
  id: string;
  label: string;
  visible: boolean;
  /** 0 to 1 */
  opacity: number;
  /** 0 is the lowest. */
  order: number;
}

export interface MapContext {
  center: Coord;
  extent: Extent;
  /** The denominator. */
  scale: number;
  crs: "EPSG:2056";
  /** Where its user has clicked. */
  point?: Coord;
  /** The lowest first. */
  layers: readonly LayerContext[];
}

/** Screens are taken to have 96 pixels an inch, as browsers take them. */
const PIXELS_A_METRE = 96 / 0.0254;
const MAX_LAYERS = 50;

/** The denominator: 25000 is 1:25'000. */
export function scaleOf(resolution: number): number {
  return Math.round(resolution * PIXELS_A_METRE);
}

export function resolutionOfScale(scale: number): number {
  return scale / PIXELS_A_METRE;
}

/** `listed` are the layers, the topmost first. */
export function contextOf({ center, resolution }: Viewpoint, free: Size, point: Coord | null, listed: readonly LayerEntry[]): MapContext {
  const [east, north] = center;
  const [right, up] = free.map((pixels) => (pixels * resolution) / 2) as [number, number];
  const layers = listed.toReversed().map(({ id, label, visible, opacity }, order) => ({ id, label: label ?? id, visible, opacity, order }));
  return {
    center,
    extent: [east - right, north - up, east + right, north + up].map(Math.round) as unknown as Extent,
    scale: scaleOf(resolution),
    crs: "EPSG:2056",
    ...(point ? { point } : {}),
    layers: layers.slice(-MAX_LAYERS),
  };
}
