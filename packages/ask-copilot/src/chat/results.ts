/** What has been found, as cards show it: the items of an answer, read one by one. All of it comes from outside. */

import { fieldsOf, listOf, textOf, type Fields, type FieldsOf } from "@ask-sogis/client";
import {
  boundsOf,
  isCoord,
  isExtent,
  isOnMap,
  middleOf,
  readLayer,
  safeLink,
  type Coord,
  type MapLayer,
  type Where,
} from "@ask-sogis/map-actions";
import type { Schemas } from "./contract";

/** What a data set says of a thing. */
export interface Fact {
  name: string;
  value: string | number;
  unit?: string;
}

/** Where something comes from. */
export interface Origin {
  source: string;
  /** `2026-11-22`, as far as it is known. */
  date?: string;
  isSample: boolean;
  /** The source is down: this is what it said last. */
  isStale?: boolean;
}

interface Common {
  id: string;
  label: string;
  where: Where | null;
  origin: Origin | null;
  /** It may be something else than what was asked for, or is not measured. */
  isRough: boolean;
}

export interface Parcel {
  egrid: string;
  number: string;
  municipality: string;
  landRegister: string;
  kind: string;
  areaM2: number | null;
  /** The area is only as good as the outline. */
  isAreaRough: boolean;
}

/** What only some have, by the type of the item. */
interface Own {
  address: { egid: string };
  municipality: { name: string; district: string; bfsNumber: number | null };
  place: { kind: string };
  parcel: Parcel;
  oereb_extract: Parcel & { url: string | null; mapUrl: string | null; themes: readonly string[] | null; days: readonly [string, string] };
  cadastral_plan: { url: string | null; scale: number | null; expiresAt: string };
  geothermal_assessment: { isAllowed: boolean; text: string; depthM: number | null; url: string | null };
  height: { metres: number };
  distance: { metres: number; start: string; end: string };
  coordinates: { lv03: Coord | null; wgs84: Coord | null };
  layer: { attribution: string; legendUrl: string | null; layer: MapLayer | null };
  layer_group: { layers: readonly { id: string; label: string }[] };
  feature: { layer: string; layerLabel: string; facts: readonly Fact[] };
  feature_set: { layerLabel: string; count: number; aggregate: Fact | null };
}

export type ResultOf<T extends keyof Own> = Common & { type: T } & Own[T];
/** Of a type that the page does not know there are a label and a source. */
export type Result = { [T in keyof Own]: ResultOf<T> }[keyof Own] | (Common & { type: "other" });

const MOST = 500;
/** Longer outlines are not kept with an answer: a place has its extent. */
const MAX_GEOMETRY_CHARS = 60_000;
const MAX_FACTS = 60;
/** These are told in the way of documents. */
const OTHERWISE = new Set(["document", "proposal", "relevance"]);

/** As the contract has them. */
type Item = NonNullable<Schemas["Step"]["items"]>[number];
type ItemOf<T extends keyof Own> = FieldsOf<Extract<Item, { type?: T }>>;

/** Null of what cannot be shown. */
const READERS: { [T in keyof Own]: (item: ItemOf<T>) => Own[T] | null } = {
  address: ({ egid }) => ({ egid: textOf(egid) }),
  municipality: ({ name, district, bfsNumber }) => ({ name: textOf(name), district: textOf(district), bfsNumber: numberOf(bfsNumber) }),
  place: ({ kind }) => ({ kind: textOf(kind) }),
  parcel: readParcel,
  oereb_extract: (item) => {
    const themes = Array.isArray(item["concernedThemes"]) ? listOf(item["concernedThemes"]).map(textOf).filter(Boolean) : null;
    const days = [dayOf(item["createdAt"]), dayOf(item["updatedAt"])] as const;
    return { ...readParcel(item), url: safeLink(item["pdfUrl"]), mapUrl: safeLink(item["mapUrl"]), themes, days };
  },
  cadastral_plan: ({ url, scale, expiresAt }) => {
    const until = textOf(expiresAt);
    return { url: safeLink(url), scale: positive(scale), expiresAt: Number.isNaN(Date.parse(until)) ? "" : until };
  },
  geothermal_assessment: ({ allowed, text, maxDepthM, reportUrl }) =>
    typeof allowed !== "boolean" ? null : { isAllowed: allowed, text: textOf(text), depthM: positive(maxDepthM), url: safeLink(reportUrl) },
  height: ({ heightM }) => {
    const metres = numberOf(heightM);
    return metres === null ? null : { metres };
  },
  distance: ({ metres, start, end }) => {
    const length = numberOf(metres);
    return length === null ? null : { metres: length, start: textOf(start), end: textOf(end) };
  },
  coordinates: ({ lv03, wgs84 }) => ({ lv03: isCoord(lv03) ? lv03 : null, wgs84: isCoord(wgs84) ? wgs84 : null }),
  layer: (item) => ({ attribution: textOf(item["attribution"]), legendUrl: safeLink(item["legendUrl"]), layer: layerOf(item) }),
  layer_group: ({ layers }) => {
    const read = listOf(layers)
      .map(fieldsOf)
      .map(({ id, label }) => ({ id: textOf(id), label: textOf(label) }));
    return { layers: read.filter(({ id }) => id) };
  },
  feature: ({ layer, layerLabel, attributes }) => ({
    layer: textOf(layer),
    layerLabel: textOf(layerLabel) || textOf(layer),
    facts: listOf(attributes)
      .slice(0, MAX_FACTS)
      .map(readFact)
      .filter((fact) => fact !== null),
  }),
  feature_set: ({ layer, layerLabel, count, aggregate }) => {
    const many = numberOf(count);
    if (many === null) return null;
    return {
      layerLabel: textOf(layerLabel) || textOf(layer),
      count: many,
      aggregate: readAggregate(fieldsOf<Schemas["Aggregate"]>(aggregate)),
    };
  },
};

