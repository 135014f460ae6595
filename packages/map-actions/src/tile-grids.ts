/** The tile pyramids of the two Swiss tile services in LV95, and how zoom levels are read. */

import { SWITZERLAND, isCoord, isExtent, type Coord, type Extent } from "./geometry.js";

/** As in `source.tileGrid` of an `addLayer` action. */
export interface TileGridSpec {
  origin: Coord;
  /** Metres a pixel, coarsest first. */
  resolutions: readonly number[];
  matrixIds: readonly string[];
  tileSize: number;
  extent?: Extent;
}

const ORIGIN: Coord = [2420000, 1350000];

function gridOf(...resolutions: number[]): TileGridSpec {
  const matrixIds = resolutions.map((_, z) => String(z));
  return { origin: ORIGIN, resolutions, matrixIds, tileSize: 256, extent: SWITZERLAND };
}

/** geo.so.ch */
export const CANTON_GRID = gridOf(4000, 2000, 1000, 500, 250, 100, 50, 20, 10, 5, 2.5, 1, 0.5, 0.25, 0.1);
/** wmts.geo.admin.ch; few layers have the two finest levels: photographs do. */
export const FEDERAL_GRID = gridOf(
  ...[4000, 3750, 3500, 3250, 3000, 2750, 2500, 2250, 2000, 1750, 1500, 1250, 1000, 750, 650, 500, 250, 100],
  ...[50, 20, 10, 5, 2.5, 2, 1.5, 1, 0.5, 0.25, 0.1],
);
/** The maps there: closer in, their last level is enlarged. */
export const FEDERAL_MAPS_GRID = gridOf(...FEDERAL_GRID.resolutions.slice(0, -2));

/** How much finer one level may be than the one before: between two that lie further apart, a screen would have no end of tiles. */
const MOST_FINER = 10;

/** A grid from outside, or null when no tile could be found with it, or too many. */
export function readTileGrid(value: unknown): TileGridSpec | null {
  if (typeof value !== "object" || value === null) return null;
  const { origin, resolutions, matrixIds, tileSize = 256, extent } = value as Record<string, unknown>;
  if (!isCoord(origin) || !Array.isArray(resolutions) || !Array.isArray(matrixIds)) return null;
  if (resolutions.length === 0 || resolutions.length > 64 || resolutions.length !== matrixIds.length) return null;
  const falls = resolutions.every(
    (r, n) => typeof r === "number" && r > 0 && (n === 0 || (r < resolutions[n - 1] && resolutions[n - 1] <= r * MOST_FINER)),
  );
  if (!falls || !matrixIds.every((id) => typeof id === "string")) return null;
  if (typeof tileSize !== "number" || !(tileSize >= 16 && tileSize <= 4096)) return null;
  const grid: TileGridSpec = { origin, resolutions, matrixIds, tileSize };
  return isExtent(extent) ? { ...grid, extent } : grid;
}

/** The address of a tile: a template as it comes from the services, with the column and the row in any order. */
export function tileUrl(template: string, matrixId: string, column: number, row: number): string {
  return template
    .replace(/\{TileMatrix\}/i, encodeURIComponent(matrixId))
    .replace(/\{TileCol\}/i, String(column))
    .replace(/\{TileRow\}/i, String(row));
}

/** Whether a template says where in the pyramid a tile is. */
export function isTileTemplate(url: string): boolean {
  return ["tilematrix", "tilerow", "tilecol"].every((part) => url.toLowerCase().includes(`{${part}}`));
}

/** Metres a pixel at the zoom level 0 of web maps, at 47.2° north. */
const WEB_ZOOM_0 = (40_075_016.686 / 256) * Math.cos((47.2 * Math.PI) / 180);

/** `zoom` of the actions is that of web maps (17: a house, 13: a municipality): the closest level of the grid. */
export function resolutionOfZoom(zoom: number): number {
  const wanted = WEB_ZOOM_0 / 2 ** zoom;
  const distance = (resolution: number) => Math.abs(Math.log2(resolution / wanted));
  return CANTON_GRID.resolutions.reduce((best, r) => (distance(r) < distance(best) ? r : best));
}

export function zoomOfResolution(resolution: number): number {
  return Math.round(Math.log2(WEB_ZOOM_0 / resolution));
}
