/** The map in a link: place, background, layers and markers. Whoever gets one may not trust it: all of it is checked. */

import { BACKGROUNDS, readAction, readLayer, type Marker } from "../map/actions";
import type { LayerEntry } from "../map/contents";
import { isCoord } from "../map/geometry";
import { isOfHosts } from "../map/links";
import type { Snapshot } from "../map/model.svelte";

const PREFIX = "#map=";
const MAX_CHARS = 8_000;

/** The fragment of the link; outlines are left out when it would become too long for a message. */
export function toFragment(snapshot: Snapshot): string {
  const whole = encode(snapshot);
  if (whole.length <= MAX_CHARS) return whole;
  return encode({ ...snapshot, layers: snapshot.layers.filter((layer) => layer.source.type !== "geojson") });
}

/** The map of a link; null when it is none. Layers of other hosts are left out. */
export function fromFragment(fragment: string, hosts: readonly string[]): Snapshot | null {
  if (!fragment.startsWith(PREFIX)) return null;
  try {
    const document: unknown = JSON.parse(decode(fragment.slice(PREFIX.length)));
    if (typeof document !== "object" || document === null) return null;
    const { v, b, l, m } = document as Record<string, unknown>;
    const [east, north, resolution] = Array.isArray(v) ? v : [];
    const center = [east, north];
    const isPlace = isCoord(center) && typeof resolution === "number" && resolution > 0 && resolution < 10_000;
    return {
      background: BACKGROUNDS.find((each) => each === b) ?? "sw",
      layers: (Array.isArray(l) ? l : []).map((each) => layerOf(each, hosts)).filter((each) => each !== null),
      markers: (Array.isArray(m) ? m : []).map(markerOf).filter((each) => each !== null),
      features: [],
      viewpoint: isPlace ? { center, resolution } : null,
    };
  } catch {
    return null;
  }
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
function described({ source, opacity, ...layer }: LayerEntry): Record<string, unknown> {
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