/** What is worth a card, in the order of the answer; what is strange is left out, and nothing comes twice. */
export function readResults(items: unknown): readonly Result[] {
  const results = new Map<string, Result>();
  for (const item of listOf(items)) {
    const result = readResult(fieldsOf(item));
    if (result && results.size < MOST) results.set(keyOf(result), result);
  }
  return [...results.values()];
}

function readResult(item: Fields): Result | null {
  const type = textOf(item["type"]);
  if (!type || OTHERWISE.has(type)) return null;
  const common = {
    id: textOf(item["id"]),
    label: textOf(item["label"]).trim(),
    where: readWhere(item),
    origin: readOrigin(item["provenance"]),
    isRough: fieldsOf(item["provenance"])["match"] === "fuzzy",
  };
  if (!Object.hasOwn(READERS, type)) return common.label ? { ...common, type: "other" } : null;
  const own = (READERS[type as keyof Own] as (item: Fields) => object | null)(item);
  return own && ({ ...common, type, ...own } as Result);
}

/** What the marks of a thing on the map are named after. */
export function nameOnMap(result: Result): string {
  return "egrid" in result ? result.egrid : result.id;
}

/** The same for the same thing. */
export function keyOf(result: Result): string {
  return [result.type, result.type === "feature" ? result.layer : "", result.id, result.label].join(" ");
}

function readOrigin(provenance: unknown): Origin | null {
  const { source, retrievedAt, sample, stale } = fieldsOf<Schemas["Provenance"]>(provenance);
  if (!textOf(source)) return null;
  const day = dayOf(retrievedAt);
  return { source: textOf(source), ...(day ? { date: day } : {}), isSample: sample === true, ...(stale === true ? { isStale: true } : {}) };
}

/** Each once, as several things have the same. */
export function distinct(origins: readonly (Origin | null)[]): readonly Origin[] {
  return [...new Map(origins.filter((origin) => origin !== null).map((origin) => [JSON.stringify(origin), origin])).values()];
}

function readWhere({ coord, extent, geometry }: Fields): Where | null {
  const isShort = JSON.stringify(geometry ?? null).length <= MAX_GEOMETRY_CHARS;
  const bounds = boundsOf(geometry ?? null);
  const whole = isExtent(extent) ? extent : bounds;
  const at = isCoord(coord) ? coord : whole && middleOf(whole);
  if (!at || !isOnMap(at)) return null;
  return { coord: at, extent: whole, geometry: bounds && isShort ? (geometry as object) : null };
}

function readParcel({ egrid, number, municipality, landRegister, kind, areaM2, areaSource }: ItemOf<"parcel">): Parcel {
  const named = { egrid: textOf(egrid), number: textOf(number), municipality: textOf(municipality) };
  const area = { areaM2: positive(areaM2), isAreaRough: areaSource === "outline" };
  return { ...named, ...area, landRegister: textOf(landRegister), kind: textOf(kind) };
}

/** As in the payload of `addLayer`; null of one that could not be loaded. */
function layerOf({ id, label, source, attribution, legendUrl }: ItemOf<"layer">): MapLayer | null {
  const { type, url, parameters, tileGrid } = fieldsOf<Schemas["LayerSource"]>(source);
  try {
    return readLayer({ id, label, attribution, legendUrl, type, source: { ...fieldsOf(parameters), url, tileGrid } });
  } catch {
    return null;
  }
}

/** `2026-11-22`, of a moment; empty when it is none. */
function dayOf(value: unknown): string {
  return /^\d{4}-\d{2}-\d{2}/.exec(textOf(value))?.[0] ?? "";
}

function readFact(value: unknown): Fact | null {
  const { name, value: said, unit } = fieldsOf<Schemas["Attribute"]>(value);
  const read = typeof said === "number" ? numberOf(said) : textOf(said).trim();
  if (!textOf(name) || read === null || read === "") return null;
  return { name: textOf(name), value: read, ...(textOf(unit) ? { unit: textOf(unit) } : {}) };
}

/** Its name is that of the function, and of the attribute if it is about one: `mean Fläche`. */
function readAggregate({ function: name, attribute, value, unit }: FieldsOf<Schemas["Aggregate"]>): Fact | null {
  return readFact({ name: [textOf(name), textOf(attribute)].filter(Boolean).join(" "), value, unit });
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function positive(value: unknown): number | null {
  const read = numberOf(value);
  return read !== null && read > 0 ? read : null;
}
