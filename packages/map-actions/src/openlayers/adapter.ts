/** Map actions on a map of OpenLayers, in any projection that OpenLayers knows. */

import type { EventsKey } from "ol/events.js";
import type BaseLayer from "ol/layer/Base.js";
import type Layer from "ol/layer/Layer.js";
import VectorLayer from "ol/layer/Vector.js";
import type OlMap from "ol/Map.js";
import type MapBrowserEvent from "ol/MapBrowserEvent.js";
import { unByKey } from "ol/Observable.js";
import type { Projection } from "ol/proj.js";
import { BACKGROUNDS, type Background, type MapAction } from "../actions.js";
import { CALM, type Emphasis, type Listener, type MapAdapter } from "../adapter.js";
import type { Reason } from "../checks.js";
import { EMPTY, isMark, type Contents, type LayerEntry } from "../contents.js";
import { toDecimetre, type Coord } from "../geometry.js";
import { asMarkup } from "../labels.js";
import { LIGHT, type Palette } from "../palette.js";
import { OlCamera } from "./camera.js";
import { end, layerOf, MARK_Z, paintShapes, type Fineness } from "./layers.js";
import { featureLayer, LABELS, Lift, showCandidates, showMarkers } from "./markers.js";
import { Plane } from "./projection.js";
import { Shapes } from "./shapes.js";

/** Ours lie between the layers of the map, which have no place of their own or one below, and what marks things. */
const LAYERS_Z = 100;

/** All that is needed of one: pages may have a store of their own that knows what is visible. */
type BackgroundLayer = Pick<BaseLayer, "getVisible" | "setVisible">;

interface Options {
  /** The layers of the map that are its backgrounds: one or several of them at a time are visible. */
  backgrounds?: Partial<Record<Background, BackgroundLayer | readonly BackgroundLayer[]>>;
  palette?: Palette;
  /** How pictures are asked for that are looked at otherwise than on a screen. */
  fineness?: Fineness | null;
}

export class OpenLayersMap implements MapAdapter {
  readonly plane: Plane;
  readonly camera: OlCamera;
  readonly shapes: Shapes;
  readonly background: Background;
  readonly #backgrounds: ReadonlyMap<Background, readonly BackgroundLayer[]>;
  readonly #visibleAtFirst: ReadonlyMap<BackgroundLayer, boolean>;
  readonly #fineness: Fineness | null;
  readonly #markers = featureLayer(1000, LABELS);
  readonly #candidates = featureLayer(1050);
  readonly #lift: Lift;
  readonly #drawn = new Map<string, { entry: LayerEntry; layer: Layer }>();
  readonly #listeners = new Set<Partial<Listener>>();
  #palette: Palette;
  #contents: Contents = EMPTY;
  #emphasis = CALM;
  /** Null as long as nothing of ours is on the map. */
  #views: EventsKey | null = null;
  /** That the shapes are drawn in. */
  #projection: Projection | null = null;

  constructor(
    readonly map: OlMap,
    { backgrounds = {}, palette = LIGHT, fineness = null }: Options = {},
  ) {
    this.plane = new Plane(() => map.getView());
    this.camera = new OlCamera(map, this.plane);
    this.#palette = palette;
    this.#fineness = fineness;
    this.#lift = new Lift(this.plane);
    this.shapes = new Shapes(this.plane, palette);
    const layersOf = (name: Background): readonly BackgroundLayer[] => [backgrounds[name] ?? []].flat();
    this.#backgrounds = new Map(BACKGROUNDS.map((name) => [name, layersOf(name)]));
    this.background = BACKGROUNDS.find((name) => layersOf(name).some((layer) => layer.getVisible())) ?? "none";
    this.#visibleAtFirst = new Map([...this.#backgrounds.values()].flat().map((layer) => [layer, layer.getVisible()]));
    this.#contents = { ...EMPTY, background: this.background };
    this.#begin();
  }

