/** GeoJSON in LV95 as GeoJSON in degrees. */

import type { Feature, FeatureCollection, Geometry } from "geojson";
import { isFields } from "../checks.js";
import { isCoord } from "../geometry.js";
import { wgs84Of } from "../lv95.js";

/** How deep the positions lie. */
const DEPTHS: Readonly<Record<string, number>> = {
  Point: 0,
  MultiPoint: 1,
  LineString: 1,
  MultiLineString: 2,
  Polygon: 2,
  MultiPolygon: 3,
};

type Properties = Readonly<Record<string, string | number>>;

export function collectionOf(features: readonly Feature[]): FeatureCollection {
  return { type: "FeatureCollection", features: [...features] };
}

/** The shapes of an object of GeoJSON, in degrees. What has positions and is no shape all the same is left out. */
export function shapesOf(geojson: unknown, properties: Properties = {}): Feature[] {
  const shapes: Feature[] = [];
  const waiting: unknown[] = [geojson];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (!isFields(part)) continue;
    const { type, coordinates, geometry, geometries, features } = part;
    const depth = typeof type === "string" && Object.hasOwn(DEPTHS, type) ? DEPTHS[type]! : null;
    if (depth !== null) {
      const degrees = inDegrees(coordinates, depth);
      if (degrees) shapes.push({ type: "Feature", geometry: { type, coordinates: degrees } as Geometry, properties });
    } else if (type === "Feature") waiting.push(geometry);
    else if (type === "GeometryCollection" && Array.isArray(geometries)) waiting.push(...geometries.toReversed());
    else if (type === "FeatureCollection" && Array.isArray(features)) waiting.push(...features.toReversed());
  }
  return shapes;
}

/** Null where positions do not lie as deep as they have to. */
function inDegrees(positions: unknown, depth: number): unknown[] | null {
  if (!Array.isArray(positions)) return null;
  if (depth === 0) {
    const coord = positions.slice(0, 2);
    return isCoord(coord) ? [...wgs84Of(coord)] : null;
  }
  const parts = positions.map((part) => inDegrees(part, depth - 1));
  return parts.includes(null) ? null : parts;
}
