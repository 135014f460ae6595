/** Tables of features as files: GeoJSON for a GIS, CSV for a spreadsheet. */

import type { FeatureTable } from "@ask-sogis/map-actions";
import { placeOf, valueOf, type Value } from "./sorting";

/** Headings of columns that are ours, in the language of the user. */
interface Headings {
  label: string;
  source: string;
  date: string;
  sample: string;
}

/** What a spreadsheet takes for a formula when a cell begins with it. */
const FORMULA = /^[\s\p{Cc}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;
const NUMBER = /^[+-]?\d+([.,]\d+)?$/;
const MAX_NAME_CHARS = 60;

/** RFC 4180, with a mark of its encoding for spreadsheets; places are LV95 (EPSG:2056), metres. */
export function csvOf({ columns, features, provenance }: FeatureTable, headings: Headings): string {
  const named = columns.map(({ name, unit }) => (unit ? `${name} [${unit}]` : name));
  const told = provenance ? [headings.source, headings.date, ...(provenance.sample ? [headings.sample] : [])] : [];
  const facts = provenance ? [provenance.source, provenance.retrievedAt ?? null, ...(provenance.sample ? ["x"] : [])] : [];
  const lines = features.features.map((each): readonly Value[] => {
    const values = columns.map(({ name }) => valueOf(each, name));
    return [each.properties.label, ...values, ...(placeOf(each) ?? [null, null]), ...facts];
  });
  const all: readonly (readonly Value[])[] = [[headings.label, ...named, "E", "N", ...told], ...lines];
  return `\ufeff${all.map((line) => line.map(cell).join(",")).join("\r\n")}\r\n`;
}

/** With the coordinates as they are, and a note in which system: a GIS reads it. */
export function geojsonOf({ label, features, provenance, count }: FeatureTable): string {
  const crs = { type: "name", properties: { name: "urn:ogc:def:crs:EPSG::2056" } };
  return JSON.stringify({ type: features.type, name: label, crs, numberMatched: count, provenance, features: features.features }, null, 1);
}

/** `Belastete Standorte in Zürich` -> `belastete-standorte-in-zuerich.csv` */
export function fileNameOf(label: string, extension: string): string {
  const words = label.toLowerCase().replace(/ä/g, "ae").replace(/ö/g, "oe").replace(/ü/g, "ue");
  const plain = words
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-");
  const name = plain.slice(0, MAX_NAME_CHARS).replace(/^-+|-+$/g, "");
  return `${name || "ask-sogis"}.${extension}`;
}

export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser may still be reading it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function cell(value: Value): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const harmless = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replace(/"/g, '""')}"` : harmless;
}
