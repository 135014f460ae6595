/** What is on a map, and what an action makes of it. Pure. */

import { ALL, type Background, type MapAction, type MapLayer, type Marker, type View } from "./actions.js";
import { Refused, type Reason } from "./checks.js";
import type { FeatureTable } from "./features.js";

/** A layer with what the user has set about it. */
export interface LayerEntry extends MapLayer {
  /** 0 to 1 */
  opacity: number;
}

export interface Contents {
  background: Background;
  /** The topmost first. */
  layers: readonly LayerEntry[];
  markers: readonly Marker[];
  /** The newest last. */
  features: readonly FeatureTable[];
}

/** A map at first. */
export const EMPTY: Contents = { background: "none", layers: [], markers: [], features: [] };

/** All but the view, which is not part of the contents, and what needs those of before. */
type Change = Exclude<MapAction, { type: "setView" | "undo" }>;

/** The same contents where nothing changes. A layer that is new goes right below the layer `above`, or on top of all. Throws `Refused`. */
export function changed(contents: Contents, action: Change, above: string | null): Contents {
  const { layers, markers, features } = contents;
  switch (action.type) {
    case "addMarker":
      return { ...contents, markers: [...without(markers, action.payload.id), action.payload] };
    case "removeMarker":
      return action.payload.id === ALL
        ? unmarked(contents)
        : { ...contents, markers: removed(markers, action.payload.id, "unknown_marker") };
    case "addLayer":
      return { ...contents, layers: added(layers, action.payload, above) };
    case "removeLayer":
      return { ...contents, layers: removed(layers, action.payload.id, "unknown_layer") };
    case "setLayerVisibility":
    case "setLayerOpacity": {
      const { id, ...settings } = action.payload;
      return set(contents, found(layers, id), settings);
    }
    case "moveLayer": {
      const { id, order } = action.payload;
      return moved(contents, id, layers.filter((each) => !isMark(each)).length - 1 - order);
    }
    case "showLegend":
      if (!found(layers, action.payload.id).legendUrl) throw new Refused("no_legend");
      return contents;
    case "addFeatures":
      return { ...contents, features: [...without(features, action.payload.id), action.payload] };
    case "removeFeatures": {
      const { id } = action.payload;
      const left = id === ALL ? [] : without(features, id);
      return left.length === features.length ? contents : { ...contents, features: left };
    }
    case "setBackground":
      return action.payload.background === contents.background ? contents : { ...contents, ...action.payload };
    case "clearMap":
      return isEmpty(contents) ? contents : { ...contents, layers: [], markers: [], features: [] };
    case "showOerebExtract":
      // Its links are shown with the step that brought it.
      return contents;
  }
}

/** A listed layer at another place of the list, 0 being the top. */
export function moved(contents: Contents, id: string, to: number): Contents {
  const order = contents.layers.filter((each) => !isMark(each));
  const layer = found(order, id);
  const from = order.indexOf(layer);
  const place = Math.max(0, Math.min(to, order.length - 1));
  if (from === place) return contents;
  const layers = [...contents.layers.filter(isMark), ...order.toSpliced(from, 1).toSpliced(place, 0, layer)];
  return { ...contents, layers };
}

/** Without markers and outlines that mark a thing. */
export function unmarked(contents: Contents): Contents {
  const layers = contents.layers.filter((each) => !isMark(each));
  if (contents.markers.length === 0 && layers.length === contents.layers.length) return contents;
  return { ...contents, layers, markers: [] };
}

type Settings = Partial<Pick<LayerEntry, "visible" | "opacity">>;

export function set(contents: Contents, layer: LayerEntry, settings: Settings): Contents {
  const after = { ...layer, ...settings };
  if (after.visible === layer.visible && after.opacity === layer.opacity) return contents;
  return { ...contents, layers: contents.layers.map((each) => (each === layer ? after : each)) };
}

/** Whether there is the same on the map. */
export function isSame(a: Contents, b: Contents): boolean {
  const hasSame = (part: "layers" | "markers" | "features") => a[part] === b[part] || a[part].length + b[part].length === 0;
  return a.background === b.background && hasSame("layers") && hasSame("markers") && hasSame("features");
}

function isEmpty({ layers, markers, features }: Contents): boolean {
  return layers.length + markers.length + features.length === 0;
}

/** What some actions would make of the contents; what cannot be done is left out. */
export function previewed(contents: Contents, actions: readonly MapAction[]): Contents {
  let above: string | null = null;
  for (const action of actions) {
    if (action.type === "setView" || action.type === "undo") continue;
    try {
      contents = changed(contents, action, above);
      above = nextAbove(action, above);
    } catch {
      // It would be refused.
    }
  }
  return contents;
}

/** The layer below which the next one of the same batch goes. */
export function nextAbove(action: Change, above: string | null): string | null {
  return action.type === "addLayer" && !isMark(action.payload) ? action.payload.id : above;
}

/** Where some actions would lead the view. */
export function viewOf(actions: readonly MapAction[]): View | null {
  return actions.findLast((action) => action.type === "setView")?.payload ?? null;
}

/** Whether a layer only marks a thing, as the outline of a parcel does. */
export function isMark(layer: MapLayer): boolean {
  return layer.source.type === "geojson" && layer.source.highlighted;
}

interface Named {
  id: string;
}

/** Throws `Refused`. */
export function found(layers: readonly LayerEntry[], id: string): LayerEntry {
  const layer = layers.find((each) => each.id === id);
  if (!layer) throw new Refused("unknown_layer");
  return layer;
}

function without<T extends Named>(things: readonly T[], id: string): readonly T[] {
  return things.filter((each) => each.id !== id);
}

function removed<T extends Named>(things: readonly T[], id: string, otherwise: Reason): readonly T[] {
  const left = without(things, id);
  if (left.length === things.length) throw new Refused(otherwise);
  return left;
}

function added(layers: readonly LayerEntry[], layer: MapLayer, above: string | null): readonly LayerEntry[] {
  const before = layers.find((each) => each.id === layer.id);
  const others = without(layers, layer.id);
  const place = others.findIndex((each) => each.id === above) + 1;
  return others.toSpliced(place, 0, { ...layer, opacity: before?.opacity ?? 1 });
}
