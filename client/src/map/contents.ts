/** What is on a map, and what an action makes of it. Pure. */

import { Refused, type Background, type MapAction, type MapLayer, type Marker, type View } from "./actions";

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
}

/** All but the view, which is not part of the contents. */
export type Change = Exclude<MapAction, { type: "setView" }>;

/** A layer that is new goes right below the layer `above`, or on top of all. Throws `Refused`. */
export function changed(contents: Contents, action: Change, above: string | null): Contents {
  const { layers, markers } = contents;
  switch (action.type) {
    case "addMarker":
      return { ...contents, markers: [...markers.filter((each) => each.id !== action.payload.id), action.payload] };
    case "removeMarker":
      if (!has(markers, action.payload.id)) throw new Refused("unknown_marker");
      return { ...contents, markers: markers.filter((each) => each.id !== action.payload.id) };
    case "addLayer":
      return { ...contents, layers: added(layers, action.payload, above) };
    case "removeLayer":
      if (!has(layers, action.payload.id)) throw new Refused("unknown_layer");
      return { ...contents, layers: layers.filter((each) => each.id !== action.payload.id) };
    case "setLayerVisibility": {
      const { id, visible } = action.payload;
      if (!has(layers, id)) throw new Refused("unknown_layer");
      return { ...contents, layers: layers.map((each) => (each.id === id ? { ...each, visible } : each)) };
    }
    case "setBackground":
      return { ...contents, background: action.payload.background };
    case "clearMap":
      return { ...contents, layers: [], markers: [] };
    case "showOerebExtract":
      // Its links are shown with the step that brought it.
      return contents;
  }
}

/** What some actions would make of the contents; what cannot be done is left out. */
export function previewed(contents: Contents, actions: readonly MapAction[]): Contents {
  let above: string | null = null;
  for (const action of actions) {
    if (action.type === "setView") continue;
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

function has(things: readonly { id: string }[], id: string): boolean {
  return things.some((each) => each.id === id);
}

function added(layers: readonly LayerEntry[], layer: MapLayer, above: string | null): readonly LayerEntry[] {
  const before = layers.find((each) => each.id === layer.id);
  const others = layers.filter((each) => each.id !== layer.id);
  const place = others.findIndex((each) => each.id === above) + 1;
  return others.toSpliced(place, 0, { ...layer, opacity: before?.opacity ?? 1 });
}
