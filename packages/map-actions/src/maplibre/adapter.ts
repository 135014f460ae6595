/** Map actions on a map of MapLibre. */

import type { GeoJSONSource, Map as MapLibre, MapMouseEvent } from "maplibre-gl";
import type { Background, MapAction } from "../actions.js";
import { CALM, type Emphasis, type Listener, type MapAdapter } from "../adapter.js";
import type { LayerState } from "../arrival.js";
import type { Reason } from "../checks.js";
import { EMPTY, type Contents } from "../contents.js";
import type { Coord } from "../geometry.js";
import { LIGHT, type Palette } from "../palette.js";
import { Backgrounds, type BackgroundLayers } from "./backgrounds.js";
import { MapLibreCamera, placeOf } from "./camera.js";
import { Loading } from "./loading.js";
import { pictureRatio, piecesOf, PREFIX, type Piece } from "./pieces.js";

interface Options {
  /** The style layers of the map that are its backgrounds, by their ids: one or several of them at a time are visible. */
  backgrounds?: BackgroundLayers;
  palette?: Palette;
}

export class MapLibreMap implements MapAdapter {
  readonly camera: MapLibreCamera;
  /** That of the style; "none" where the map has none yet. */
  readonly background: Background;
  readonly #backgrounds: Backgrounds;
  readonly #loading: Loading;
  readonly #drawn = new Map<string, Piece>();
  readonly #listeners = new Set<Partial<Listener>>();
  #palette: Palette;
  #contents: Contents;
  #emphasis = CALM;
  #isAtWork = false;
  #isTidying = false;

  /** The style of the map may still be on its way. */
  constructor(
    readonly map: MapLibre,
    { backgrounds = {}, palette = LIGHT }: Options = {},
  ) {
    this.camera = new MapLibreCamera(map);
    this.#palette = palette;
    this.#loading = new Loading(map);
    this.#backgrounds = new Backgrounds(map, backgrounds);
    this.background = this.#hasStyle ? this.#backgrounds.read() : "none";
    this.#contents = { ...EMPTY, background: this.background };
    this.#begin();
  }

  refusal(action: MapAction): Reason | null {
    if (action.type === "setBackground") return this.#backgrounds.has(action.payload.background) ? null : "no_background";
    // Its tiles are in LV95, in which there is no map of MapLibre.
    return action.type === "addLayer" && action.payload.source.type === "wmts" ? "not_drawable" : null;
  }

