/** Draws the model with OpenLayers. This module and what it imports is loaded after the chat is on the screen. */

import Feature from "ol/Feature";
import Point from "ol/geom/Point";
import OlMap from "ol/Map";
import View from "ol/View";
import ScaleLine from "ol/control/ScaleLine";
import type VectorLayer from "ol/layer/Vector";
import "ol/ol.css";
import { defaults as interactions } from "ol/interaction/defaults";
import {
  CANTON_GRID,
  middleOf,
  SWITZERLAND,
  type Background,
  type Contents,
  type Coord,
  type Emphasis,
  type FeatureRef,
  type LayerState,
  type Palette,
  type Size,
  type Viewpoint,
} from "@ask-sogis/map-actions";
import { featureLayer, lv95, OpenLayersMap, pointStyles, replace, type Fineness, type OlCamera } from "@ask-sogis/map-actions/openlayers";
import { Backdrop, type Seen } from "./backdrop";
import type { MapConfig } from "./config";
import { drawGrid } from "./grid";
import { paintPlaces, placesLayer } from "./places";
import { loadRegion, paintRegion, REGION_Z, REGION_Z_OF_NAMES, regionLayer } from "./region";
import { Touch } from "./touch";

/** Room at the edges that other things lie over, in pixels: top, right, bottom, left. */
export type Padding = readonly [number, number, number, number];

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
  /** None of what is not to be touched. */
  readonly touch: Touch | null;
  /** For tools that draw on it. */
  readonly map: OlMap;
  readonly #view: View;
  /** What the actions have put there. */
  readonly #actions: OpenLayersMap;
  readonly #places: VectorLayer;
  readonly #region = regionLayer();
  readonly #point = featureLayer(1100);
  readonly #backdrop: Backdrop;
  #background: Background | null = null;
  #marked: Coord | null = null;

  constructor(
    readonly target: HTMLElement,
    readonly config: MapConfig,
    private palette: Palette,
    private readonly listener: Listener,
    viewpoint: Viewpoint | null,
    private padding: Padding,
    still: Still | null = null,
  ) {
    const projection = lv95();
    this.#view = new View({
      projection,
      // The levels of the tiles, at which maps are sharpest; in between is possible.
      resolutions: CANTON_GRID.resolutions.filter((resolution) => resolution <= COARSEST_M),
      extent: [...SWITZERLAND],
      constrainOnlyCenter: true,
      enableRotation: false,
      center: [...middleOf(config.extent)],
      resolution: 50,
      padding: [...padding],
    });
    this.#places = placesLayer(config.places, palette);
    this.#places.on("prerender", (event) => drawGrid(event, this.palette, this.padding));
    this.map = new OlMap({
      target,
      view: this.#view,
      layers: [this.#region, this.#places, this.#point],
      controls: still ? [] : [new ScaleLine({ minWidth: 72 })],
      ...(still && { pixelRatio: still.pixelRatio }),
      maxTilesLoading: TILES_AT_A_TIME,
      interactions: still ? [] : interactions({ altShiftDragRotate: false, pinchRotate: false, zoomDuration: 200 }),
    });
    this.#actions = new OpenLayersMap(this.map, { palette, fineness: still });
    const tell = (seen: Seen): void => {
      this.#places.setVisible(seen.isBlank);
      this.#region.setZIndex(seen.isBlank ? REGION_Z_OF_NAMES : REGION_Z);
      listener.backgroundSeen(seen);
    };
    this.#backdrop = new Backdrop(this.map, projection, tell, still);
    paintRegion(this.#region, palette);
    if (config.outline) void loadRegion(this.#region, config.outline).then((names) => listener.regionSeen(names));
    if (viewpoint) this.camera.jump(viewpoint);
    else this.camera.fit(config.extent, false);
    this.#actions.listen({ moved: (where, free) => listener.moved(where, free), loading: (id, state) => listener.loading(id, state) });
    this.touch = still ? null : new Touch(this.map, target, this.#actions.shapes, listener);
  }

  get camera(): OlCamera {
    return this.#actions.camera;
  }

  pad(padding: Padding): void {
    this.padding = padding;
    this.#view.padding = [...padding];
    this.listener.moved(this.camera.where(), this.camera.free());
  }

  show(contents: Contents): void {
    this.#actions.show(contents);
    if (contents.background === this.#background) return;
    this.#background = contents.background;
    this.#backdrop.show(this.#background === "none" ? null : this.config.backgrounds[this.#background]);
  }

  emphasise(emphasis: Emphasis): void {
    this.#actions.emphasise(emphasis);
  }

  /** The place where the user has clicked. */
  showPoint(point: Coord | null): void {
    this.#marked = point;
    const feature = new Feature(new Point([...(point ?? [0, 0])]));
    feature.setStyle(pointStyles(this.palette));
    replace(this.#point, point ? [feature] : []);
  }

  /** Tells where on the map's element a place is, whenever that changes. Returns how to end it. */
  follow([east, north]: Coord, tell: (pixel: readonly [number, number]) => void): () => void {
    const look = (): void => {
      const [x, y] = this.map.getPixelFromCoordinate([east, north]) ?? [];
      if (x !== undefined && y !== undefined) tell([x, y]);
    };
    this.map.on("postrender", look);
    look();
    return () => this.map.un("postrender", look);
  }

  paint(palette: Palette): void {
    this.palette = palette;
    this.#actions.paint(palette);
    this.showPoint(this.#marked);
    paintRegion(this.#region, palette);
    paintPlaces(this.#places, palette);
  }

  end(): void {
    this.#backdrop.end();
    this.map.setTarget(undefined);
  }
}
