/** The map as a document that a link contains or leads to. Whoever gets one may not trust it: all of it is checked. */

import { isFields, type SharedMap } from "@ask-sogis/client";
import {
  BACKGROUNDS,
  isCoord,
  isOfHosts,
  readAction,
  readLayer,
  readTable,
  type FeatureTable,
  type LayerEntry,
  type Marker,
} from "@ask-sogis/map-actions";
import type { Snapshot } from "@ask-sogis/copilot/map/model.svelte";

const PREFIX = "#map=";
const MAX_CHARS = 8_000;
/** Less than what the server takes. */
const MAX_BYTES = 60_000;
const MAX_TABLES = 20;

/** What a server keeps of a map; `isWhole` when nothing had to be left out for its size. */
export function toDocument(snapshot: Snapshot): { map: SharedMap; isWhole: boolean } {
  const forms = [snapshot, { ...snapshot, features: [] }, withoutShapes({ ...snapshot, features: [] })].map(document);
  const fitting = forms.findIndex((map) => new TextEncoder().encode(JSON.stringify(map)).length <= MAX_BYTES);
  return { map: forms.at(fitting)!, isWhole: fitting === 0 };
}

/** The map of a document; what is wrong in it is left out, and so are layers of other hosts. */
export function fromDocument(value: unknown, hosts: readonly string[]): Snapshot | null {
  if (!isFields(value)) return null;
  const { view, background, layers, markers, features } = value;
  const { center, resolution } = isFields(view) ? view : {};
  return snapshotOf([...(Array.isArray(center) ? center : []), resolution], background, layers, markers, features, hosts);
}

/** The fragment of the link; outlines are left out when it would become too long for a message. */
export function toFragment(snapshot: Snapshot): string {
  const whole = encode(snapshot);
  if (whole.length <= MAX_CHARS) return whole;
  return encode(withoutShapes(snapshot));
}

/** The map of a link; null when it is none. Layers of other hosts are left out. */
export function fromFragment(fragment: string, hosts: readonly string[]): Snapshot | null {
  if (!fragment.startsWith(PREFIX)) return null;
  try {
    const document: unknown = JSON.parse(decode(fragment.slice(PREFIX.length)));
    if (typeof document !== "object" || document === null) return null;
    const { v, b, l, m } = document as Record<string, unknown>;
    return snapshotOf(v, b, l, m, [], hosts);
  } catch {
    return null;
  }
}

function snapshotOf(
  view: unknown,
  background: unknown,
  layers: unknown,
  markers: unknown,
  features: unknown,
  hosts: readonly string[],
): Snapshot {
  const [east, north, resolution] = Array.isArray(view) ? (view as unknown[]) : [];
  const center = [east, north];
  const isPlace = isCoord(center) && typeof resolution === "number" && resolution > 0 && resolution < 10_000;
  const each = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);
  return {
    background: BACKGROUNDS.find((known) => known === background) ?? "sw",
    layers: each(layers)
      .map((layer) => layerOf(layer, hosts))
      .filter((layer) => layer !== null),
    markers: each(markers)
      .map(markerOf)
      .filter((marker) => marker !== null),
    features: each(features)
      .slice(0, MAX_TABLES)
      .map(tableOf)
      .filter((table) => table !== null),
    viewpoint: isPlace ? { center, resolution } : null,
  };
}

function withoutShapes(snapshot: Snapshot): Snapshot {
  return { ...snapshot, layers: snapshot.layers.filter((layer) => layer.source.type !== "geojson") };
}

function document({ viewpoint, background, layers, markers, features }: Snapshot): SharedMap {
  return {
    ...(viewpoint ? { view: viewpoint } : {}),
    background,
    layers: layers.map(described),
    markers,
    // The contract wants a licence, be it an empty one; the server has told the rest itself.
    features: features.map((table) =>
      table.provenance ? { ...table, provenance: { license: "", ...table.provenance } } : table,
    ) as NonNullable<SharedMap["features"]>,
  };
}

function encode({ viewpoint, background, layers, markers }: Snapshot): string {
  const view = viewpoint ? [...viewpoint.center, viewpoint.resolution] : null;
  const document = JSON.stringify({ v: view, b: background, l: layers.map(described), m: markers });
  const bytes = new TextEncoder().encode(document);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return PREFIX + base64.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function decode(text: string): string {
  const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
}

/** As in the payload of `addLayer`, which is what is read again. */
function described({ source, opacity, ...layer }: LayerEntry): NonNullable<SharedMap["layers"]>[number] {
  const { type, ...rest } = source;
  if (source.type === "wms") return { ...layer, type, opacity, source: { url: source.url, ...source.parameters } };
  if (source.type === "wmts") return { ...layer, type, opacity, source: rest };
  return { ...layer, type, opacity, source: { data: source.data, ...(source.highlighted ? { style: "highlight" } : {}) } };
}

function layerOf(value: unknown, hosts: readonly string[]): LayerEntry | null {
  try {
    const { opacity, ...payload } = value as Record<string, unknown>;
    const layer = readLayer(payload);
    const urls = [layer.source.type === "geojson" ? null : layer.source.url, layer.legendUrl ?? null];
    if (urls.some((url) => url !== null && !isOfHosts(url, hosts))) return null;
    return { ...layer, opacity: typeof opacity === "number" && opacity >= 0 && opacity <= 1 ? opacity : 1 };
  } catch {
    return null;
  }
}

function markerOf(value: unknown): Marker | null {
  try {
    const action = readAction({ type: "addMarker", payload: value });
    return action.type === "addMarker" ? action.payload : null;
  } catch {
    return null;
  }
}

function tableOf(value: unknown): FeatureTable | null {
  try {
    return isFields(value) ? readTable(value) : null;
  } catch {
    return null;
  }
}
