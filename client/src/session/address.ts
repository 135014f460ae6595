/** The map in the address of the page, to be read and to be typed. Whoever gets one may not trust it. Pure. */

import {
  BACKGROUNDS,
  isCoord,
  isOnMap,
  resolutionOfScale,
  scaleOf,
  type Background,
  type Coord,
  type Marker,
  type Viewpoint,
} from "@ask-sogis/map-actions";
import type { Snapshot } from "@ask-sogis/copilot/map/model.svelte";

/** A layer of the catalogue: all else about it the server knows. */
export interface Listed {
  id: string;
  opacity: number;
  visible: boolean;
}

export interface Address {
  viewpoint: Viewpoint | null;
  background: Background;
  /** The topmost first. */
  layers: readonly Listed[];
  markers: readonly Marker[];
}

const MAX_LAYERS = 50;
const MAX_ID_CHARS = 256;
const MAX_PINS = 8;
const MAX_RESOLUTION = 10_000;
const HIDDEN = "off";

/** `#map=5000/2607500/1228500&bg=sw&layers=a,b:60,c:off&pin=2607744/1228431`: scale, east and north, opacity in
 * percent. Without labels: nobody reads in it what was asked. Null as long as the map is not drawn. */
export function toAddress({ viewpoint, background, layers, markers }: Snapshot): string | null {
  if (!viewpoint) return null;
  const digits = viewpoint.resolution < 1 ? 1 : 0;
  const listed = layers.filter(({ source }) => source.type !== "geojson").slice(0, MAX_LAYERS);
  const pins = markers.slice(0, MAX_PINS).map(({ coord }) => place(coord, 1));
  const view = `#map=${scaleOf(viewpoint.resolution)}/${place(viewpoint.center, digits)}&bg=${background}`;
  return [view, list("layers", listed.map(written)), list("pin", pins)].join("");
}

/** What an address says, as far as it can be right; null when it is none. */
export function fromAddress(fragment: string): Address | null {
  if (fragment.length > 20_000) return null;
  const parts = new Map(fragment.slice(1).split("&").map(halved));
  const [scale, ...center] = numbers(parts.get("map"));
  if (scale === undefined || center.length !== 2) return null;
  const resolution = resolutionOfScale(scale);
  const isPlace = isCoord(center) && isOnMap(center) && resolution > 0 && resolution < MAX_RESOLUTION;
  const pins = items(parts.get("pin")).map(numbers).filter(isCoord).filter(isOnMap).slice(0, MAX_PINS);
  const layers = items(parts.get("layers"))
    .map(read)
    .filter((each) => each !== null);
  return {
    viewpoint: isPlace ? { center, resolution } : null,
    background: BACKGROUNDS.find((each) => each === parts.get("bg")) ?? "sw",
    layers: [...new Map(layers.map((each) => [each.id, each])).values()].slice(0, MAX_LAYERS),
    markers: pins.map((coord, n) => ({ id: `pin-${n + 1}`, coord })),
  };
}

function written({ id, opacity, visible }: Listed): string {
  const percent = Math.round(opacity * 100);
  return [encodeURIComponent(id), ...(percent < 100 ? [percent] : []), ...(visible ? [] : [HIDDEN])].join(":");
}

function read(text: string): Listed | null {
  const [name = "", ...settings] = text.split(":");
  const id = decoded(name);
  if (!id || id.length > MAX_ID_CHARS) return null;
  const percent = settings.find((each) => /^\d{1,3}$/.test(each));
  const opacity = percent === undefined ? 1 : Math.min(Number(percent), 100) / 100;
  return { id, opacity, visible: !settings.includes(HIDDEN) };
}

function place(coord: Coord, digits: number): string {
  return coord.map((metres) => String(Number(metres.toFixed(digits)))).join("/");
}

function list(name: string, parts: readonly string[]): string {
  return parts.length > 0 ? `&${name}=${parts.join(",")}` : "";
}

function items(text: string | undefined): readonly string[] {
  return text ? text.split(",") : [];
}

/** None when one of them is no number. */
function numbers(text: string | undefined): readonly number[] {
  const parts = text?.split("/") ?? [];
  return parts.every((part) => /^\d{1,9}(\.\d{1,3})?$/.test(part)) ? parts.map(Number) : [];
}

function halved(part: string): readonly [string, string] {
  const at = part.indexOf("=");
  return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
