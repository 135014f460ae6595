/** A map of each library to try the actions on, and what the library itself says about it. */

import { MapActions } from "../../src/index.js";
import type { LayerState, MapAdapter } from "../../src/index.js";
import type { Coord } from "../../src/geometry.js";

export const START: Coord = [2_607_000, 1_228_000];
export const SIZE = { width: 400, height: 300 } as const;

/** A layer of ours as the library has it. */
export interface Drawn {
  id: string;
  visible: boolean;
  opacity: number;
}

/** Red, green, blue; 0 to 255. */
export type Colour = readonly [number, number, number];

/** What a library says about its map. */
export interface Witness {
  adapter: MapAdapter;
  element: HTMLElement;
  center(): Coord;
  /** Metres a pixel, on the ground. */
  resolution(): number;
  /** The outlines that were added, the topmost first. */
  layers(): Promise<Drawn[]>;
  markers(): Promise<number>;
  features(): Promise<number>;
  /** The backgrounds that are visible. */
  backgrounds(): string[];
  /** Where a place is, in pixels of the element. */
  pixelOf(coord: Coord): readonly [number, number];
  /** All that is drawn, over white. */
  picture(): CanvasRenderingContext2D;
  /** What the map consists of; `before` there was anything of ours. */
  inventory(): unknown;
  before: unknown;
  /** Something lies over the left of the map, so many pixels wide. */
  cover(pixels: number): void;
  close(): void;
}

export interface Options {
  hasBackgrounds?: boolean;
  /** Otherwise only the first background is. */
  areBothVisible?: boolean;
}

export interface Bench {
  name: string;
  open(element: HTMLElement, options: Options): Promise<Witness>;
}

/** A map with the actions on it. */
export interface Opened extends Witness {
  actions: MapActions;
  states: [layer: string, state: LayerState][];
  /** When they were told, in milliseconds. */
  times: number[];
  clicks: Coord[];
  /** Ends listening. */
  stop(): void;
  /** Whether a colour is drawn within a few pixels of a place. */
  shows(coord: Coord, colour: Colour, tolerance?: number): boolean;
}

export async function open(bench: Bench, options: Options = {}): Promise<Opened> {
  const element = document.createElement("div");
  Object.assign(element.style, { position: "absolute", left: "0", top: "0", width: `${SIZE.width}px`, height: `${SIZE.height}px` });
  document.body.append(element);
  const witness = await bench.open(element, { hasBackgrounds: true, ...options });
  const states: Opened["states"] = [];
  const times: number[] = [];
  const clicks: Coord[] = [];
  const stop = witness.adapter.listen({
    loading: (layer, state) => {
      states.push([layer, state]);
      times.push(performance.now());
    },
    clicked: (coord) => void clicks.push(coord),
  });
  const shows: Opened["shows"] = (coord, colour, tolerance = TOLERANCE) => isNear(witness, coord, colour, tolerance);
  return {
    ...witness,
    actions: new MapActions(witness.adapter),
    states,
    times,
    clicks,
    stop,
    shows,
    close: () => {
      witness.close();
      element.remove();
    },
  };
}

const NEAR_PX = 2;
const TOLERANCE = 36;

function isNear(witness: Witness, coord: Coord, colour: Colour, tolerance: number): boolean {
  const [x, y] = witness.pixelOf(coord).map(Math.round) as [number, number];
  const side = 2 * NEAR_PX + 1;
  const { data } = witness.picture().getImageData(x - NEAR_PX, y - NEAR_PX, side, side);
  for (let at = 0; at < data.length; at += 4) {
    if (colour.every((value, n) => Math.abs(data[at + n]! - value) < tolerance)) return true;
  }
  return false;
}

export function whitePaper(): CanvasRenderingContext2D {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, SIZE);
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  return context;
}

/** Of a colour like `#20262b`. */
export function colourOf(hex: string): Colour {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as unknown as Colour;
}
