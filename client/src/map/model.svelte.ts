/** What is on the map, independent of how it is drawn. */

import type { LayerState } from "./arrival";
import { ALL, type Background, type MapAction, type Marker, type View } from "./actions";
import { Refused } from "./checks";
import { changed, isMark, moved, nextAbove, previewed, set, unmarked, viewOf, type Contents, type LayerEntry } from "./contents";
import { contextOf, type MapContext } from "./context";
import type { FeatureRef, FeatureTable } from "./features";
import type { Coord } from "./geometry";
import type { Where } from "../chat/results";
import { History } from "./history.svelte";
import { nearest } from "./lifting";

/** The place that is looked at. */
export interface Viewpoint {
  center: Coord;
  /** Metres a pixel. */
  resolution: number;
}

/** In pixels. */
export type Size = readonly [width: number, height: number];

/** Moves the map. */
export interface Camera {
  /** Resolves when the map is there. */
  show(view: View): Promise<void>;
  jump(viewpoint: Viewpoint): void;
  where(): Viewpoint;
  /** Whether a place is where nothing lies over the map. */
  sees(coord: Coord): boolean;
  /** Where on the page a place is that can be seen, in pixels; null elsewhere. */
  pixelOf(coord: Coord): Coord | null;
}

/** An option of a choice, on the map. */
interface Candidate extends Where {
  choose(): void;
}

export interface Snapshot extends Contents {
  viewpoint: Viewpoint | null;
}

/** About the size of the number of an option. */
const REACH_PX = 14;

