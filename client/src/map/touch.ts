/** Pointers on the map: where they are, what they click, what they press for long. */

import type OlMap from "ol/Map";
import type { Pixel } from "ol/pixel";
import type { Listener } from "./drawing";
import type { Coord, FeatureRef } from "@ask-sogis/map-actions";
import type { Shapes } from "@ask-sogis/map-actions/openlayers";

const LONG_MS = 500;
/** A finger does not keep quite still. */
const STILL_PX = 8;
/** The size of a point. */
const NEAR_PX = 8;
/** Two quick clicks are a double one only where a finger would put both. */
const DOUBLE_PX = 24;

/** A tool that takes the clicks as long as it is at work. */
interface Taker {
  clicked(coord: Coord): void;
  /** Null: there is no pointer on the map. */
  pointed(coord: Coord | null): void;
}

type Hearer = Pick<Listener, "pointed" | "clicked" | "unclicked" | "hovered">;

export class Touch {
  #taker: Taker | null = null;
  #press: { x: number; y: number; timer: ReturnType<typeof setTimeout> } | null = null;
  /** The click that ends a long press is none. */
  #isHeld = false;
  #hovered: FeatureRef | null = null;
  /** The last two with nothing pressed beside the map in between. */
  #clicks: readonly Pixel[] = [];

  constructor(
    private readonly map: OlMap,
    private readonly viewport: HTMLElement,
    private readonly shapes: Shapes,
    private readonly listener: Hearer,
  ) {
    map.on("click", ({ pixel }) => {
      this.#clicks = [...this.#clicks.slice(-1), pixel];
      if (!this.#isHeld) this.#click(pixel);
    });
    map.on("dblclick", (event) => {
      // Two clicks zoom; OpenLayers takes those at two places for such, too.
      if (this.#isDouble() && !this.#taker) listener.unclicked();
      else event.stopPropagation();
    });
    map.on("pointermove", ({ pixel, coordinate, dragging }) => {
      if (dragging || !coordinate) return;
      const at: Coord = [coordinate[0]!, coordinate[1]!];
      listener.pointed(at);
      if (this.#taker) return this.#taker.pointed(at);
      this.#hover(this.#at(pixel));
    });
    document.addEventListener("pointerdown", ({ target }) => {
      if (!viewport.contains(target as Node)) this.#clicks = [];
    });
    viewport.addEventListener("pointerdown", (event) => this.#down(event));
    viewport.addEventListener("pointermove", (event) => this.#moved(event));
    for (const type of ["pointerup", "pointercancel"] as const) viewport.addEventListener(type, () => this.#up());
    viewport.addEventListener("contextmenu", (event) => {
      if (this.#press || this.#isHeld) event.preventDefault();
    });
    viewport.addEventListener("pointerleave", () => {
      listener.pointed(null);
      this.#taker?.pointed(null);
      this.#hover(null);
    });
  }

  /** Clicks go to a tool, until it gives them back: nothing is marked, and nothing zooms. */
  lend(taker: Taker | null): void {
    this.#taker = taker;
    this.#hover(null);
    this.viewport.style.cursor = taker ? "crosshair" : "";
  }

  #click(pixel: Pixel): void {
    const [east, north] = this.map.getCoordinateFromPixel(pixel) ?? [];
    if (east === undefined || north === undefined) return;
    const coord: Coord = [toDecimetre(east), toDecimetre(north)];
    if (this.#taker) this.#taker.clicked(coord);
    else this.listener.clicked(coord, this.#at(pixel));
  }

  #isDouble(): boolean {
    const [first, second] = this.#clicks;
    return first !== undefined && second !== undefined && Math.hypot(first[0]! - second[0]!, first[1]! - second[1]!) <= DOUBLE_PX;
  }

  #hover(feature: FeatureRef | null): void {
    if (feature?.table === this.#hovered?.table && feature?.feature === this.#hovered?.feature) return;
    this.#hovered = feature;
    this.viewport.style.cursor = feature ? "pointer" : "";
    this.listener.hovered(feature);
  }

  #at(pixel: Pixel): FeatureRef | null {
    const coord = this.map.getCoordinateFromPixel(pixel);
    return coord ? this.shapes.at(coord, NEAR_PX * (this.map.getView().getResolution() ?? 1)) : null;
  }

  #down(event: PointerEvent): void {
    this.#up();
    this.#isHeld = false;
    if (event.pointerType !== "touch" || !event.isPrimary) return;
    const timer = setTimeout(() => {
      this.#press = null;
      this.#isHeld = true;
      this.#click(this.map.getEventPixel(event));
    }, LONG_MS);
    this.#press = { x: event.clientX, y: event.clientY, timer };
  }

  #moved({ clientX, clientY }: PointerEvent): void {
    if (this.#press && Math.hypot(clientX - this.#press.x, clientY - this.#press.y) > STILL_PX) this.#up();
  }

  #up(): void {
    clearTimeout(this.#press?.timer);
    this.#press = null;
  }
}

function toDecimetre(metres: number): number {
  return Math.round(metres * 10) / 10;
}
