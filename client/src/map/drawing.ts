/** Draws the model with OpenLayers. This module and what it imports is loaded after the chat is on the screen. */

import OlMap from "ol/Map";
import View from "ol/View";
import ScaleLine from "ol/control/ScaleLine";
import type Layer from "ol/layer/Layer";
import VectorLayer from "ol/layer/Vector";
import "ol/ol.css";
import { defaults as interactions } from "ol/interaction/defaults";
import type { Background, Marker } from "./actions";
import type { LayerState } from "./arrival";
import { Backdrop, type Seen } from "./backdrop";
import { OlCamera, type Padding } from "./camera";
import type { MapConfig } from "./config";
import { isMark, type LayerEntry } from "./contents";
import type { FeatureRef, FeatureTable } from "./features";
import { middleOf, SWITZERLAND, type Coord } from "./geometry";
import { drawGrid } from "./grid";
import { featureLayer, LABELS, Lift, showCandidates, showMarkers, showPoint } from "./marker-layer";
import type { Where } from "../chat/results";
import type { Size, Viewpoint } from "./model.svelte";
import { end, layerOf, MARK_Z, paintShapes, type Fineness } from "./ol-layers";
import type { Palette } from "./palette";
import { paintPlaces, placesLayer } from "./places";
import { lv95 } from "./projection";
import { loadRegion, paintRegion, REGION_Z, REGION_Z_OF_NAMES, regionLayer } from "./region";
import { Shapes } from "./shapes";
import { CANTON_GRID } from "./tile-grids";
import { Touch } from "./touch";

export interface Listener {
  /** `free` is how much of the map nothing lies over, in pixels. */
  moved(viewpoint: Viewpoint, free: Size): void;
  pointed(coord: Coord | null): void;
  /** Clicked, tapped or pressed for long; `feature` is what is drawn there. */
  clicked(coord: Coord, feature: FeatureRef | null): void;
  /** What was clicked was the begin of something else. */
  unclicked(): void;
  /** The pointer is on a feature, or on none any more. */
  hovered(feature: FeatureRef | null): void;
  loading(layer: string, state: LayerState): void;
  backgroundSeen(seen: Seen): void;
  /** Whose the outline of the region is. */
  regionSeen(attributions: readonly string[]): void;
}

/** Drawn to be printed or saved: nobody moves it. */
interface Still extends Fineness {
  /** Pixels of the picture in one of the page. */
  pixelRatio: number;
}

const COARSEST_M = 500;
/** About two screens of them, so that a service that keeps us waiting leaves room for another one. */
const TILES_AT_A_TIME = 64;

export class Drawing {
  readonly camera: OlCamera;
  /** None of what is not to be touched. */
  readonly touch: Touch | null;
  /** What there is to draw without any service. */
  readonly #map: OlMap;
  readonly #view: View;
  readonly #projection = lv95();
  readonly #places: VectorLayer;
  readonly #region = regionLayer();
  readonly #markers = featureLayer(1000, LABELS);
  readonly #candidates = featureLayer(1050);
  readonly #point = featureLayer(1100);
  readonly #lift = new Lift();
  readonly #shapes: Shapes;
  readonly #drawn = new Map<string, { entry: LayerEntry; layer: Layer }>();
  readonly #backdrop: Backdrop;
  #shown: { markers: readonly Marker[]; candidates: readonly Where[]; point: Coord | null } = { markers: [], candidates: [], point: null };

