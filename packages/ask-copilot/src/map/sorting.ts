/** Tables of features as they are read: in an order, with their values and where they come from. */

import { boundsOf, type Coord, type Extent, type FeatureTable, type TableFeature } from "@ask-sogis/map-actions";

export type Value = string | number | null;

/** By a column, or by the name without one. */
export interface Order {
  column: string | null;
  isDescending: boolean;
}

/** What is missing is last, whichever way. Numbers count as such, also within texts. */
export function sorted(features: readonly TableFeature[], order: Order | null, language: string): readonly TableFeature[] {
  if (!order) return features;
  const { compare } = new Intl.Collator(language, { numeric: true });
  return features.toSorted((one, other) => {
    const [a, b] = [valueOf(one, order.column), valueOf(other, order.column)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const by = typeof a === "number" && typeof b === "number" ? a - b : compare(String(a), String(b));
    return order.isDescending ? -by : by;
  });
}

/** The order after a click on the heading of a column: up, down, as it came. */
export function reordered(order: Order | null, column: string | null): Order | null {
  if (order?.column !== column) return { column, isDescending: false };
  return order.isDescending ? null : { column, isDescending: true };
}

export function valueOf({ properties }: TableFeature, column: string | null): Value {
  const value = Object.hasOwn(properties, column ?? "label") ? properties[column ?? "label"] : null;
  return value === undefined || value === "" ? null : value;
}

/** Where all of them are; null when nobody knows. */
export function extentOf(features: readonly TableFeature[]): Extent | null {
  const geometries = features.flatMap(({ geometry }) => geometry ?? []);
  return boundsOf({ type: "GeometryCollection", geometries });
}

/** The point of a feature, or the middle of its extent. */
export function placeOf(feature: TableFeature): Coord | null {
  const extent = extentOf([feature]);
  return extent && [(extent[0] + extent[2]) / 2, (extent[1] + extent[3]) / 2];
}

/** Whether a column has nothing but numbers, so that they are set below each other. */
export function isNumeric(table: FeatureTable, column: string): boolean {
  return table.features.features.every((feature) => typeof (valueOf(feature, column) ?? 0) === "number");
}
