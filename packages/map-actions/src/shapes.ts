/** GeoJSON as shapes that can be drawn, whatever else a stranger has put into it. */

import { isFields } from "./checks.js";
import { isCoord, type Coord } from "./geometry.js";

/** How deep the positions lie. */
const DEPTHS = { Point: 0, MultiPoint: 1, LineString: 1, MultiLineString: 2, Polygon: 2, MultiPolygon: 3 } as const;

type Kind = keyof typeof DEPTHS;

/** A feature of GeoJSON. */
export interface Shape {
  type: "Feature";
  geometry: { type: Kind; coordinates: unknown[] };
  properties: Record<string, never>;
}

/**
 * The shapes of an object of GeoJSON in LV95, one for each simple geometry, with `placed` positions and nothing else of it. What has
 * positions and is no shape all the same is left out.
 */
export function shapesOf(geojson: unknown, placed: (coord: Coord) => readonly number[]): Shape[] {
  const shapes: Shape[] = [];
  const waiting: unknown[] = [geojson];
  const wait = (parts: unknown): void => {
    if (Array.isArray(parts)) for (const part of parts.toReversed()) waiting.push(part);
  };
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (!isFields(part)) continue;
    const { type, coordinates, geometry, geometries, features } = part;
    if (isKind(type)) {
      const positions = placedAll(coordinates, DEPTHS[type], placed);
      if (positions) shapes.push({ type: "Feature", geometry: { type, coordinates: positions }, properties: {} });
    } else if (type === "Feature") waiting.push(geometry);
    else if (type === "GeometryCollection") wait(geometries);
    else if (type === "FeatureCollection") wait(features);
  }
  return shapes;
}

function isKind(type: unknown): type is Kind {
  return typeof type === "string" && Object.hasOwn(DEPTHS, type);
}

/** Null where positions do not lie as deep as they have to. */
function placedAll(positions: unknown, depth: number, placed: (coord: Coord) => readonly number[]): unknown[] | null {
  if (!Array.isArray(positions)) return null;
  if (depth === 0) {
    const coord = positions.slice(0, 2);
    return isCoord(coord) ? [...placed(coord)] : null;
  }
  const parts = positions.map((part) => placedAll(part, depth - 1, placed));
  return parts.includes(null) ? null : parts;
}