  constructor(
    readonly target: HTMLElement,
    readonly config: MapConfig,
    private palette: Palette,
    private readonly listener: Listener,
    viewpoint: Viewpoint | null,
    private padding: Padding,
    private readonly still: Still | null = null,
  ) {
    this.#view = new View({
      projection: this.#projection,
      // The levels of the tiles, at which maps are sharpest; in between is possible.
      resolutions: CANTON_GRID.resolutions.filter((resolution) => resolution <= COARSEST_M),
      extent: [...SWITZERLAND],
      constrainOnlyCenter: true,
      enableRotation: false,
      center: [...middleOf(config.extent)],
      resolution: 50,
      padding: [...padding],
    });
    this.camera = new OlCamera(this.#view, config.extent, (coord) => this.#pixelOf(coord));
    this.#places = placesLayer(config.places, palette);
    this.#places.on("prerender", (event) => drawGrid(event, this.palette, this.padding));
    this.#shapes = new Shapes(this.#projection, palette);
    this.#map = new OlMap({
      target,
      view: this.#view,
      layers: [this.#region, this.#places, this.#shapes.layer, this.#lift.layer, this.#markers, this.#candidates, this.#point],
      controls: still ? [] : [new ScaleLine({ minWidth: 72 })],
      ...(still && { pixelRatio: still.pixelRatio }),
      maxTilesLoading: TILES_AT_A_TIME,
      interactions: still ? [] : interactions({ altShiftDragRotate: false, pinchRotate: false, zoomDuration: 200 }),
    });
    const tell = (seen: Seen): void => {
      this.#places.setVisible(seen.isBlank);
      this.#region.setZIndex(seen.isBlank ? REGION_Z_OF_NAMES : REGION_Z);
      listener.backgroundSeen(seen);
    };
    this.#backdrop = new Backdrop(this.#map, this.#projection, tell, still);
    paintRegion(this.#region, palette);
    if (config.outline) void loadRegion(this.#region, config.outline).then((names) => listener.regionSeen(names));
    if (viewpoint) this.camera.jump(viewpoint);
    else this.camera.wholeCanton(false);
    this.#map.on("moveend", () => this.#tellWhere());
    this.touch = still ? null : new Touch(this.#map, target, this.#shapes, listener);
  }

  /** For tools that draw on it. */
  get map(): OlMap {
    return this.#map;
  }

  pad(padding: Padding): void {
    this.padding = padding;
    this.#view.padding = [...padding];
    this.#tellWhere();
  }

  showBackground(name: Background): void {
    this.#backdrop.show(name === "none" ? null : this.config.backgrounds[name]);
  }

  /** The topmost first. */
  showLayers(entries: readonly LayerEntry[]): void {
    const wanted = new Set(entries.map((entry) => entry.id));
    for (const id of this.#drawn.keys()) if (!wanted.has(id)) this.#drop(id);
    entries.forEach((entry, n) => {
      const layer = this.#layerFor(entry);
      layer.setVisible(entry.visible);
      layer.setOpacity(entry.opacity);
      layer.setZIndex(isMark(entry) ? MARK_Z : 100 + entries.length - n);
    });
  }

  showMarkers(markers: readonly Marker[]): void {
    this.#shown.markers = markers;
    showMarkers(this.#markers, markers, this.palette);
  }

  showCandidates(candidates: readonly Where[]): void {
    this.#shown.candidates = candidates;
    showCandidates(this.#candidates, candidates, this.palette);
  }

  showFeatures(tables: readonly FeatureTable[]): void {
    this.#shapes.show(tables);
  }

  /** Makes one of the features stand out. */
  highlight(feature: FeatureRef | null): void {
    this.#shapes.highlight(feature);
  }

  /** Makes stand out what a card is about. */
  lift(where: Where | null): void {
    this.#lift.show(where, this.palette);
  }

  /** The place where the user has clicked. */
  showPoint(point: Coord | null): void {
    this.#shown.point = point;
    showPoint(this.#point, point, this.palette);
  }

  /** Tells where on the map's element a place is, whenever that changes. Returns how to end it. */
  follow([east, north]: Coord, tell: (pixel: readonly [number, number]) => void): () => void {
    const look = (): void => {
      const [x, y] = this.#map.getPixelFromCoordinate([east, north]) ?? [];
      if (x !== undefined && y !== undefined) tell([x, y]);
    };
    this.#map.on("postrender", look);
    look();
    return () => this.#map.un("postrender", look);
  }

  paint(palette: Palette): void {
    this.palette = palette;
    this.#shapes.paint(palette);
    showPoint(this.#point, this.#shown.point, palette);
    paintRegion(this.#region, palette);
    paintPlaces(this.#places, palette);
    showMarkers(this.#markers, this.#shown.markers, palette);
    showCandidates(this.#candidates, this.#shown.candidates, palette);
    for (const { entry, layer } of this.#drawn.values()) {
      if (layer instanceof VectorLayer) paintShapes(layer, isMark(entry), palette);
    }
  }

  end(): void {
    this.#backdrop.end();
    this.#map.setTarget(undefined);
  }

  #layerFor(entry: LayerEntry): Layer {
    const before = this.#drawn.get(entry.id);
    if (before && before.entry.source === entry.source) {
      before.entry = entry;
      return before.layer;
    }
    this.#drop(entry.id);
    const layer = layerOf(entry, this.#projection, this.palette, (state) => this.listener.loading(entry.id, state), this.still);
    this.#drawn.set(entry.id, { entry, layer });
    this.#map.addLayer(layer);
    return layer;
  }

  #drop(id: string): void {
    const layer = this.#drawn.get(id)?.layer;
    if (!layer) return;
    this.#map.removeLayer(layer);
    end(layer);
    this.#drawn.delete(id);
  }

  #tellWhere(): void {
    this.listener.moved(this.camera.where(), this.camera.free());
  }

  #pixelOf(coord: Coord): Coord | null {
    const { left, top } = this.target.getBoundingClientRect();
    // It is of what is drawn, which may lag behind.
    this.#map.renderSync();
    const [x, y] = this.#map.getPixelFromCoordinate([...coord]) ?? [];
    return x === undefined || y === undefined ? null : [left + x, top + y];
  }
}
