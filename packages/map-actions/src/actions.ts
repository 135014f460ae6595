/** Map actions as they come from outside, checked before anything is done with them. */

import { isFields, optional, Refused, textOf, type Fields } from "./checks.js";
import { readTable, type FeatureTable } from "./features.js";
import { boundsOf, isCoord, isExtent, isOnMap, middleOf, type Coord, type Extent } from "./geometry.js";
import { isWeb, safeLink } from "./links.js";
import { isTileTemplate, readTileGrid, type TileGridSpec } from "./tile-grids.js";

export const BACKGROUNDS = ["none", "sw", "color", "ortho"] as const;
export type Background = (typeof BACKGROUNDS)[number];

export interface View {
  center: Coord;
  zoom: number;
  extent?: Extent;
}

export interface Marker {
  id: string;
  coord: Coord;
  label?: string;
}

export type LayerSource =
  | { type: "wms"; url: string; parameters: Readonly<Record<string, string>> }
  | { type: "wmts"; url: string; tileGrid: TileGridSpec }
  | { type: "geojson"; data: unknown; highlighted: boolean };

export interface MapLayer {
  id: string;
  source: LayerSource;
  visible: boolean;
  label?: string;
  attribution?: string;
  /** What it was loaded with, and belongs to. */
  group?: string;
  legendUrl?: string;
}

/** More steps than this are not taken back at once. */
export const MAX_UNDO_STEPS = 20;
/** As an id: all of them. */
export const ALL = "*";

export interface ExtractLinks {
  egrid: string;
  /** The PDF. */
  url?: string;
  /** The canton's own view of it. */
  mapUrl?: string;
}

export type MapAction =
  | { type: "setView"; payload: View }
  | { type: "addMarker"; payload: Marker }
  | { type: "removeMarker"; payload: { id: string } }
  | { type: "addLayer"; payload: MapLayer }
  | { type: "removeLayer"; payload: { id: string } }
  | { type: "setLayerVisibility"; payload: { id: string; visible: boolean } }
  | { type: "setLayerOpacity"; payload: { id: string; opacity: number } }
  | { type: "moveLayer"; payload: { id: string; order: number } }
  | { type: "showLegend"; payload: { id: string } }
  | { type: "addFeatures"; payload: FeatureTable }
  | { type: "removeFeatures"; payload: { id: string } }
  | { type: "setBackground"; payload: { background: Background } }
  | { type: "clearMap"; payload: Record<string, never> }
  | { type: "undo"; payload: { steps: number } }
  | { type: "showOerebExtract"; payload: ExtractLinks };

const READERS: { [T in MapAction["type"]]: (payload: Fields) => PayloadOf<T> } = {
  setView: ({ center, zoom, extent }) => {
    if (!isCoord(center) || typeof zoom !== "number" || !Number.isFinite(zoom)) throw new Refused("invalid_payload");
    const view = isExtent(extent) ? { center, zoom, extent } : { center, zoom };
    if (!isOnMap(view.extent ? middleOf(view.extent) : center)) throw new Refused("outside");
    return view;
  },
  addMarker: ({ id, coord, label }) => {
    if (!isCoord(coord)) throw new Refused("invalid_payload");
    return { id: textOf(id), coord, ...optional("label", label) };
  },
  removeMarker: ({ id }) => ({ id: textOf(id) }),
  addLayer: (payload) => readLayer(payload),
  removeLayer: ({ id }) => ({ id: textOf(id) }),
  setLayerVisibility: ({ id, visible }) => {
    if (typeof visible !== "boolean") throw new Refused("invalid_payload");
    return { id: textOf(id), visible };
  },
  setLayerOpacity: ({ id, opacity }) => {
    if (typeof opacity !== "number" || !(opacity >= 0 && opacity <= 1)) throw new Refused("invalid_payload");
    return { id: textOf(id), opacity };
  },
  moveLayer: ({ id, order }) => {
    if (!isWhole(order) || order < 0) throw new Refused("invalid_payload");
    return { id: textOf(id), order };
  },
  showLegend: ({ id }) => ({ id: textOf(id) }),
  addFeatures: (payload) => readTable(payload),
  removeFeatures: ({ id }) => ({ id: textOf(id) }),
  setBackground: ({ background }) => {
    const known = BACKGROUNDS.find((each) => each === background);
    if (!known) throw new Refused("invalid_payload");
    return { background: known };
  },
  clearMap: () => ({}),
  undo: ({ steps = 1 }) => {
    if (!isWhole(steps) || steps < 1 || steps > MAX_UNDO_STEPS) throw new Refused("invalid_payload");
    return { steps };
  },
  showOerebExtract: ({ egrid, url, mapUrl, content }) => {
    // One that has been read is worth showing without its PDF.
    if (safeLink(url) === null && !isFields(content)) throw new Refused("unsafe_url");
    return { egrid: textOf(egrid), ...optional("url", safeLink(url)), ...optional("mapUrl", safeLink(mapUrl)) };
  },
};

type PayloadOf<T, A = MapAction> = A extends { type: T; payload: infer P } ? P : never;

/** The action if it is one that can be done. Throws `Refused`. */
export function readAction(value: unknown): MapAction {
  if (!isFields(value) || typeof value["type"] !== "string") throw new Refused("invalid_payload");
  const type = value["type"];
  if (!Object.hasOwn(READERS, type)) throw new Refused("unknown_action");
  const payload = value["payload"] ?? {};
  if (!isFields(payload)) throw new Refused("invalid_payload");
  const read = READERS[type as MapAction["type"]] as (payload: Fields) => unknown;
  return { type, payload: read(payload) } as MapAction;
}

/** A layer as in the payload of `addLayer`. Throws `Refused`. */
export function readLayer(payload: Fields): MapLayer {
  const { id, type, source, visible = true, label, attribution, group, legendUrl } = payload;
  if (!isFields(source) || typeof visible !== "boolean") throw new Refused("invalid_payload");
  return {
    id: textOf(id),
    source: readSource(type, source),
    visible,
    ...optional("label", label),
    ...optional("attribution", attribution),
    ...optional("group", group),
    ...optional("legendUrl", typeof legendUrl === "string" && isWeb(legendUrl) ? legendUrl : undefined),
  };
}

function readSource(type: unknown, source: Fields): LayerSource {
  const { url, tileGrid, data, style, ...rest } = source;
  if (type === "geojson") {
    if (!isFields(data) || boundsOf(data) === null) throw new Refused("invalid_payload");
    return { type, data, highlighted: style === "highlight" };
  }
  if (type !== "wms" && type !== "wmts") throw new Refused("invalid_payload");
  if (typeof url !== "string" || !isWeb(url)) throw new Refused("unsafe_url");
  if (type === "wmts") {
    const grid = readTileGrid(tileGrid);
    if (grid === null || !isTileTemplate(url)) throw new Refused("invalid_payload");
    return { type, url, tileGrid: grid };
  }
  const scalars = Object.entries(rest).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  const style_ = typeof style === "string" ? { style } : {};
  return { type, url, parameters: { ...style_, ...Object.fromEntries(scalars.map(([k, v]) => [k, String(v)])) } };
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
