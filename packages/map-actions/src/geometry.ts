/** Places in LV95 (EPSG:2056), metres, east before north. */

export type Coord = readonly [east: number, north: number];
export type Extent = readonly [minEast: number, minNorth: number, maxEast: number, maxNorth: number];

/** Where something is; its outline, if it has one of its own. */
export interface Where {
  coord: Coord;
  extent: Extent | null;
  geometry: object | null;
}

/** Further out there is no map of Switzerland. */
export const SWITZERLAND: Extent = [2420000, 1030000, 2900000, 1350000];

export function isCoord(value: unknown): value is Coord {
  return Array.isArray(value) && value.length === 2 && value.every(isMetres);
}

export function isExtent(value: unknown): value is Extent {
  if (!Array.isArray(value) || value.length !== 4 || !value.every(isMetres)) return false;
  const [minEast, minNorth, maxEast, maxNorth] = value as [number, number, number, number];
  return minEast <= maxEast && minNorth <= maxNorth;
}

/** Whether there can be a map of a place. */
export function isOnMap(place: Coord): boolean {
  return isWithin(place, SWITZERLAND);
}

export function isWithin([east, north]: Coord, [minEast, minNorth, maxEast, maxNorth]: Extent): boolean {
  return east >= minEast && east <= maxEast && north >= minNorth && north <= maxNorth;
}

/** Metres. */
export function between(one: Coord, other: Coord): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1]);
}

export function toDecimetre(metres: number): number {
  return Math.round(metres * 10) / 10;
}

export function middleOf([minEast, minNorth, maxEast, maxNorth]: Extent): Coord {
  return [(minEast + maxEast) / 2, (minNorth + maxNorth) / 2];
}

/** The extent around some points; null when there are none. */
export function around(coords: readonly Coord[]): Extent | null {
  if (coords.length === 0) return null;
  const extent: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [east, north] of coords) {
    extent[0] = Math.min(extent[0], east);
    extent[1] = Math.min(extent[1], north);
    extent[2] = Math.max(extent[2], east);
    extent[3] = Math.max(extent[3], north);
  }
  return extent;
}

function isMetres(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && Math.abs(value) < 1e8;
}

const MAX_POSITIONS = 200_000;

/** The extent of a GeoJSON geometry or feature; null when it is none, or one that could not be drawn. */
export function boundsOf(geojson: unknown): Extent | null {
  const coords: Coord[] = [];
  const waiting: unknown[] = [geojson];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (Array.isArray(part)) {
      if (part.length >= 2 && part.every((value) => typeof value === "number")) {
        const coord = part.slice(0, 2);
        if (!isCoord(coord) || coords.length === MAX_POSITIONS) return null;
        coords.push(coord);
      } else if (part.some((value) => typeof value !== "object" || value === null)) {
        return null;
      } else for (const each of part) waiting.push(each);
    } else if (typeof part === "object" && part !== null && typeof (part as { type?: unknown }).type === "string") {
      const { coordinates, geometry, geometries, features } = part as Record<string, unknown>;
      waiting.push(...[coordinates, geometry, geometries, features].filter((each) => Array.isArray(each) || isObject(each)));
    }
  }
  return around(coords);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