  refusal(action: MapAction): Reason | null {
    if (action.type !== "setBackground") return null;
    const { background } = action.payload;
    // "None" is one only where there are others.
    const wanted = background === "none" ? [...this.#visibleAtFirst.keys()] : this.#backgrounds.get(background)!;
    return wanted.length > 0 ? null : "no_background";
  }

  show(contents: Contents): void {
    this.#begin();
    const before = this.#contents;
    this.#contents = contents;
    if (contents.background !== before.background) this.#lay(contents.background);
    if (contents.layers !== before.layers) this.#showLayers(contents.layers);
    if (contents.markers !== before.markers) showMarkers(this.#markers, contents.markers, this.#palette, this.plane);
    if (contents.features !== before.features) this.shapes.show(contents.features);
  }

  emphasise(emphasis: Emphasis): void {
    this.#begin();
    const before = this.#emphasis;
    this.#emphasis = emphasis;
    if (emphasis.highlighted !== before.highlighted) this.shapes.highlight(emphasis.highlighted);
    if (emphasis.candidates !== before.candidates) showCandidates(this.#candidates, emphasis.candidates, this.#palette, this.plane);
    if (emphasis.lifted !== before.lifted) this.#lift.show(emphasis.lifted, this.#palette);
  }

  listen(listener: Partial<Listener>): () => void {
    this.#listeners.add(listener);
    const at = ({ coordinate }: MapBrowserEvent): Coord => {
      const [east, north] = this.plane.toLv95(coordinate);
      return [toDecimetre(east), toDecimetre(north)];
    };
    let isTold = false;
    const moved = (): void => {
      if (!this.map.getSize() || !this.map.getView().isDef()) return;
      isTold = true;
      listener.moved?.(this.camera.where(), this.camera.free());
    };
    // A view may get its place later, and that is no move.
    const drawn = (): void => void (isTold || moved());
    const left = (): void => listener.pointed?.(null);
    const keys: EventsKey[] = [this.map.on("moveend", moved), this.map.on("postrender", drawn)];
    if (listener.clicked) keys.push(this.map.on("click", (event) => listener.clicked!(at(event))));
    if (listener.pointed) keys.push(this.map.on("pointermove", (event) => !event.dragging && listener.pointed!(at(event))));
    const viewport = this.map.getViewport()!;
    viewport.addEventListener("pointerleave", left);
    moved();
    return () => {
      this.#listeners.delete(listener);
      unByKey(keys);
      viewport.removeEventListener("pointerleave", left);
    };
  }

  /** In other colours. */
  paint(palette: Palette): void {
    this.#palette = palette;
    this.shapes.paint(palette);
    this.#mark();
    for (const { entry, layer } of this.#drawn.values()) {
      if (layer instanceof VectorLayer) paintShapes(layer, isMark(entry), palette);
    }
  }

  end(): void {
    if (!this.#views) return;
    this.show({ ...EMPTY, background: this.background });
    this.emphasise(CALM);
    unByKey(this.#views);
    this.#views = null;
    for (const layer of this.#ours) this.map.removeLayer(layer);
  }

  get #ours(): readonly Layer[] {
    return [this.shapes.layer, this.#lift.layer, this.#markers, this.#candidates];
  }

  #begin(): void {
    if (this.#views) return;
    for (const layer of this.#ours) this.map.addLayer(layer);
    this.#projection = this.plane.projection;
    this.#views = this.map.on("change:view", () => this.#reproject());
  }

  /** Another view may be in another projection: shapes are drawn anew then. Pictures are turned into whatever the view is in. */
  #reproject(): void {
    if (this.plane.projection === this.#projection) return;
    this.#projection = this.plane.projection;
    for (const [id, { layer }] of this.#drawn) if (layer instanceof VectorLayer) this.#drop(id);
    this.#showLayers(this.#contents.layers);
    this.shapes.show(this.#contents.features);
    this.#mark();
    this.#lift.show(this.#emphasis.lifted, this.#palette);
  }

  #mark(): void {
    showMarkers(this.#markers, this.#contents.markers, this.#palette, this.plane);
    showCandidates(this.#candidates, this.#emphasis.candidates, this.#palette, this.plane);
  }

  #lay(background: Background): void {
    const wanted = this.#backgrounds.get(background)!;
    for (const [layer, wasVisible] of this.#visibleAtFirst) {
      layer.setVisible(background === this.background ? wasVisible : wanted.includes(layer));
    }
  }

  /** The topmost first. */
  #showLayers(entries: readonly LayerEntry[]): void {
    const wanted = new Set(entries.map((entry) => entry.id));
    for (const id of this.#drawn.keys()) if (!wanted.has(id)) this.#drop(id);
    entries.forEach((entry, n) => {
      const layer = this.#layerFor(entry);
      layer.setVisible(entry.visible);
      layer.setOpacity(entry.opacity);
      const place = entries.length - n;
      layer.setZIndex(isMark(entry) ? MARK_Z + place / (entries.length + 1) : LAYERS_Z + place);
    });
  }

  #layerFor(entry: LayerEntry): Layer {
    const before = this.#drawn.get(entry.id);
    if (before && before.entry.source === entry.source) {
      before.entry = entry;
      return before.layer;
    }
    this.#drop(entry.id);
    const tell = (state: Parameters<Listener["loading"]>[1]): void => {
      for (const listener of this.#listeners) listener.loading?.(entry.id, state);
    };
    const layer = layerOf(entry, this.plane, this.#palette, tell, this.#fineness);
    if (entry.attribution) layer.getSource()?.setAttributions(asMarkup(entry.attribution));
    layer.set("id", entry.id);
    this.#drawn.set(entry.id, { entry, layer });
    this.map.addLayer(layer);
    return layer;
  }

  #drop(id: string): void {
    const layer = this.#drawn.get(id)?.layer;
    if (!layer) return;
    this.map.removeLayer(layer);
    end(layer);
    this.#drawn.delete(id);
  }
}
