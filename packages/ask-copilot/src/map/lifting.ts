/** How a card and its thing on the map find each other. Pure. */

import { isFields } from "@ask-sogis/client";
import { between, boundsOf, isMark, isWithin, middleOf, type Coord, type LayerEntry, type Where } from "@ask-sogis/map-actions";

/** Where something is, with its outline: its own, or else that on the map which is named after it. */
export function withOutline(where: Where | null, name: string, layers: readonly LayerEntry[]): Where | null {
  if (where?.geometry || !name) return where;
  const mark = layers.find((layer) => isMark(layer) && layer.id.endsWith(`-${name}`));
  if (mark?.source.type !== "geojson") return where;
  const { data } = mark.source;
  const extent = boundsOf(data);
  return extent && { coord: where?.coord ?? middleOf(extent), extent: where?.extent ?? extent, geometry: data as object };
}

/** Whether a place is on the thing; `reach` is how far from its point that still is, in metres. */
export function isOn({ coord, geometry }: Where, place: Coord, reach: number): boolean {
  if (between(coord, place) <= reach) return true;
  return geometry !== null && isInside(geometry, place);
}

/** Which of some places is nearest to one, and within reach; -1 when none is. */
export function nearest(places: readonly Coord[], place: Coord, reach: number): number {
  const far = places.map((each) => between(each, place));
  const least = Math.min(...far);
  return least <= reach ? far.indexOf(least) : -1;
}

/** By the even-odd rule, so that holes are outside. */
function isInside(geojson: object, place: Coord): boolean {
  const bounds = boundsOf(geojson);
  if (bounds === null || !isWithin(place, bounds)) return false;
  return ringsOf(geojson).reduce((inside, ring) => inside !== crossesOddly(ring, place), false);
}

function crossesOddly(ring: readonly Coord[], [east, north]: Coord): boolean {
  let inside = false;
  ring.forEach(([x, y], n) => {
    const [before, height] = ring.at(n - 1)!;
    if (y > north !== height > north && east < x + ((before - x) * (north - y)) / (height - y)) inside = !inside;
  });
  return inside;
}

/** Those of its areas, whatever else a stranger has put there. */
function ringsOf(geojson: object): readonly (readonly Coord[])[] {
  const { type, coordinates, geometry } = geojson as { type?: unknown; coordinates?: unknown; geometry?: unknown };
  if (type === "Feature" && isFields(geometry)) return ringsOf(geometry);
  const polygons = type === "MultiPolygon" ? coordinates : type === "Polygon" ? [coordinates] : [];
  const rings: unknown[] = Array.isArray(polygons) ? polygons.flat() : [];
  return rings.filter((ring): ring is Coord[] => Array.isArray(ring) && ring.length > 0 && ring.every(isPosition));
}

function isPosition(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === "number" && typeof value[1] === "number";
}
