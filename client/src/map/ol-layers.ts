/** The layers of the model as layers of OpenLayers. */

import GeoJSON from "ol/format/GeoJSON";
import type BaseLayer from "ol/layer/Base";
import ImageLayer from "ol/layer/Image";
import TileLayer from "ol/layer/Tile";
import VectorLayer from "ol/layer/Vector";
import type { Projection } from "ol/proj";
import ImageWMS from "ol/source/ImageWMS";
import TileImage from "ol/source/TileImage";
import VectorSource from "ol/source/Vector";
import { Circle, Fill, Stroke, Style } from "ol/style";
import TileGrid from "ol/tilegrid/TileGrid";
import type { BackgroundSource } from "./config";
import { isMark, type LayerEntry } from "./model.svelte";
import type { Palette } from "./palette";
import { tileUrl, type TileGridSpec } from "./tile-grids";

export type Trouble = (troubled: boolean) => void;

export const MARK_Z = 900;

export function backgroundLayer(source: BackgroundSource, projection: Projection, trouble: Trouble): TileLayer {
  const tiles = tileSource(source.url, source.tileGrid, projection, trouble);
  return new TileLayer({ className: "map-background", source: tiles, zIndex: 2, preload: 2 });
}

export function layerOf(entry: LayerEntry, projection: Projection, palette: Palette, trouble: Trouble): BaseLayer {
  const source = entry.source;
  if (source.type === "wms") {
    // No `crossOrigin`: nothing is read back from the picture, and not every service allows it.
    const images = new ImageWMS({ url: source.url, params: source.parameters, projection, ratio: 1, serverType: "qgis" });
    images.on("imageloadend", () => trouble(false));
    images.on("imageloaderror", () => trouble(true));
    return new ImageLayer({ source: images });
  }
  if (source.type === "wmts") {
    return new TileLayer({ source: tileSource(source.url, source.tileGrid, projection, trouble) });
  }
  const features = new GeoJSON().readFeatures(source.data, { dataProjection: projection, featureProjection: projection });
  const layer = new VectorLayer({ source: new VectorSource({ features }) });
  paintShapes(layer, isMark(entry), palette);
  return layer;
}

export function paintShapes(layer: VectorLayer, isMark: boolean, palette: Palette): void {
  const stroke = new Stroke({ color: isMark ? palette.mark : palette.badge, width: isMark ? 3 : 2 });
  const fill = new Fill({ color: palette.markFill });
  const casing = new Stroke({ color: palette.halo, width: isMark ? 6 : 4 });
  layer.setStyle([
    new Style({ stroke: casing }),
    new Style({ stroke, fill, image: new Circle({ radius: 6, stroke, fill }) }),
  ]);
}

function tileSource(url: string, grid: TileGridSpec, projection: Projection, trouble: Trouble): TileImage {
  const tileGrid = new TileGrid({
    origin: [...grid.origin],
    resolutions: [...grid.resolutions],
    tileSize: grid.tileSize,
    ...(grid.extent ? { extent: [...grid.extent] } : {}),
  });
  const source = new TileImage({
    projection,
    tileGrid,
    transition: 150,
    tileUrlFunction: ([z, column, row]) => tileUrl(url, grid.matrixIds[z!]!, column!, row!),
  });
  source.on("tileloadend", () => trouble(false));
  source.on("tileloaderror", () => trouble(true));
  return source;
}
