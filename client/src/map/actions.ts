/** Map actions as they come from outside, checked before anything is done with them. */

import { boundsOf, isCoord, isExtent, isOnMap, middleOf, type Coord, type Extent } from "./geometry";
import { isWeb, safeLink } from "./links";
import { isTileTemplate, readTileGrid, type TileGridSpec } from "./tile-grids";

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
  legendUrl?: string;
}

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
  | { type: "setBackground"; payload: { background: Background } }
  | { type: "clearMap"; payload: Record<string, never> }
  | { type: "showOerebExtract"; payload: ExtractLinks };

/** Why an action was not done. Each has a sentence in the texts: `map.failed.<reason>`. */
export type Reason =
  | "unknown_action"
  | "invalid_payload"
  | "unsafe_url"
  | "foreign_host"
  | "outside"
  | "unknown_layer"
  | "unknown_marker"
  | "map_unavailable";

export class Refused extends Error {
  constructor(readonly reason: Reason) {
    super(reason);
  }
}

type Fields = Record<string, unknown>;

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
  setBackground: ({ background }) => {
    const known = BACKGROUNDS.find((each) => each === background);
    if (!known) throw new Refused("invalid_payload");
    return { background: known };
  },
  clearMap: () => ({}),
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
  return { type, payload: READERS[type as MapAction["type"]](payload) } as MapAction;
}

/** A layer as in the payload of `addLayer`. Throws `Refused`. */
export function readLayer(payload: Fields): MapLayer {
  const { id, type, source, visible = true, label, attribution, legendUrl } = payload;
  if (!isFields(source) || typeof visible !== "boolean") throw new Refused("invalid_payload");
  return {
    id: textOf(id),
    source: readSource(type, source),
    visible,
    ...optional("label", label),
    ...optional("attribution", attribution),
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

function textOf(value: unknown): string {
  if (typeof value !== "string" || value === "") throw new Refused("invalid_payload");
  return value;
}

function optional<K extends string>(key: K, value: unknown): { [P in K]?: string } {
  return (typeof value === "string" && value !== "" ? { [key]: value } : {}) as { [P in K]?: string };
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
