/** What is on the map, for those who show it: the actions change this model, and the drawing follows. */

import {
  ALL,
  contextOf,
  EMPTY,
  changed,
  isMark,
  MapState,
  moved,
  set,
  unmarked,
  type Background,
  type Camera,
  type Contents,
  type Coord,
  type Emphasis,
  type FeatureRef,
  type FeatureTable,
  type LayerEntry,
  type LayerState,
  type MapAction,
  type MapContext,
  type Marker,
  type Size,
  type View,
  type Viewpoint,
  type Where,
} from "@ask-sogis/map-actions";
import { nearest } from "./lifting";

/** An option of a choice, on the map. */
interface Candidate extends Where {
  choose(): void;
}

export interface Snapshot extends Contents {
  viewpoint: Viewpoint | null;
}

/** About the size of the number of an option. */
const REACH_PX = 14;

export class MapModel {
  #contents = $state.raw<Contents>({ ...EMPTY, background: "sw" });
  /** What the drawing shows: the contents, and on top of them what is only being looked at. */
  shown = $state.raw<Contents>(this.#contents);
  readonly background: Background = $derived(this.#contents.background);
  readonly layers: readonly LayerEntry[] = $derived(this.#contents.layers);
  readonly markers: readonly Marker[] = $derived(this.#contents.markers);
  readonly features: readonly FeatureTable[] = $derived(this.#contents.features);
  /** How many steps can be taken back. */
  undoable = $state(0);
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
  /** What stands out for a while. */
  readonly emphasis: Emphasis = $derived({ highlighted: this.highlighted, candidates: this.candidates, lifted: this.lifted });
  readonly #state: MapState;

  constructor(camera: () => Promise<Camera>) {
    this.#state = new MapState(this.#contents, camera, {
      changed: ({ contents, shown, undoable }) => {
        this.#contents = contents;
        this.shown = shown;
        this.undoable = undoable;
        this.#forgetGone();
      },
      moved: (viewpoint) => (this.viewpoint = viewpoint),
    });
  }

  /** Layers with a picture of their own; outlines that mark a thing belong to the thing. */
  get listed(): readonly LayerEntry[] {
    return this.layers.filter((layer) => !isMark(layer));
  }

  get marks(): number {
    return this.markers.length + this.features.length + (this.layers.length - this.listed.length);
  }

  /** The next layers are a batch: they go on top of all others, and keep their own order. `by` is who changes the map. */
  beginBatch(by: string): void {
    this.#state.beginBatch(by);
  }

  /** Throws `Refused`. */
  async apply(action: MapAction): Promise<void> {
    await this.#state.apply(action);
    if (action.type === "addLayer") this.report(action.payload.id, null);
    if (action.type === "showLegend") this.legend = action.payload;
    if (action.type === "clearMap" || (action.type === "removeMarker" && action.payload.id === ALL)) this.unmark();
  }

  /** Takes back the last steps, or as many as there are. Throws `Refused` when there is none. */
  undo(steps = 1): Promise<void> {
    return this.#state.undo(steps);
  }

  /** A click: on the number of an option it chooses that, elsewhere it marks the place. */
  press(point: Coord, touched: FeatureRef | null): void {
    if (!this.chooseAt(point)) this.mark(point, touched);
  }

  /** Whether there is the number of an option, which is chosen then. */
  chooseAt(point: Coord): boolean {
    const candidate = this.candidates[this.#candidateAt(point)];
    candidate?.choose();
    return candidate !== undefined;
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

  /** Shows what the actions would do, until that ends; `view` is looked at when their places are out of sight. */
  preview(actions: readonly MapAction[], view: View | null): Promise<void> {
    return this.#state.preview(actions, view);
  }

  /** Brings the view back too, unless the user has moved it since. */
  endPreview(): Promise<void> {
    return this.#state.endPreview();
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
    this.#state.settle();
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
    const layers = this.layers.map((layer) => (layer.id === id ? { ...layer, source: { ...layer.source } } : layer));
    this.#state.renew({ ...this.#contents, layers });
    this.report(id, null);
  }

  /** The map without what is only being looked at. */
  snapshot(): Snapshot {
    return { ...this.#contents, viewpoint: this.viewpoint && this.#state.homeOf(this.viewpoint) };
  }

  /** For who is asked something about it; null as long as it is not drawn. */
  get context(): MapContext | null {
    const { viewpoint } = this.snapshot();
    return viewpoint && this.free && contextOf(viewpoint, this.free, this.point, this.listed);
  }

  /** Puts everything back except the place that is looked at; what was before belongs to another map. */
  restore({ background, layers, markers, features }: Contents): void {
    this.#state.restore({ background, layers, markers, features });
  }

  #candidateAt(place: Coord | null): number {
    const places = this.candidates.map(({ coord }) => coord);
    return place ? nearest(places, place, this.reach) : -1;
  }

  #change(contents: Contents, by: string | null = null): void {
    this.#state.change(contents, by);
  }

  #forgetGone(): void {
    const isGone = ({ table }: FeatureRef): boolean => !this.features.some(({ id }) => id === table);
    if (this.touched && isGone(this.touched)) this.touched = null;
    if (this.highlighted && isGone(this.highlighted)) this.highlighted = null;
    for (const id of this.states.keys()) if (!this.layers.some((layer) => layer.id === id)) this.report(id, null);
  }
}
