/** The map of last resort: a ground with the kilometre grid and the names of the places, all drawn here. */

import Feature from "ol/Feature";
import Point from "ol/geom/Point";
import VectorLayer from "ol/layer/Vector";
import { getRenderPixel } from "ol/render";
import type RenderEvent from "ol/render/Event";
import VectorSource from "ol/source/Vector";
import { Circle, Fill, Stroke, Style, Text } from "ol/style";
import places from "virtual:places";
import type { Palette } from "./palette";

export type Place = (typeof places)[number];
export const PLACES: readonly Place[] = places;

/** By rank: up to how many metres a pixel a place is named, and how. */
const RANKS = [
  { until: Infinity, font: "700 15px", radius: 4.5 },
  { until: 230, font: "600 13px", radius: 3.5 },
  { until: 75, font: "400 12px", radius: 2.5 },
  { until: 15, font: "400 12px", radius: 2 },
] as const;

const FAMILY = '"Helvetica Neue", Helvetica, "Liberation Sans", Arial, sans-serif';

export function placesLayer(palette: Palette): VectorLayer {
  const features = places.map(([name, east, north, rank]) => {
    const feature = new Feature(new Point([east, north]));
    feature.setProperties({ name, rank }, true);
    return feature;
  });
  const layer = new VectorLayer({ source: new VectorSource({ features }), declutter: true, zIndex: 1 });
  paintPlaces(layer, palette);
  return layer;
}

export function paintPlaces(layer: VectorLayer, palette: Palette): void {
  const styles = RANKS.map(({ font, radius }, rank) => {
    const ink = rank < 2 ? palette.ink : palette.quietInk;
    return new Style({
      zIndex: 10 - rank,
      image: new Circle({
        radius,
        fill: new Fill({ color: rank === 0 ? palette.halo : ink }),
        stroke: new Stroke({ color: ink, width: rank === 0 ? 2.5 : 0.5 }),
      }),
      text: new Text({
        font: `${font} ${FAMILY}`,
        textAlign: "left",
        offsetX: radius + 5,
        offsetY: 1,
        fill: new Fill({ color: ink }),
        stroke: new Stroke({ color: palette.halo, width: 3.5 }),
      }),
    });
  });
  layer.setStyle((feature, resolution) => {
    const rank = feature.get("rank") as 0 | 1 | 2 | 3;
    const style = styles[rank];
    if (resolution > RANKS[rank].until || !style) return undefined;
    style.getText()?.setText(String(feature.get("name")));
    return style;
  });
}

const MIN_GAP_PX = 90;

/** The kilometre grid of the national map, with its numbers at the edge. To be called before a layer is drawn.
 *
 * @param left How many pixels at the left something else lies over.
 */
export function drawGrid(event: RenderEvent, palette: Palette, left: number): void {
  const { context, frameState } = event;
  if (!frameState?.extent || !(context instanceof CanvasRenderingContext2D)) return;
  const [minEast, minNorth, maxEast, maxNorth] = frameState.extent as [number, number, number, number];
  const resolution = frameState.viewState.resolution;
  const gap = gridGap(resolution);
  const toPixel = (east: number, north: number): [number, number] => {
    const t = frameState.coordinateToPixelTransform as [number, number, number, number, number, number];
    return getRenderPixel(event, [t[0] * east + t[2] * north + t[4], t[1] * east + t[3] * north + t[5]]) as [
      number,
      number,
    ];
  };
  const ratio = frameState.pixelRatio;
  context.save();
  context.lineWidth = ratio;
  context.strokeStyle = palette.line;
  context.fillStyle = palette.lineLabel;
  context.font = `${10.5 * ratio}px ${FAMILY}`;
  context.beginPath();
  for (let east = Math.ceil(minEast / gap) * gap; east <= maxEast; east += gap) {
    const [x, top] = toPixel(east, maxNorth);
    context.moveTo(Math.round(x) + 0.5, top);
    context.lineTo(Math.round(x) + 0.5, toPixel(east, minNorth)[1]);
  }
  for (let north = Math.ceil(minNorth / gap) * gap; north <= maxNorth; north += gap) {
    const [from, y] = toPixel(minEast, north);
    context.moveTo(from, Math.round(y) + 0.5);
    context.lineTo(toPixel(maxEast, north)[0], Math.round(y) + 0.5);
  }
  context.stroke();
  for (let east = Math.ceil(minEast / gap) * gap; east <= maxEast; east += gap) {
    const [x, y] = toPixel(east, maxNorth);
    context.fillText(metres(east), x + 4 * ratio, y + 13 * ratio);
  }
  for (let north = Math.ceil(minNorth / gap) * gap; north <= maxNorth; north += gap) {
    const [x, y] = toPixel(minEast, north);
    context.fillText(metres(north), x + (left + 6) * ratio, y - 4 * ratio);
  }
  context.restore();
}

/** Metres between two lines: a round number, and far enough on the screen. */
export function gridGap(resolution: number): number {
  const least = resolution * MIN_GAP_PX;
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5, 10].find((step) => step * power >= least) ?? 10) * power;
}

/** 2 607 000, as on the national map. */
function metres(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}