  show(contents: Contents): void {
    this.#begin();
    const before = this.#contents;
    this.#contents = contents;
    if (!this.#hasStyle) return;
    if (contents.background !== before.background) this.#lay();
    this.#draw();
  }

  emphasise(emphasis: Emphasis): void {
    this.#begin();
    this.#emphasis = emphasis;
    if (this.#hasStyle) this.#draw();
  }

  listen(listener: Partial<Listener>): () => void {
    this.#listeners.add(listener);
    const at = ({ lngLat: { lng, lat } }: MapMouseEvent): Coord => placeOf([lng, lat]);
    const moved = (): void => {
      if (this.map.getContainer().clientWidth > 0) listener.moved?.(this.camera.where(), this.camera.free());
    };
    const clicked = (event: MapMouseEvent): void => listener.clicked?.(at(event));
    const pointed = (event: MapMouseEvent): void => {
      const isDragging = event.originalEvent.buttons !== 0;
      if (!isDragging) listener.pointed?.(at(event));
    };
    const left = (): void => listener.pointed?.(null);
    const viewport = this.map.getCanvasContainer();
    this.map.on("moveend", moved);
    this.map.on("click", clicked);
    this.map.on("mousemove", pointed);
    viewport.addEventListener("pointerleave", left);
    moved();
    return () => {
      this.#listeners.delete(listener);
      this.map.off("moveend", moved);
      this.map.off("click", clicked);
      this.map.off("mousemove", pointed);
      viewport.removeEventListener("pointerleave", left);
    };
  }

  /** In other colours. */
  paint(palette: Palette): void {
    this.#palette = palette;
    if (this.#hasStyle) this.#draw();
  }

  end(): void {
    if (!this.#isAtWork) return;
    this.show({ ...EMPTY, background: this.background });
    this.emphasise(CALM);
    this.map.off("idle", this.#tidy);
    this.#tidy();
    this.map.off("style.load", this.#renew);
    this.#loading.end();
    this.#isAtWork = false;
  }

  #begin(): void {
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    this.map.on("style.load", this.#renew);
    this.#loading.begin();
  }

  /** Without one nothing can be drawn; the map tells when there is another. */
  get #hasStyle(): boolean {
    try {
      if (!this.map.style) return false;
      this.map.listImages();
      return true;
    } catch {
      return false;
    }
  }

  readonly #renew = (): void => {
    this.#backgrounds.read();
    if (this.#contents.background !== this.background) this.#lay();
    this.#clear();
    this.#draw();
  };

  #lay(): void {
    const { background } = this.#contents;
    if (background === this.background) this.#backgrounds.restore();
    else this.#backgrounds.lay(background);
  }

  #draw(): void {
    const pieces = piecesOf(this.#contents, this.#emphasis, this.#palette);
    const wanted = new Set(pieces.map(({ id }) => id));
    for (const id of this.#drawn.keys()) if (!wanted.has(id)) this.#drop(id);
    for (const piece of pieces) this.#put(piece);
    this.#sort(pieces.flatMap(({ layers }) => layers.map(({ id }) => id)));
    this.#tidyAtRest();
  }

  #put(piece: Piece): void {
    const { map } = this;
    for (const [name, picture] of piece.pictures) {
      if (!map.hasImage(name)) map.addImage(name, picture(), { pixelRatio: pictureRatio() });
    }
    const before = this.#drawn.get(piece.id);
    if (before && !isSame(before.of, piece.of)) {
      const source = piece.source();
      const drawn = map.getSource<GeoJSONSource>(piece.id);
      if (source.type === "geojson" && drawn?.type === "geojson") drawn.setData(source.data);
      else this.#drop(piece.id);
    }
    if (!map.getSource(piece.id)) {
      if (piece.tilesOf !== undefined) this.#loading.follow(piece.id, this.#tellOf(piece.tilesOf));
      map.addSource(piece.id, piece.source());
    }
    this.#drawn.set(piece.id, piece);
    for (const layer of piece.layers) {
      if (!map.getLayer(layer.id)) map.addLayer(layer);
      for (const [name, value] of Object.entries(layer.layout ?? {}))
        map.setLayoutProperty(layer.id, name as "visibility", value as "visible");
      for (const [name, value] of Object.entries(layer.paint ?? {}))
        map.setPaintProperty(layer.id, name as "fill-opacity", value as number);
    }
  }

  #tellOf(layer: string): (state: LayerState) => void {
    return (state) => {
      for (const listener of this.#listeners) listener.loading?.(layer, state);
    };
  }

  /** The lowest first. What is of the map itself lies below. */
  #sort(wanted: readonly string[]): void {
    const ours = new Set(wanted);
    const order = this.map.getLayersOrder().filter((id) => ours.has(id));
    if (isSame(order, wanted)) return;
    for (const id of wanted) this.map.moveLayer(id);
  }

  #clear(): void {
    for (const id of [...this.#drawn.keys()]) this.#drop(id);
  }

  #drop(id: string): void {
    for (const layer of this.#drawn.get(id)!.layers) if (this.map.getLayer(layer.id)) this.map.removeLayer(layer.id);
    this.#loading.forget(id);
    if (this.map.getSource(id)) this.map.removeSource(id);
    this.#drawn.delete(id);
  }

  /** Tiles that are still being made may ask for pictures of what is gone. */
  #tidyAtRest(): void {
    if (this.#isTidying || this.#spare().length === 0) return;
    this.#isTidying = true;
    this.map.once("idle", this.#tidy);
  }

  readonly #tidy = (): void => {
    this.#isTidying = false;
    for (const name of this.#spare()) this.map.removeImage(name);
  };

  /** The pictures that nothing needs any more. */
  #spare(): readonly string[] {
    const needed = new Set([...this.#drawn.values()].flatMap(({ pictures }) => [...pictures.keys()]));
    return this.#hasStyle ? this.map.listImages().filter((name) => name.startsWith(PREFIX) && !needed.has(name)) : [];
  }
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, n) => each === other[n]);
}
