/** What is on the map, independent of how it is drawn. */

import type { Background, MapAction, Marker, View } from "./actions";
import { changed, isMark, nextAbove, previewed, viewOf, type Contents, type LayerEntry } from "./contents";
import type { Coord } from "./geometry";

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
  where(): Viewpoint;
  /** Whether a place is where nothing lies over the map. */
  sees(coord: Coord): boolean;
}

export interface Snapshot extends Contents {
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
  /** What the drawing shows: the contents, and on top of them what is only being looked at. */
  readonly shown: Contents = $derived.by(() => previewed(this.#contents, this.#previewed));
  #previewed = $state.raw<readonly MapAction[]>([]);
  /** Where a preview has led the view to (`there` once it has arrived), and where it goes back to. */
  #away: { home: Viewpoint; there: Viewpoint | null } | null = null;
  /** The layer below which the next one of the same batch goes. */
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
    if (action.type === "setView") return (await this.camera()).show(action.payload);
    this.#put(changed(this.#contents, action, this.#above));
    this.#above = nextAbove(action, this.#above);
    if (action.type === "clearMap") this.troubled = new Set();
    else if (action.type === "addLayer" || action.type === "removeLayer") this.report(action.payload.id, false);
  }

  /**
   * Shows what the actions would do, on top of what is there, until that ends; the map itself stays as it is.
   * `view` is looked at when their places are out of sight.
   */
  async preview(actions: readonly MapAction[], view: View | null): Promise<void> {
    this.#previewed = actions;
    const places = actions.flatMap((action) => (action.type === "addMarker" ? [action.payload.coord] : []));
    const target = viewOf(actions) ?? (places.length > 0 ? view : null);
    if (!target) return;
    const camera = await this.camera();
    if (target === view && places.every((place) => camera.sees(place))) return;
    const home = this.#isAway(camera.where()) ? this.#away!.home : camera.where();
    this.#away = { home, there: null };
    await camera.show(target);
    this.#away = { home, there: camera.where() };
  }

  /** Brings the view back too, unless the user has moved it since. */
  async endPreview(): Promise<void> {
    this.#previewed = [];
    if (!this.#away) return;
    const camera = await this.camera();
    if (this.#isAway(camera.where())) camera.jump(this.#away.home);
    this.#away = null;
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

  /** The map without what is only being looked at. */
  snapshot(): Snapshot {
    const isAway = this.viewpoint !== null && this.#isAway(this.viewpoint);
    return { ...this.#contents, viewpoint: isAway ? this.#away!.home : this.viewpoint };
  }

  /** Puts everything back except the place that is looked at. */
  restore(snapshot: Snapshot): void {
    this.#put(snapshot);
  }

  get #contents(): Contents {
    return { background: this.background, layers: this.layers, markers: this.markers };
  }

  #put({ background, layers, markers }: Contents): void {
    this.background = background;
    this.layers = layers;
    this.markers = markers;
  }

  /** Whether only a preview has led to a place. */
  #isAway(place: Viewpoint): boolean {
    if (!this.#away) return false;
    const there = this.#away.there;
    return there === null || (sameCoord(place.center, there.center) && place.resolution === there.resolution);
  }
}

function sameCoord(a: Coord, b: Coord): boolean {
  return a[0] === b[0] && a[1] === b[1];
}