/** The actions change this model; the drawing follows. */
export class MapModel {
  background = $state<Background>("sw");
  layers = $state.raw<readonly LayerEntry[]>([]);
  markers = $state.raw<readonly Marker[]>([]);
  features = $state.raw<readonly FeatureTable[]>([]);
  viewpoint = $state.raw<Viewpoint | null>(null);
  /** Where the user has clicked, and the feature that is drawn there. */
  point = $state.raw<Coord | null>(null);
  touched = $state.raw<FeatureRef | null>(null);
  /** The feature that stands out, in its table and on the map. */
  highlighted = $state.raw<FeatureRef | null>(null);
  /** The layer whose legend was asked for last; another object each time. */
  legend = $state.raw<{ id: string } | null>(null);
  /** How much of the map nothing lies over; null until it is drawn. */
  free = $state.raw<Size | null>(null);
  /** How the pictures of the layers come, by id; of those that need none nothing is known. */
  states = $state.raw<ReadonlyMap<string, LayerState>>(new Map());
  /** Places to choose from, numbered from 1. */
  candidates = $state.raw<readonly Candidate[]>([]);
  /** What the card stands for that is looked at. */
  lifted = $state.raw<Where | null>(null);
  /** Where the pointer is. */
  pointer = $state.raw<Coord | null>(null);
  /** Which of the places to choose from it is on; -1 on none. */
  readonly pointed: number = $derived(this.#candidateAt(this.pointer));
  /** What the drawing shows: the contents, and on top of them what is only being looked at. */
  readonly shown: Contents = $derived.by(() => previewed(this.#contents, this.#previewed));
  #previewed = $state.raw<readonly MapAction[]>([]);
  /** Where a preview has led the view to (`there` once it has arrived), and where it goes back to. */
  #away: { home: Viewpoint; there: Viewpoint | null } | null = null;
  /** The layer below which the next one of the same batch goes. */
  #above: string | null = null;
  /** Who changes the map. */
  #by = "";
  readonly #past = new History();

  constructor(private readonly camera: () => Promise<Camera>) {}

  /** Layers with a picture of their own; outlines that mark a thing belong to the thing. */
  get listed(): readonly LayerEntry[] {
    return this.layers.filter((layer) => !isMark(layer));
  }

  get marks(): number {
    return this.markers.length + this.features.length + (this.layers.length - this.listed.length);
  }

  /** How many steps can be taken back. */
  get undoable(): number {
    return this.#past.length;
  }

  /** The next layers are a batch: they go on top of all others, and keep their own order. `by` is who changes the map. */
  beginBatch(by: string): void {
    this.#above = null;
    this.#by = by;
  }

  /** Throws `Refused`. */
  async apply(action: MapAction): Promise<void> {
    if (action.type === "setView") return this.#look(action.payload, this.#by);
    if (action.type === "undo") return this.undo(action.payload.steps);
    this.#change(changed(this.#contents, action, this.#above), this.#by);
    this.#above = nextAbove(action, this.#above);
    if (action.type === "addLayer") this.report(action.payload.id, null);
    if (action.type === "showLegend") this.legend = action.payload;
    if (action.type === "clearMap" || (action.type === "removeMarker" && action.payload.id === ALL)) this.unmark();
  }

  /** Takes back the last steps, or as many as there are. Throws `Refused` when there is none. */
  async undo(steps = 1): Promise<void> {
    const before = this.#past.back(steps);
    if (!before) throw new Refused("nothing_to_undo");
    this.#put(before.contents);
    if (before.viewpoint) (await this.camera()).jump(before.viewpoint);
  }

  /** A click: on the number of an option it chooses that, elsewhere it marks the place. */
  press(point: Coord, touched: FeatureRef | null): void {
    const candidate = this.candidates[this.#candidateAt(point)];
    if (candidate) candidate.choose();
    else this.mark(point, touched);
  }

  /** Metres: as far as a fingertip reaches at the scale of now. */
  get reach(): number {
    return REACH_PX * (this.viewpoint?.resolution ?? 0);
  }

  /** Marks the place where the user has clicked, and the feature that is drawn there. */
  mark(point: Coord, touched: FeatureRef | null = null): void {
    this.point = point;
    this.touched = touched;
  }

  unmark(): void {
    this.point = this.touched = null;
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
    this.#change({ ...this.#contents, layers: this.layers.filter((layer) => layer.id !== id) });
  }

  removeMarks(): void {
    this.#change({ ...unmarked(this.#contents), features: [] });
    this.unmark();
  }

  removeFeatures(id: string): void {
    this.#change(changed(this.#contents, { type: "removeFeatures", payload: { id } }, null));
  }

  lay(background: Background): void {
    this.#change({ ...this.#contents, background });
  }

  /** Changes `by` the same gesture are one step, until `settle`. */
  change(id: string, changes: Partial<Pick<LayerEntry, "visible" | "opacity">>, by: string | null = null): void {
    const layer = this.layers.find((each) => each.id === id);
    if (layer) this.#change(set(this.#contents, layer, changes), by);
  }

  /** Moves a listed layer to another place of the list, 0 being the top. */
  move(id: string, to: number, by: string | null = null): void {
    if (this.listed.some((layer) => layer.id === id)) this.#change(moved(this.#contents, id, to), by);
  }

  /** A gesture has ended. */
  settle(): void {
    this.#past.settle();
  }

  /** How the pictures of a layer come. */
  report(id: string, state: LayerState | null): void {
    if ((this.states.get(id) ?? null) === state) return;
    const states = new Map(this.states);
    if (state) states.set(id, state);
    else states.delete(id);
    this.states = states;
  }

  /** Whether a layer is to be seen, and its pictures do not come. */
  isSilent({ id, visible }: LayerEntry): boolean {
    return visible && this.states.get(id) === "silent";
  }

  /** Asks for the pictures of a layer as if for the first time. */
  again(id: string): void {
    this.layers = this.layers.map((layer) => (layer.id === id ? { ...layer, source: { ...layer.source } } : layer));
    this.report(id, null);
  }

  /** The map without what is only being looked at. */
  snapshot(): Snapshot {
    const isAway = this.viewpoint !== null && this.#isAway(this.viewpoint);
    return { ...this.#contents, viewpoint: isAway ? this.#away!.home : this.viewpoint };
  }

  /** For who is asked something about it; null as long as it is not drawn. */
  get context(): MapContext | null {
    const { viewpoint } = this.snapshot();
    return viewpoint && this.free && contextOf(viewpoint, this.free, this.point, this.listed);
  }

  /** Puts everything back except the place that is looked at; what was before belongs to another map. */
  restore(snapshot: Snapshot): void {
    this.#past.forget();
    this.#put(snapshot);
  }

  #candidateAt(place: Coord | null): number {
    const places = this.candidates.map(({ coord }) => coord);
    return place ? nearest(places, place, this.reach) : -1;
  }

  get #contents(): Contents {
    return { background: this.background, layers: this.layers, markers: this.markers, features: this.features };
  }

  /** Puts what can be taken back again. */
  #change(contents: Contents, by: string | null = null): void {
    const before = this.#contents;
    if (isSame(contents, before)) return;
    this.#past.keep(by, { contents: before, viewpoint: null });
    this.#put(contents);
  }

  async #look(view: View, by: string): Promise<void> {
    const camera = await this.camera();
    const viewpoint = camera.where();
    await camera.show(view);
    // The map tells it a moment later, when it is drawn there; whoever reloads the page meanwhile is there already.
    this.viewpoint = camera.where();
    if (!isSamePlace(viewpoint, this.viewpoint)) this.#past.keep(by, { contents: this.#contents, viewpoint });
  }

  #put({ background, layers, markers, features }: Contents): void {
    this.background = background;
    this.layers = layers;
    this.markers = markers;
    this.features = features;
    const isGone = ({ table }: FeatureRef): boolean => !features.some(({ id }) => id === table);
    if (this.touched && isGone(this.touched)) this.touched = null;
    if (this.highlighted && isGone(this.highlighted)) this.highlighted = null;
    for (const id of this.states.keys()) if (!layers.some((layer) => layer.id === id)) this.report(id, null);
  }

  /** Whether only a preview has led to a place. */
  #isAway(place: Viewpoint): boolean {
    if (!this.#away) return false;
    const there = this.#away.there;
    return there === null || isSamePlace(place, there);
  }
}

function isSamePlace(a: Viewpoint, b: Viewpoint): boolean {
  return a.center[0] === b.center[0] && a.center[1] === b.center[1] && a.resolution === b.resolution;
}

function isSame(a: Contents, b: Contents): boolean {
  const hasSame = (part: "layers" | "markers" | "features") => a[part] === b[part] || a[part].length + b[part].length === 0;
  return a.background === b.background && hasSame("layers") && hasSame("markers") && hasSame("features");
}
