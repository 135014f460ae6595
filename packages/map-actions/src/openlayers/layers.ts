/** The layers of the model as layers of OpenLayers. */

import ImageLayer from "ol/layer/Image.js";
import type Layer from "ol/layer/Layer.js";
import TileLayer from "ol/layer/Tile.js";
import VectorLayer from "ol/layer/Vector.js";
import { decode } from "ol/Image.js";
import type ImageTile from "ol/ImageTile.js";
import type Tile from "ol/Tile.js";
import type { Projection } from "ol/proj.js";
import ImageSource from "ol/source/Image.js";
import TileImage from "ol/source/TileImage.js";
import VectorSource from "ol/source/Vector.js";
import { createLoader } from "ol/source/wms.js";
import TileGrid from "ol/tilegrid/TileGrid.js";
import { Arrival, type Heard, type LayerState } from "../arrival.js";
import { isMark, type LayerEntry } from "../contents.js";
import { layerLook } from "../looks.js";
import type { Palette } from "../palette.js";
import { inTime, loadTile } from "./patience.js";
import { Retries } from "../retries.js";
import { tileUrl, type TileGridSpec } from "../tile-grids.js";
import { wmsParameters } from "../wms.js";
import type { Plane } from "./projection.js";
import { stylesOf } from "./styles.js";

/** How much smaller than they are tiles may be drawn. */
const MOST_COARSER = 8;
export const MARK_Z = 900;

/** How pictures are asked for that are looked at otherwise than on a screen. */
export interface Fineness {
  /** How many times finer tiles are taken. */
  sharper: number;
  /** Pictures may be read back; what comes without permission is not shown at all. */
  isReadable: boolean;
}

export function layerOf(
  entry: LayerEntry,
  plane: Plane,
  palette: Palette,
  tell: (state: LayerState) => void,
  fineness: Fineness | null,
): Layer {
  const source = entry.source;
  // Pictures come in LV95, whatever the map is in: that is what these services are sure to have.
  const projection = plane.lv95;
  const arrival = new Arrival(tell);
  if (source.type === "wms") {
    // No `crossOrigin` on a screen: nothing is read back from the picture, and not every service allows it.
    const { url } = source;
    const params = wmsParameters(source.parameters);
    const retries = new Retries();
    const pictures = new Pictures(arrival, retries);
    const loader = createLoader({ url, params, projection, ratio: 1, serverType: "qgis", load: pictures.load, ...readable(fineness) });
    return untilEnd(new ImageLayer({ source: new ImageSource({ projection, loader }) }), retries, pictures);
  }
  if (source.type === "wmts") {
    // From further out there would be no end of tiles.
    const maxResolution = source.tileGrid.resolutions[0]! * MOST_COARSER;
    return untilEnd(tileLayer(source, projection, arrival, fineness, { maxResolution }), null, { end: () => arrival.forget() });
  }
  const features = plane.featuresOf(source.data);
  const layer = new VectorLayer({ source: new VectorSource({ features }) });
  paintShapes(layer, isMark(entry), palette);
  return layer;
}

export function paintShapes(layer: VectorLayer, isMark: boolean, palette: Palette): void {
  layer.setStyle(stylesOf(layerLook(isMark, palette)));
}

/** Loads pictures, and tells how it went. */
class Pictures {
  #newest: HTMLImageElement | null = null;

  constructor(
    private readonly arrival: Arrival,
    private readonly retries: Retries,
  ) {}

  readonly load = async (image: HTMLImageElement, src: string): Promise<ImageBitmap | HTMLImageElement> => {
    // Only the newest is waited for.
    this.retries.forget();
    this.arrival.forget();
    this.arrival.asked(image);
    this.#newest = image;
    // A request that was ended in this frame is still on its way, and the same one would only wait along with it.
    await new Promise((resolve) => setTimeout(resolve));
    try {
      const picture = await inTime(image, decode(image, src));
      // One that was asked for before says nothing of the newest.
      if (this.#newest === image) {
        this.#newest = null;
        this.arrival.came(image);
        this.retries.came();
      }
      return picture;
    } catch {
      this.arrival.failed(image);
      // OpenLayers would call it an error of the page. Until there is an answer, the picture before stays where it is.
      return new Promise((resolve) => {
        if (this.#newest === image) this.retries.missed(() => resolve(this.load(image, src)));
      });
    }
  };

  /** What is still on its way would keep others waiting. */
  end(): void {
    this.arrival.forget();
    const newest = this.#newest;
    this.#newest = null;
    if (newest) newest.src = "";
  }
}

interface Tiles {
  /** A template with `{TileMatrix}`, `{TileRow}` and `{TileCol}`. */
  url: string;
  tileGrid: TileGridSpec;
}

function readable(fineness: Fineness | null): { crossOrigin?: "anonymous" } {
  return fineness?.isReadable ? { crossOrigin: "anonymous" } : {};
}

/** Takes tiles of a finer level than a screen needs. */
class FineGrid extends TileGrid {
  constructor(
    options: ConstructorParameters<typeof TileGrid>[0],
    private readonly sharper: number,
  ) {
    super(options);
  }

  override getZForResolution(resolution: number, direction?: Parameters<TileGrid["getZForResolution"]>[1]): number {
    return super.getZForResolution(resolution / this.sharper, direction);
  }
}

export function tileLayer(
  { url, tileGrid: grid }: Tiles,
  projection: Projection,
  heard: Heard,
  fineness: Fineness | null,
  options = {},
): TileLayer {
  const shape = {
    origin: [...grid.origin],
    resolutions: [...grid.resolutions],
    tileSize: grid.tileSize,
    ...(grid.extent ? { extent: [...grid.extent] } : {}),
  };
  const tileGrid = fineness ? new FineGrid(shape, fineness.sharper) : new TileGrid(shape);
  const source = new TileImage({
    projection,
    tileGrid,
    transition: fineness ? 0 : 150,
    ...readable(fineness),
    tileLoadFunction: (tile, src) => loadTile(tile as ImageTile, src),
    tileUrlFunction: ([z, column, row]) => tileUrl(url, grid.matrixIds[z!]!, column!, row!),
  });
  const retries = new Retries();
  /** That tiles are still missing is no news; some services have none outside of their area. */
  const missing = new WeakSet<Tile>();
  source.on("tileloadstart", ({ tile }) => {
    if (!missing.has(tile)) heard.asked(tile);
  });
  source.on("tileloadend", ({ tile }) => {
    heard.came(tile);
    retries.came();
    // Where the map is in another projection, what was made of it before is made anew.
    if (missing.delete(tile)) source.changed();
  });
  source.on("tileloaderror", ({ tile }) => {
    if (!missing.has(tile)) heard.failed(tile);
    missing.add(tile);
    retries.missed(() => tile.load());
  });
  return untilEnd(new TileLayer({ ...options, source }), retries);
}

/**
 * Ends a layer that is off the map. Not `dispose`: a timer of OpenLayers may still ask the renderer for tiles, which a
 * layer without a source has none of, and a disposed one cannot answer.
 */
export function end(layer: Layer): void {
  layer.setSource(null);
}

/** A layer that has ended hears and asks nothing any more. */
function untilEnd<L extends Layer>(layer: L, retries: Retries | null, more: { end(): void } | null = null): L {
  const source = layer.getSource();
  layer.once("change:source", () => {
    source?.dispose();
    retries?.end();
    more?.end();
  });
  return layer;
}
