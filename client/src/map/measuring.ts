/** Distances and areas in the plane of LV95. Pure. */

import LineString from "ol/geom/LineString";
import Polygon from "ol/geom/Polygon";
import { localised } from "@ask-sogis/copilot/texts/numbers";
import type { Coord } from "@ask-sogis/map-actions";

export type Kind = "distance" | "area";

interface Quantity {
  value: number;
  unit: "m" | "km" | "m²" | "ha" | "km²";
}

/** What is measured: the corners of a line, or of an area that is closed by itself. */
export interface Measured {
  kind: Kind;
  points: readonly Coord[];
}

export const MAX_POINTS = 500;

/** Metres. */
export function lengthOf({ kind, points }: Measured): number {
  const corners = kind === "area" && points.length > 2 ? [...points, points[0]!] : points;
  return new LineString(corners.map((each) => [...each])).getLength();
}

/** Square metres within the points. */
export function areaOf(points: readonly Coord[]): number {
  return points.length < 3 ? 0 : new Polygon([[...points, points[0]!].map((each) => [...each])]).getArea();
}

/** Whether the outline crosses itself: what is within is not clear then. */
export function isCrossed(points: readonly Coord[]): boolean {
  const sides = points.map((from, n): readonly [Coord, Coord] => [from, points[(n + 1) % points.length]!]);
  return sides.some(([a, b], n) =>
    sides.some(([c, d], m) => {
      const areNeighbours = Math.abs(n - m) <= 1 || Math.abs(n - m) === sides.length - 1;
      return m > n && !areNeighbours && turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0;
    }),
  );
}

/** In the unit in which one would say it. */
export function ofLength(metres: number): Quantity {
  return metres < 1_000 ? { value: metres, unit: "m" } : { value: metres / 1_000, unit: "km" };
}

export function ofArea(squareMetres: number): Quantity {
  if (squareMetres < 10_000) return { value: squareMetres, unit: "m²" };
  if (squareMetres < 1_000_000) return { value: squareMetres / 10_000, unit: "ha" };
  return { value: squareMetres / 1_000_000, unit: "km²" };
}

/** `1.234 km`, `84.3 m`: no more digits than a pointer can mean. */
export function written({ value, unit }: Quantity, language: string): string {
  const isWhole = unit === "m" || unit === "m²";
  const maximumFractionDigits = isWhole ? (value < 1_000 ? 1 : 0) : value < 10 ? 3 : value < 100 ? 2 : 1;
  return `${localised(value, language, { maximumFractionDigits })}\u00a0${unit}`;
}

/** Positive when `c` is left of the way from `a` to `b`. */
function turn(a: Coord, b: Coord, c: Coord): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}
