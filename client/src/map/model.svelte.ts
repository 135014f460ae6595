/** What is on the map, independent of how it is drawn. */

import { Refused, type Background, type MapAction, type MapLayer, type Marker, type View } from "./actions";
import type { Coord } from "./geometry";

/** A layer with what the user has set about it. */
export interface LayerEntry extends MapLayer {
  /** 0 to 1 */
  opacity: number;
}

/** The place that is looked at. */
export interface Viewpoint {
  center: Coord;
  /** Metres a pixel. */
  resolution: number;
}

/** Moves the map. */
export interface Camera {
  /** Resolves when the map is there. */
  show(view: View): Promise<void>;
  jump(viewpoint: Viewpoint): void;
}

export interface Snapshot {
  background: Background;
  /** The topmost first. */
  layers: readonly LayerEntry[];
  markers: readonly Marker[];
  viewpoint: Viewpoint | null;
}

/** The actions change this model; the drawing follows. */
export class MapModel {
  background = $state<Background>("sw");
  layers = $state.raw<readonly LayerEntry[]>([]);
  markers = $state.raw<readonly Marker[]>([]);
  viewpoint = $state.raw<Viewpoint | null>(null);
  /** Ids of layers whose pictures cannot be loaded at the moment. */
  troubled = $state.raw<ReadonlySet<string>>(new Set());
  /** Places to choose from, numbered from 1. */
  candidates = $state.raw<readonly Coord[]>([]);
  /** The layer after which the next one of the same batch goes. */
  #above: string | null = null;

  constructor(private readonly camera: () => Promise<Camera>) {}

  /** Layers with a picture of their own; outlines that mark a thing belong to the thing. */
  get listed(): readonly LayerEntry[] {
    return this.layers.filter((layer) => !isMark(layer));
  }

  get marks(): number {
    return this.markers.length + (this.layers.length - this.listed.length);
  }

  /** The next layers are a batch: they go on top of all others, and keep their own order. */
  beginBatch(): void {
    this.#above = null;
  }

  /** Throws `Refused`. */
  async apply(action: MapAction): Promise<void> {
    switch (action.type) {
      case "setView":
        return (await this.camera()).show(action.payload);
      case "addMarker":
        this.markers = [...this.markers.filter((m) => m.id !== action.payload.id), action.payload];
        return;
      case "removeMarker":
        this.markers = this.markers.filter((m) => m.id !== action.payload.id);
        return;
      case "addLayer":
        return this.#add({ ...action.payload, opacity: 1 });
      case "removeLayer":
        return this.remove(action.payload.id);
      case "setLayerVisibility":
        if (!this.layers.some((layer) => layer.id === action.payload.id)) throw new Refused("unknown_layer");
        return this.change(action.payload.id, { visible: action.payload.visible });
      case "setBackground":
        this.background = action.payload.background;
        return;
      case "clearMap":
        this.layers = [];
        this.markers = [];
        this.troubled = new Set();
        return;
      case "showOerebExtract":
        // Its links are shown with the step that brought it.
        return;
    }
  }

  remove(id: string): void {
    this.layers = this.layers.filter((layer) => layer.id !== id);
    this.report(id, false);
  }

  removeMarks(): void {
    this.layers = this.listed;
    this.markers = [];
  }

  change(id: string, changes: Partial<Pick<LayerEntry, "visible" | "opacity">>): void {
    this.layers = this.layers.map((layer) => (layer.id === id ? { ...layer, ...changes } : layer));
  }

  /** Moves a listed layer to another place of the list, 0 being the top. */
  move(id: string, to: number): void {
    const order = [...this.listed];
    const from = order.findIndex((layer) => layer.id === id);
    const [layer] = from < 0 ? [] : order.splice(from, 1);
    if (!layer) return;
    order.splice(Math.max(0, Math.min(to, order.length)), 0, layer);
    this.layers = [...this.layers.filter(isMark), ...order];
  }

  /** Whether the pictures of a layer fail to load. */
  report(id: string, troubled: boolean): void {
    if (this.troubled.has(id) === troubled) return;
    const ids = new Set(this.troubled);
    if (troubled) ids.add(id);
    else ids.delete(id);
    this.troubled = ids;
  }

  snapshot(): Snapshot {
    const { background, layers, markers, viewpoint } = this;
    return { background, layers, markers, viewpoint };
  }

  /** Puts everything back except the place that is looked at. */
  restore(snapshot: Snapshot): void {
    this.background = snapshot.background;
    this.layers = snapshot.layers;
    this.markers = snapshot.markers;
  }

  /** Back to a remembered place. */
  async look(viewpoint: Viewpoint): Promise<void> {
    (await this.camera()).jump(viewpoint);
  }

  #add(entry: LayerEntry): void {
    const before = this.layers.find((layer) => layer.id === entry.id);
    const others = this.layers.filter((layer) => layer.id !== entry.id);
    const place = others.findIndex((layer) => layer.id === this.#above) + 1;
    this.layers = others.toSpliced(place, 0, before ? { ...entry, opacity: before.opacity } : entry);
    if (!isMark(entry)) this.#above = entry.id;
    this.report(entry.id, false);
  }
}

/** Whether a layer only marks a thing, as the outline of a parcel does. */
export function isMark(layer: MapLayer): boolean {
  return layer.source.type === "geojson" && layer.source.highlighted;
}
