/** The kilometre grid of the national map, with its numbers where nothing lies over them. */

import { getRenderPixel } from "ol/render";
import type RenderEvent from "ol/render/Event";
import { grouped } from "@ask-sogis/copilot/texts/numbers";
import type { Padding } from "./drawing";
import { FAMILY, type Extent, type Palette } from "@ask-sogis/map-actions";

/** A line across the map. */
export interface GridLine {
  /** Pixels from the left or from the top. */
  at: number;
  /** 2 607 000, as on the national map; null where it would be covered. */
  text: string | null;
}

const MIN_GAP_PX = 90;
const LABEL_WIDTH_PX = 48;
/** What the numbers of the columns take at the top, and scale and sources at the bottom. */
const HEAD_PX = 32;
const FOOT_PX = 56;
/** From a line, or from what covers the map, to a number. */
const SPACE_PX = 6;

/** What there is to draw for an extent, at a resolution in metres a pixel. */
export function gridLines([minEast, minNorth, maxEast, maxNorth]: Extent, resolution: number, [above, right, below, left]: Padding) {
  const gap = gridGap(resolution);
  const width = (maxEast - minEast) / resolution;
  const height = (maxNorth - minNorth) / resolution;
  const lines = (from: number, to: number, at: (metres: number) => number, isFree: (at: number) => boolean): GridLine[] =>
    multiples(gap, from, to).map((metres) => ({ at: at(metres), text: isFree(at(metres)) ? grouped(metres) : null }));
  return {
    columns: lines(
      minEast,
      maxEast,
      (east) => (east - minEast) / resolution,
      (x) => x >= left && x + LABEL_WIDTH_PX + 2 * SPACE_PX <= width - right,
    ),
    rows: lines(
      minNorth,
      maxNorth,
      (north) => (maxNorth - north) / resolution,
      (y) => y >= above + HEAD_PX && y <= height - below - FOOT_PX,
    ),
  };
}

/** To be called before a layer is drawn. */
export function drawGrid(event: RenderEvent, palette: Palette, padding: Padding): void {
  const { context, frameState } = event;
  if (!frameState?.extent || !(context instanceof CanvasRenderingContext2D)) return;
  const [width, height] = frameState.size as [number, number];
  const { columns, rows } = gridLines(frameState.extent as unknown as Extent, frameState.viewState.resolution, padding);
  const pixel = (x: number, y: number): [number, number] => getRenderPixel(event, [x, y]) as [number, number];
  const line = (from: [number, number], to: [number, number], [dx, dy]: [number, number]): void => {
    context.moveTo(Math.round(from[0]) + dx, Math.round(from[1]) + dy);
    context.lineTo(Math.round(to[0]) + dx, Math.round(to[1]) + dy);
  };
  context.save();
  context.lineWidth = frameState.pixelRatio;
  context.strokeStyle = palette.line;
  context.fillStyle = palette.lineLabel;
  context.font = `${12.5 * frameState.pixelRatio}px ${FAMILY}`;
  context.beginPath();
  for (const { at } of columns) line(pixel(at, 0), pixel(at, height), [0.5, 0]);
  for (const { at } of rows) line(pixel(0, at), pixel(width, at), [0, 0.5]);
  context.stroke();
  const [top, , , left] = padding;
  for (const { at, text } of columns) if (text) context.fillText(text, ...pixel(at + 4, top + 13));
  for (const { at, text } of rows) if (text) context.fillText(text, ...pixel(left + SPACE_PX, at - 4));
  context.restore();
}

/** Metres between two lines: a round number, and far enough on the screen. */
function gridGap(resolution: number): number {
  const least = resolution * MIN_GAP_PX;
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5, 10].find((step) => step * power >= least) ?? 10) * power;
}

function multiples(of: number, from: number, to: number): number[] {
  const first = Math.ceil(from / of);
  return Array.from({ length: Math.max(0, Math.floor(to / of) - first + 1) }, (_, n) => (first + n) * of);
}
