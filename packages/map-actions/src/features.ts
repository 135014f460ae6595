/** Tables of found features, as in the payload of `addFeatures`. */

import { isFields, optional, Refused, textOf, type Fields } from "./checks.js";
import { boundsOf } from "./geometry.js";

/** `name` is that of the property which has it. */
interface Column {
  name: string;
  unit?: string;
}

export interface TableFeature {
  type: "Feature";
  id: string;
  /** GeoJSON in EPSG:2056; null of one that is nowhere. */
  geometry: object | null;
  properties: Readonly<Record<string, string | number>> & { readonly label: string };
}

export interface TableProvenance {
  source: string;
  license?: string;
  /** ISO 8601 */
  retrievedAt?: string;
  sample: boolean;
  stale: boolean;
}

export interface FeatureTable {
  id: string;
  label: string;
  features: { type: "FeatureCollection"; features: readonly TableFeature[] };
  columns: readonly Column[];
  /** How many there are; `features` may be the first of them only. */
  count: number;
  provenance?: TableProvenance;
}

/** One feature of one table, by their ids. */
export interface FeatureRef {
  table: string;
  feature: string;
}

/** Throws `Refused`. */
export function readTable({ id, label, features, columns = [], count, provenance }: Fields): FeatureTable {
  const list = isFields(features) && features["type"] === "FeatureCollection" ? features["features"] : null;
  if (!Array.isArray(list) || !Array.isArray(columns) || typeof count !== "number") throw new Refused("invalid_payload");
  const read = list.map(readFeature);
  if (new Set(read.map((each) => each.id)).size < read.length) throw new Refused("invalid_payload");
  if (read.some((each) => each.geometry) && boundsOf(features) === null) throw new Refused("invalid_payload");
  return {
    id: textOf(id),
    label: textOf(label),
    features: { type: "FeatureCollection", features: read },
    columns: columns.map(readColumn),
    count: Math.max(count, read.length),
    ...(isFields(provenance) ? { provenance: readProvenance(provenance) } : {}),
  };
}

const GEOMETRIES = new Set(["Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection"]);

function readFeature(value: unknown, n: number): TableFeature {
  if (!isFields(value)) throw new Refused("invalid_payload");
  const { id, geometry, properties } = value;
  if (isFields(geometry) && !(GEOMETRIES.has(String(geometry["type"])) && boundsOf(geometry))) throw new Refused("invalid_payload");
  const values = Object.entries(isFields(properties) ? properties : {}).filter(isPlain);
  const name = typeof id === "string" || typeof id === "number" ? String(id) : String(n + 1);
  const label = values.find(([key]) => key === "label")?.[1] ?? name;
  return {
    type: "Feature",
    id: name,
    geometry: isFields(geometry) ? geometry : null,
    properties: { ...Object.fromEntries(values), label: String(label) },
  };
}

function isPlain(entry: [string, unknown]): entry is [string, string | number] {
  return typeof entry[1] === "string" || (typeof entry[1] === "number" && Number.isFinite(entry[1]));
}

function readColumn(value: unknown): Column {
  if (!isFields(value)) throw new Refused("invalid_payload");
  return { name: textOf(value["name"]), ...optional("unit", value["unit"]) };
}

function readProvenance({ source, license, retrievedAt, sample, stale }: Fields): TableProvenance {
  return {
    source: typeof source === "string" ? source : "",
    ...optional("license", license),
    ...optional("retrievedAt", retrievedAt),
    sample: sample === true,
    stale: stale === true,
  };
}
